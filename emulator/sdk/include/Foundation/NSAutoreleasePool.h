// The pool as an object, for code that does not say @autoreleasepool.
#pragma once

#include <Foundation/NSObject.h>

#if !__has_feature(objc_arc)
@interface NSAutoreleasePool : NSObject {
  void *token;
}
+ (void)addObject:(id)object;
- (void)addObject:(id)object;
- (void)drain;
@end
#endif
