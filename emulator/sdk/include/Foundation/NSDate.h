// Moments. The reference date is 1 January 2001, 00:00 UTC.
#pragma once

#include <Foundation/NSObject.h>

typedef double NSTimeInterval;
#define NSTimeIntervalSince1970 978307200.0

@interface NSDate : NSObject <NSCopying>
+ (instancetype)date;
+ (instancetype)dateWithTimeIntervalSinceNow:(NSTimeInterval)seconds;
+ (instancetype)dateWithTimeIntervalSince1970:(NSTimeInterval)seconds;
+ (instancetype)dateWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds;
- (instancetype)initWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds;
- (instancetype)dateByAddingTimeInterval:(NSTimeInterval)seconds;
+ (NSDate *)distantFuture;
+ (NSDate *)distantPast;
+ (NSTimeInterval)timeIntervalSinceReferenceDate;
@property(readonly) NSTimeInterval timeIntervalSinceReferenceDate;
@property(readonly) NSTimeInterval timeIntervalSince1970;
@property(readonly) NSTimeInterval timeIntervalSinceNow;
- (NSTimeInterval)timeIntervalSinceDate:(NSDate *)date;
- (NSComparisonResult)compare:(NSDate *)date;
- (BOOL)isEqualToDate:(NSDate *)date;
@end
