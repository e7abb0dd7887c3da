// A compiled kernel, and what is asked of it.
#pragma once

#include <Metal/MTLAllocation.h>
#include <Metal/MTLArgument.h>
#include <Metal/MTLLinkedFunctions.h>
#include <Metal/MTLPipeline.h>
#include <Metal/MTLStageInputOutputDescriptor.h>
#include <Metal/MTLTypes.h>

@protocol MTLDevice
, MTLFunction, MTLFunctionHandle, MTLVisibleFunctionTable, MTLDynamicLibrary, MTLBinaryArchive;
@class MTLVisibleFunctionTableDescriptor;

@interface MTLComputePipelineReflection : NSObject
@property(readonly) NSArray<id<MTLBinding>> *bindings;
@property(readonly) NSArray<MTLArgument *> *arguments;
@end
typedef MTLComputePipelineReflection *MTLAutoreleasedComputePipelineReflection;

@interface MTLComputePipelineDescriptor : NSObject <NSCopying>
@property(copy, nonatomic) NSString *label;
@property(readwrite, nonatomic, strong) id<MTLFunction> computeFunction;
@property(readwrite, nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readwrite, nonatomic) MTLSize requiredThreadsPerThreadgroup;
@property(readwrite, nonatomic, copy) MTLStageInputOutputDescriptor *stageInputDescriptor;
@property(readonly) MTLPipelineBufferDescriptorArray *buffers;
@property(readwrite, nonatomic) BOOL supportIndirectCommandBuffers;
@property(readwrite, nonatomic, copy) NSArray<id<MTLDynamicLibrary>> *insertLibraries;
@property(readwrite, nonatomic, copy) NSArray<id<MTLDynamicLibrary>> *preloadedLibraries;
@property(readwrite, nonatomic, copy) NSArray<id<MTLBinaryArchive>> *binaryArchives;
@property(readwrite, copy, nonatomic) MTLLinkedFunctions *linkedFunctions;
@property(readwrite, nonatomic) BOOL supportAddingBinaryFunctions;
@property(readwrite, nonatomic) NSUInteger maxCallStackDepth;
@property(readwrite, nonatomic) MTLShaderValidation shaderValidation;
- (void)reset;
@end

@protocol MTLComputePipelineState <MTLAllocation>
@property(readonly) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@property(readonly) BOOL supportIndirectCommandBuffers;
@property(readonly) MTLResourceID gpuResourceID;
@property(readonly) MTLShaderValidation shaderValidation;
@property(readonly) MTLSize requiredThreadsPerThreadgroup;
@property(readonly) MTLComputePipelineReflection *reflection;
- (NSUInteger)imageblockMemoryLengthForDimensions:(MTLSize)dimensions;
- (id<MTLFunctionHandle>)functionHandleWithFunction:(id<MTLFunction>)function;
- (id<MTLVisibleFunctionTable>)newVisibleFunctionTableWithDescriptor:
    (MTLVisibleFunctionTableDescriptor *)descriptor;
- (id<MTLComputePipelineState>)newComputePipelineStateWithAdditionalBinaryFunctions:
                                   (NSArray<id<MTLFunction>> *)functions
                                                                              error:(NSError **)error;
@end
