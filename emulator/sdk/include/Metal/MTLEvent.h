// Order between command buffers, queues and the host: a value that grows.
#pragma once

#include <Metal/MTLDefines.h>

@protocol MTLDevice
, MTLSharedEvent;
@class MTLSharedEventHandle;

@protocol MTLEvent <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString *label;
@end

// Runs blocks on a dispatch queue when a shared event reaches a value.
@interface MTLSharedEventListener : NSObject
+ (MTLSharedEventListener *)sharedListener;
- (instancetype)initWithDispatchQueue:(dispatch_queue_t)queue;
@property(nonatomic, readonly) dispatch_queue_t dispatchQueue;
@end

typedef void (^MTLSharedEventNotificationBlock)(id<MTLSharedEvent> event, uint64_t value);

@protocol MTLSharedEvent <MTLEvent>
@property(readwrite) uint64_t signaledValue;
- (void)notifyListener:(MTLSharedEventListener *)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block;
- (MTLSharedEventHandle *)newSharedEventHandle;
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds;
@end

@interface MTLSharedEventHandle : NSObject
@property(readonly) NSString *label;
@end
