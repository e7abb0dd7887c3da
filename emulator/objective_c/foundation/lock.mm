// NSLock, NSRecursiveLock and NSCondition, made of the standard library's.
#include "objective_c/foundation/foundation.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace {

std::chrono::system_clock::time_point pointOf(NSDate *date) {
  const double seconds = MIN([date timeIntervalSince1970], 4e9);
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::duration<double>(seconds)));
}

} // namespace

#define ASSAY_LOCK(Mutex)                                                                                    \
  {                                                                                                          \
    Mutex mutex_;                                                                                            \
    NSString *name_;                                                                                         \
  }                                                                                                          \
  -(void)dealloc {                                                                                           \
    [name_ release];                                                                                         \
    [super dealloc];                                                                                         \
  }                                                                                                          \
  -(void)lock {                                                                                              \
    mutex_.lock();                                                                                           \
  }                                                                                                          \
  -(void)unlock {                                                                                            \
    mutex_.unlock();                                                                                         \
  }                                                                                                          \
  -(BOOL)tryLock {                                                                                           \
    return mutex_.try_lock();                                                                                \
  }                                                                                                          \
  -(BOOL)lockBeforeDate : (NSDate *)limit {                                                                  \
    return mutex_.try_lock_until(pointOf(limit));                                                            \
  }                                                                                                          \
  @synthesize name = name_;

@implementation NSLock
ASSAY_LOCK(std::timed_mutex)
@end

@implementation NSRecursiveLock
ASSAY_LOCK(std::recursive_timed_mutex)
@end

@implementation NSCondition {
  std::mutex mutex_;
  std::condition_variable condition_;
  NSString *name_;
}
@synthesize name = name_;
- (void)dealloc {
  [name_ release];
  [super dealloc];
}
- (void)lock {
  mutex_.lock();
}
- (void)unlock {
  mutex_.unlock();
}
- (void)wait {
  std::unique_lock lock(mutex_, std::adopt_lock);
  condition_.wait(lock);
  lock.release();
}
- (BOOL)waitUntilDate:(NSDate *)limit {
  std::unique_lock lock(mutex_, std::adopt_lock);
  const bool signalled = condition_.wait_until(lock, pointOf(limit)) == std::cv_status::no_timeout;
  lock.release();
  return signalled;
}
- (void)signal {
  condition_.notify_one();
}
- (void)broadcast {
  condition_.notify_all();
}
@end
