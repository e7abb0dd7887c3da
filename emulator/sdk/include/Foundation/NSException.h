// Exceptions: what a collection raises when it is asked for an element that it does not have, and assertions.
#pragma once

#include <Foundation/NSObject.h>
#include <Foundation/NSString.h>

@class NSDictionary<KeyType, ObjectType>;

typedef NSString *NSExceptionName;
FOUNDATION_EXPORT NSExceptionName const NSGenericException;
FOUNDATION_EXPORT NSExceptionName const NSRangeException;
FOUNDATION_EXPORT NSExceptionName const NSInvalidArgumentException;
FOUNDATION_EXPORT NSExceptionName const NSInternalInconsistencyException;

@interface NSException : NSObject <NSCopying>
+ (NSException *)exceptionWithName:(NSExceptionName)name
                            reason:(NSString *)reason
                          userInfo:(NSDictionary *)info;
- (instancetype)initWithName:(NSExceptionName)name reason:(NSString *)reason userInfo:(NSDictionary *)info;
+ (void)raise:(NSExceptionName)name
       format:(NSString *)format, ... NS_FORMAT_FUNCTION(2, 3)__attribute__((noreturn));
- (void)raise __attribute__((noreturn));
@property(readonly, copy) NSExceptionName name;
@property(readonly, copy) NSString *reason;
@property(readonly, copy) NSDictionary *userInfo;
@end

typedef void NSUncaughtExceptionHandler(NSException *exception);
FOUNDATION_EXPORT void NSSetUncaughtExceptionHandler(NSUncaughtExceptionHandler *handler);

#ifdef NS_BLOCK_ASSERTIONS
#define NSAssert(condition, description, ...) ((void)0)
#else
#define NSAssert(condition, description, ...)                                                                \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      [NSException raise:NSInternalInconsistencyException format:(description), ##__VA_ARGS__];              \
  } while (0)
#endif
#define NSCAssert NSAssert
#define NSParameterAssert(condition) NSAssert(condition, @"invalid parameter not satisfying: %s", #condition)
#define NSCParameterAssert NSParameterAssert
