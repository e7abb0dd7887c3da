// What all encoders share.
#pragma once

#include <Metal/MTLTypes.h>

@protocol MTLDevice;

typedef NS_OPTIONS(NSUInteger, MTLResourceUsage) {
  MTLResourceUsageRead = 1,
  MTLResourceUsageWrite = 1 << 1,
  MTLResourceUsageSample = 1 << 2
};

typedef NS_OPTIONS(NSUInteger, MTLBarrierScope) {
  MTLBarrierScopeBuffers = 1,
  MTLBarrierScopeTextures = 1 << 1,
  MTLBarrierScopeRenderTargets = 1 << 2
};

typedef NS_OPTIONS(NSUInteger, MTLStages) {
  MTLStageVertex = 1,
  MTLStageFragment = 1 << 1,
  MTLStageTile = 1 << 2,
  MTLStageObject = 1 << 3,
  MTLStageMesh = 1 << 4,
  MTLStageResourceState = 1 << 26,
  MTLStageDispatch = 1 << 27,
  MTLStageBlit = 1 << 28,
  MTLStageAccelerationStructure = 1 << 29,
  MTLStageMachineLearning = 1 << 30,
  MTLStageAll = 9223372036854775807
};

@protocol MTLCommandEncoder <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString *label;
- (void)endEncoding;
- (void)insertDebugSignpost:(NSString *)text;
- (void)pushDebugGroup:(NSString *)text;
- (void)popDebugGroup;
- (void)barrierAfterQueueStages:(MTLStages)after beforeStages:(MTLStages)before;
@end
