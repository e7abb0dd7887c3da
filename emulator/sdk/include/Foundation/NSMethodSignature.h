// The types of a method's result and arguments; the first two arguments are the receiver and the selector.
#pragma once

#include <Foundation/NSObject.h>

@interface NSMethodSignature : NSObject
+ (NSMethodSignature *)signatureWithObjCTypes:(const char *)types;
@property(readonly) NSUInteger numberOfArguments;
- (const char *)getArgumentTypeAtIndex:(NSUInteger)index NS_RETURNS_INNER_POINTER;
@property(readonly) const char *methodReturnType NS_RETURNS_INNER_POINTER;
@property(readonly) NSUInteger methodReturnLength;
@property(readonly, getter=isOneway) BOOL oneway;
@end
