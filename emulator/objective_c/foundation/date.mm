// NSDate, the little of NSThread, and NSAutoreleasePool.
#include "objective_c/foundation/foundation.h"

#include <chrono>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace assay::foundation;

@implementation NSDate {
  NSTimeInterval seconds_; // since the reference date
}
+ (NSTimeInterval)timeIntervalSinceReferenceDate {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec - NSTimeIntervalSince1970 + 1e-9 * (double)now.tv_nsec;
}
+ (instancetype)date {
  return [self dateWithTimeIntervalSinceReferenceDate:[self timeIntervalSinceReferenceDate]];
}
+ (instancetype)dateWithTimeIntervalSinceNow:(NSTimeInterval)seconds {
  return [self dateWithTimeIntervalSinceReferenceDate:[self timeIntervalSinceReferenceDate] + seconds];
}
+ (instancetype)dateWithTimeIntervalSince1970:(NSTimeInterval)seconds {
  return [self dateWithTimeIntervalSinceReferenceDate:seconds - NSTimeIntervalSince1970];
}
+ (instancetype)dateWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds {
  return [[[self alloc] initWithTimeIntervalSinceReferenceDate:seconds] autorelease];
}
+ (NSDate *)distantFuture {
  return [self dateWithTimeIntervalSinceReferenceDate:63113904000.0];
}
+ (NSDate *)distantPast {
  return [self dateWithTimeIntervalSinceReferenceDate:-63114076800.0];
}
- (instancetype)init {
  return [self initWithTimeIntervalSinceReferenceDate:[NSDate timeIntervalSinceReferenceDate]];
}
- (instancetype)initWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds {
  seconds_ = seconds;
  return self;
}
- (instancetype)dateByAddingTimeInterval:(NSTimeInterval)seconds {
  return [[self class] dateWithTimeIntervalSinceReferenceDate:seconds_ + seconds];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSTimeInterval)timeIntervalSinceReferenceDate {
  return seconds_;
}
- (NSTimeInterval)timeIntervalSince1970 {
  return seconds_ + NSTimeIntervalSince1970;
}
- (NSTimeInterval)timeIntervalSinceNow {
  return seconds_ - [NSDate timeIntervalSinceReferenceDate];
}
- (NSTimeInterval)timeIntervalSinceDate:(NSDate *)date {
  return seconds_ - [date timeIntervalSinceReferenceDate];
}
- (NSComparisonResult)compare:(NSDate *)date {
  const double difference = [self timeIntervalSinceDate:date];
  return difference < 0 ? NSOrderedAscending : difference > 0 ? NSOrderedDescending : NSOrderedSame;
}
- (BOOL)isEqualToDate:(NSDate *)date {
  return date && seconds_ == [date timeIntervalSinceReferenceDate];
}
- (BOOL)isEqual:(id)object {
  return [object isKindOfClass:[NSDate class]] && [self isEqualToDate:object];
}
- (NSUInteger)hash {
  return std::hash<double>()(seconds_);
}
- (NSString *)description {
  const time_t seconds = (time_t)std::floor([self timeIntervalSince1970]);
  tm parts;
  char text[64] = "";
  if (gmtime_r(&seconds, &parts))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S +0000", &parts);
  return @(text);
}
@end

@implementation NSThread
+ (BOOL)isMainThread {
  return syscall(SYS_gettid) == getpid();
}
+ (void)sleepForTimeInterval:(NSTimeInterval)seconds {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}
@end

@implementation NSAutoreleasePool
// libobjc2 asks this before it keeps the pools itself.
- (void)_ARCCompatibleAutoreleasePool {
}
+ (void)_ARCCompatibleAutoreleasePool {
}
- (instancetype)init {
  token = objc_autoreleasePoolPush();
  return self;
}
+ (void)addObject:(id)object {
  [object autorelease];
}
- (void)addObject:(id)object {
  [object autorelease];
}
- (void)drain {
  [self release];
}
- (instancetype)retain {
  raise(NSInvalidArgumentException, @"a pool cannot be retained");
}
- (instancetype)autorelease {
  raise(NSInvalidArgumentException, @"a pool cannot be autoreleased");
}
- (oneway void)release {
  void *pool = token;
  [self dealloc];
  objc_autoreleasePoolPop(pool);
}
@end
