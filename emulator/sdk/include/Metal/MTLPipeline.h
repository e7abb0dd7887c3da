// What pipelines say of the buffers that they are given.
#pragma once

#include <Metal/MTLDefines.h>

typedef NS_ENUM(NSUInteger, MTLMutability) {
  MTLMutabilityDefault = 0,
  MTLMutabilityMutable = 1,
  MTLMutabilityImmutable = 2
};

typedef NS_ENUM(NSInteger, MTLShaderValidation) {
  MTLShaderValidationDefault = 0,
  MTLShaderValidationEnabled = 1,
  MTLShaderValidationDisabled = 2
};

@interface MTLPipelineBufferDescriptor : NSObject <NSCopying>
@property(nonatomic) MTLMutability mutability;
@end

@interface MTLPipelineBufferDescriptorArray : NSObject
- (MTLPipelineBufferDescriptor *)objectAtIndexedSubscript:(NSUInteger)index;
- (void)setObject:(MTLPipelineBufferDescriptor *)buffer atIndexedSubscript:(NSUInteger)index;
@end
