// Queues of Metal 4, and what they say of a commit that has ended.
#pragma once

#include <Metal/MTL4CommandBuffer.h>
#include <Metal/MTLEvent.h>
#include <dispatch/dispatch.h>

@protocol MTL4CommitFeedback <NSObject>
@property(readonly) NSError *error;
@property(readonly) CFTimeInterval GPUStartTime;
@property(readonly) CFTimeInterval GPUEndTime;
@end
typedef void (^MTL4CommitFeedbackHandler)(id<MTL4CommitFeedback> feedback);

@interface MTL4CommitOptions : NSObject
- (void)addFeedbackHandler:(MTL4CommitFeedbackHandler)handler;
@end

@interface MTL4CommandQueueDescriptor : NSObject <NSCopying>
@property(nonatomic, copy) NSString *label;
@property(nonatomic) dispatch_queue_t feedbackQueue;
@end

@protocol MTL4CommandQueue <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
- (void)commit:(const id<MTL4CommandBuffer> __unsafe_unretained[])buffers count:(NSUInteger)count;
- (void)commit:(const id<MTL4CommandBuffer> __unsafe_unretained[])buffers
         count:(NSUInteger)count
       options:(MTL4CommitOptions *)options;
- (void)signalEvent:(id<MTLEvent>)event value:(uint64_t)value;
- (void)waitForEvent:(id<MTLEvent>)event value:(uint64_t)value;
- (void)addResidencySet:(id<MTLResidencySet>)set;
- (void)addResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count;
- (void)removeResidencySet:(id<MTLResidencySet>)set;
- (void)removeResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count;
@end
