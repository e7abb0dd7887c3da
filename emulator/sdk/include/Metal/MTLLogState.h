// What kernels log.
#pragma once

#include <Metal/MTLDefines.h>

typedef NS_ENUM(NSInteger, MTLLogLevel) {
  MTLLogLevelUndefined = 0,
  MTLLogLevelDebug = 1,
  MTLLogLevelInfo = 2,
  MTLLogLevelNotice = 3,
  MTLLogLevelError = 4,
  MTLLogLevelFault = 5
};

typedef NS_ENUM(NSUInteger, MTLLogStateError) {
  MTLLogStateErrorInvalidSize = 1,
  MTLLogStateErrorInvalid = 2
};
MTL_EXTERN NSErrorDomain const MTLLogStateErrorDomain;

@interface MTLLogStateDescriptor : NSObject <NSCopying>
@property(readwrite, nonatomic) MTLLogLevel level;
@property(readwrite, nonatomic) NSInteger bufferSize;
@end

@protocol MTLLogState <NSObject>
- (void)addLogHandler:(void (^)(NSString *subsystem, NSString *category, MTLLogLevel level,
                                NSString *message))handler;
@end
