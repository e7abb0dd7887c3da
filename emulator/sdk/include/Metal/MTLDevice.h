// The device: what it is, what it can, and what it makes.
#pragma once

#include <IOSurface/IOSurfaceRef.h>
#include <Metal/MTLArgument.h>
#include <Metal/MTLDataType.h>
#include <Metal/MTLLibrary.h>
#include <Metal/MTLPixelFormat.h>
#include <Metal/MTLResource.h>
#include <Metal/MTLTexture.h>
#include <Metal/MTLTypes.h>

@class MTLBinaryArchiveDescriptor, MTLCommandQueueDescriptor, MTLCompileOptions, MTLComputePipelineDescriptor;
@class MTLComputePipelineReflection, MTLCounterSampleBufferDescriptor, MTLHeapDescriptor,
    MTLLogStateDescriptor;
@class MTLResidencySetDescriptor, MTLSamplerDescriptor, MTLSharedEventHandle, MTLTensorBufferAttachments;
@class MTLTensorDescriptor, MTLTextureDescriptor;
@class MTL4ArgumentTableDescriptor, MTL4CommandAllocatorDescriptor, MTL4CommandQueueDescriptor,
    MTL4CompilerDescriptor;
@protocol MTL4ArgumentTable
, MTL4CommandAllocator, MTL4CommandBuffer, MTL4CommandQueue, MTL4Compiler;
@protocol MTLArgumentEncoder
, MTLBinaryArchive, MTLBuffer, MTLCommandQueue, MTLComputePipelineState;
@protocol MTLCounterSampleBuffer
, MTLCounterSet, MTLDevice, MTLDynamicLibrary, MTLEvent, MTLFence, MTLFunction;
@protocol MTLHeap
, MTLLibrary, MTLLogState, MTLResidencySet, MTLSamplerState, MTLSharedEvent, MTLTensor, MTLTexture;

typedef NS_ENUM(NSInteger, MTLGPUFamily) {
  MTLGPUFamilyApple1 = 1001,
  MTLGPUFamilyApple2 = 1002,
  MTLGPUFamilyApple3 = 1003,
  MTLGPUFamilyApple4 = 1004,
  MTLGPUFamilyApple5 = 1005,
  MTLGPUFamilyApple6 = 1006,
  MTLGPUFamilyApple7 = 1007,
  MTLGPUFamilyApple8 = 1008,
  MTLGPUFamilyApple9 = 1009,
  MTLGPUFamilyApple10 = 1010,
  MTLGPUFamilyMac1 = 2001,
  MTLGPUFamilyMac2 = 2002,
  MTLGPUFamilyCommon1 = 3001,
  MTLGPUFamilyCommon2 = 3002,
  MTLGPUFamilyCommon3 = 3003,
  MTLGPUFamilyMacCatalyst1 = 4001,
  MTLGPUFamilyMacCatalyst2 = 4002,
  MTLGPUFamilyMetal3 = 5001,
  MTLGPUFamilyMetal4 = 5002
};

typedef NS_ENUM(NSUInteger, MTLFeatureSet) {
  MTLFeatureSet_iOS_GPUFamily1_v1 = 0,
  MTLFeatureSet_iOS_GPUFamily2_v1 = 1,
  MTLFeatureSet_iOS_GPUFamily1_v2 = 2,
  MTLFeatureSet_iOS_GPUFamily2_v2 = 3,
  MTLFeatureSet_iOS_GPUFamily3_v1 = 4,
  MTLFeatureSet_iOS_GPUFamily1_v3 = 5,
  MTLFeatureSet_iOS_GPUFamily2_v3 = 6,
  MTLFeatureSet_iOS_GPUFamily3_v2 = 7,
  MTLFeatureSet_iOS_GPUFamily1_v4 = 8,
  MTLFeatureSet_iOS_GPUFamily2_v4 = 9,
  MTLFeatureSet_iOS_GPUFamily3_v3 = 10,
  MTLFeatureSet_iOS_GPUFamily4_v1 = 11,
  MTLFeatureSet_iOS_GPUFamily1_v5 = 12,
  MTLFeatureSet_iOS_GPUFamily2_v5 = 13,
  MTLFeatureSet_iOS_GPUFamily3_v4 = 14,
  MTLFeatureSet_iOS_GPUFamily4_v2 = 15,
  MTLFeatureSet_iOS_GPUFamily5_v1 = 16,
  MTLFeatureSet_macOS_GPUFamily1_v1 = 10000,
  MTLFeatureSet_OSX_GPUFamily1_v1 = 10000,
  MTLFeatureSet_macOS_GPUFamily1_v2 = 10001,
  MTLFeatureSet_OSX_GPUFamily1_v2 = 10001,
  MTLFeatureSet_macOS_ReadWriteTextureTier2 = 10002,
  MTLFeatureSet_OSX_ReadWriteTextureTier2 = 10002,
  MTLFeatureSet_macOS_GPUFamily1_v3 = 10003,
  MTLFeatureSet_macOS_GPUFamily1_v4 = 10004,
  MTLFeatureSet_macOS_GPUFamily2_v1 = 10005,
  MTLFeatureSet_watchOS_GPUFamily1_v1 = 20000,
  MTLFeatureSet_WatchOS_GPUFamily1_v1 = 20000,
  MTLFeatureSet_watchOS_GPUFamily2_v1 = 20001,
  MTLFeatureSet_WatchOS_GPUFamily2_v1 = 20001,
  MTLFeatureSet_tvOS_GPUFamily1_v1 = 30000,
  MTLFeatureSet_TVOS_GPUFamily1_v1 = 30000,
  MTLFeatureSet_tvOS_GPUFamily1_v2 = 30001,
  MTLFeatureSet_tvOS_GPUFamily1_v3 = 30002,
  MTLFeatureSet_tvOS_GPUFamily2_v1 = 30003,
  MTLFeatureSet_tvOS_GPUFamily1_v4 = 30004,
  MTLFeatureSet_tvOS_GPUFamily2_v2 = 30005
};

typedef NS_OPTIONS(NSUInteger, MTLPipelineOption) {
  MTLPipelineOptionNone = 0,
  MTLPipelineOptionArgumentInfo = 1,
  MTLPipelineOptionBindingInfo = 1,
  MTLPipelineOptionBufferTypeInfo = 1 << 1,
  MTLPipelineOptionFailOnBinaryArchiveMiss = 1 << 2
};

typedef NS_ENUM(NSUInteger, MTLDeviceLocation) {
  MTLDeviceLocationBuiltIn = 0,
  MTLDeviceLocationSlot = 1,
  MTLDeviceLocationExternal = 2,
  MTLDeviceLocationUnspecified = NSUIntegerMax
};

typedef NS_ENUM(NSUInteger, MTLReadWriteTextureTier) {
  MTLReadWriteTextureTierNone = 0,
  MTLReadWriteTextureTier1 = 1,
  MTLReadWriteTextureTier2 = 2
};

typedef NS_ENUM(NSUInteger, MTLArgumentBuffersTier) {
  MTLArgumentBuffersTier1 = 0,
  MTLArgumentBuffersTier2 = 1
};

typedef NS_ENUM(NSUInteger, MTLCounterSamplingPoint) {
  MTLCounterSamplingPointAtStageBoundary = 0,
  MTLCounterSamplingPointAtDrawBoundary = 1,
  MTLCounterSamplingPointAtDispatchBoundary = 2,
  MTLCounterSamplingPointAtTileDispatchBoundary = 3,
  MTLCounterSamplingPointAtBlitBoundary = 4
};

typedef void (^MTLNewLibraryCompletionHandler)(id<MTLLibrary> library, NSError *error);
typedef void (^MTLNewComputePipelineStateCompletionHandler)(id<MTLComputePipelineState> state,
                                                            NSError *error);
typedef void (^MTLNewComputePipelineStateWithReflectionCompletionHandler)(
    id<MTLComputePipelineState> state, MTLComputePipelineReflection *reflection, NSError *error);
typedef NSString *MTLDeviceNotificationName;
MTL_EXTERN MTLDeviceNotificationName const MTLDeviceWasAddedNotification;
MTL_EXTERN MTLDeviceNotificationName const MTLDeviceRemovalRequestedNotification;
MTL_EXTERN MTLDeviceNotificationName const MTLDeviceWasRemovedNotification;
typedef void (^MTLDeviceNotificationHandler)(id<MTLDevice> device, MTLDeviceNotificationName name);

MTL_EXTERN id<MTLDevice> MTLCreateSystemDefaultDevice(void) NS_RETURNS_RETAINED;
MTL_EXTERN NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) NS_RETURNS_RETAINED;
MTL_EXTERN NSArray<id<MTLDevice>> *
MTLCopyAllDevicesWithObserver(id<NSObject> *observer,
                              MTLDeviceNotificationHandler handler) NS_RETURNS_RETAINED;
MTL_EXTERN void MTLRemoveDeviceObserver(id<NSObject> observer);

@interface MTLArgumentDescriptor : NSObject <NSCopying>
+ (MTLArgumentDescriptor *)argumentDescriptor;
@property(nonatomic) MTLDataType dataType;
@property(nonatomic) NSUInteger index;
@property(nonatomic) NSUInteger arrayLength;
@property(nonatomic) MTLBindingAccess access;
@property(nonatomic) MTLTextureType textureType;
@property(nonatomic) NSUInteger constantBlockAlignment;
@end

@interface MTLArchitecture : NSObject <NSCopying>
@property(nonatomic, readonly) NSString *name;
@end

@protocol MTLDevice <NSObject>
@property(readonly) NSString *name;
@property(readonly) uint64_t registryID;
@property(readonly) MTLArchitecture *architecture;
@property(readonly) MTLSize maxThreadsPerThreadgroup;
@property(readonly, getter=isLowPower) BOOL lowPower;
@property(readonly, getter=isHeadless) BOOL headless;
@property(readonly, getter=isRemovable) BOOL removable;
@property(readonly) BOOL hasUnifiedMemory;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
@property(readonly) MTLDeviceLocation location;
@property(readonly) NSUInteger locationNumber;
@property(readonly) uint64_t maxTransferRate;
@property(readonly) MTLReadWriteTextureTier readWriteTextureSupport;
@property(readonly) MTLArgumentBuffersTier argumentBuffersSupport;
@property(readonly) BOOL supports32BitFloatFiltering;
@property(readonly) BOOL supports32BitMSAA;
@property(readonly) BOOL supportsQueryTextureLOD;
@property(readonly) BOOL supportsBCTextureCompression;
@property(readonly) BOOL supportsFunctionPointers;
@property(readonly) BOOL supportsDynamicLibraries;
@property(readonly) BOOL supportsRaytracing;
@property(readonly) uint64_t peerGroupID;
@property(readonly) uint32_t peerIndex;
@property(readonly) uint32_t peerCount;
@property(readonly) NSUInteger currentAllocatedSize;
@property(readonly) NSUInteger maxThreadgroupMemoryLength;
@property(readonly) NSUInteger maxArgumentBufferSamplerCount;
@property(readonly) NSUInteger maxBufferLength;
@property(readonly) NSUInteger maximumConcurrentCompilationTaskCount;
@property(nonatomic) BOOL shouldMaximizeConcurrentCompilation;
@property(readonly) NSArray<id<MTLCounterSet>> *counterSets;
- (BOOL)supportsFamily:(MTLGPUFamily)family;
- (BOOL)supportsFeatureSet:(MTLFeatureSet)featureSet;
- (BOOL)supportsTextureSampleCount:(NSUInteger)sampleCount;
- (BOOL)supportsCounterSampling:(MTLCounterSamplingPoint)point;

- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count;
- (id<MTLCommandQueue>)newCommandQueueWithDescriptor:(MTLCommandQueueDescriptor *)descriptor;

- (id<MTLHeap>)newHeapWithDescriptor:(MTLHeapDescriptor *)descriptor;
- (MTLSizeAndAlign)heapTextureSizeAndAlignWithDescriptor:(MTLTextureDescriptor *)descriptor;
- (MTLSizeAndAlign)heapBufferSizeAndAlignWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes
                             length:(NSUInteger)length
                            options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *pointer, NSUInteger length))deallocator;
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor;
- (id<MTL4CommandQueue>)newMTL4CommandQueue;
- (id<MTL4CommandQueue>)newMTL4CommandQueueWithDescriptor:(MTL4CommandQueueDescriptor *)descriptor
                                                    error:(NSError **)error;
- (id<MTL4CommandAllocator>)newCommandAllocator;
- (id<MTL4CommandAllocator>)newCommandAllocatorWithDescriptor:(MTL4CommandAllocatorDescriptor *)descriptor
                                                        error:(NSError **)error;
- (id<MTL4CommandBuffer>)newCommandBuffer;
- (id<MTL4ArgumentTable>)newArgumentTableWithDescriptor:(MTL4ArgumentTableDescriptor *)descriptor
                                                  error:(NSError **)error;
- (id<MTL4Compiler>)newCompilerWithDescriptor:(MTL4CompilerDescriptor *)descriptor error:(NSError **)error;
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor error:(NSError **)error;
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor
                             attachments:(MTLTensorBufferAttachments *)attachments
                                   error:(NSError **)error;
- (MTLSizeAndAlign)tensorSizeAndAlignWithDescriptor:(MTLTensorDescriptor *)descriptor;
- (id<MTLSamplerState>)newSamplerStateWithDescriptor:(MTLSamplerDescriptor *)descriptor;
- (NSUInteger)minimumLinearTextureAlignmentForPixelFormat:(MTLPixelFormat)format;
- (NSUInteger)minimumTextureBufferAlignmentForPixelFormat:(MTLPixelFormat)format;
- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor
                                               error:(NSError **)error;

- (id<MTLLibrary>)newDefaultLibrary;
- (id<MTLLibrary>)newDefaultLibraryWithBundle:(NSBundle *)bundle error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithFile:(NSString *)path error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithData:(dispatch_data_t)data error:(NSError **)error;
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError **)error;
- (void)newLibraryWithSource:(NSString *)source
                     options:(MTLCompileOptions *)options
           completionHandler:(MTLNewLibraryCompletionHandler)handler;
- (id<MTLDynamicLibrary>)newDynamicLibrary:(id<MTLLibrary>)library error:(NSError **)error;
- (id<MTLDynamicLibrary>)newDynamicLibraryWithURL:(NSURL *)url error:(NSError **)error;
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error;

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError **)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                           options:(MTLPipelineOption)options
                                                        reflection:(MTLComputePipelineReflection **)reflection
                                                             error:(NSError **)error;
- (id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:(MTLComputePipelineReflection **)reflection
                                    error:(NSError **)error;
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                          completionHandler:(MTLNewComputePipelineStateCompletionHandler)handler;
- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                    options:(MTLPipelineOption)options
                          completionHandler:
                              (MTLNewComputePipelineStateWithReflectionCompletionHandler)handler;
- (void)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                      options:(MTLPipelineOption)options
                            completionHandler:
                                (MTLNewComputePipelineStateWithReflectionCompletionHandler)handler;

- (id<MTLFence>)newFence;
- (id<MTLEvent>)newEvent;
- (id<MTLSharedEvent>)newSharedEvent;
- (id<MTLSharedEvent>)newSharedEventWithHandle:(MTLSharedEventHandle *)handle;
- (id<MTLArgumentEncoder>)newArgumentEncoderWithArguments:(NSArray<MTLArgumentDescriptor *> *)arguments;
- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferBinding:(id<MTLBufferBinding>)binding;
- (id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor *)descriptor error:(NSError **)error;
- (id<MTLCounterSampleBuffer>)newCounterSampleBufferWithDescriptor:
                                  (MTLCounterSampleBufferDescriptor *)descriptor
                                                             error:(NSError **)error;
- (void)sampleTimestamps:(MTLTimestamp *)cpuTimestamp gpuTimestamp:(MTLTimestamp *)gpuTimestamp;
@end
