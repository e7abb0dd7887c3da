// The few functions of threads that hosts use.
#pragma once

#include <Foundation/NSDate.h>
#include <Foundation/NSObject.h>

@interface NSThread : NSObject
@property(class, readonly) BOOL isMainThread;
+ (void)sleepForTimeInterval:(NSTimeInterval)seconds;
@end
