// The classes that implement Metal's protocols. Each is a thin handle: the C++ host API (emulator/host) does
// the work, and the code here only gives it the form of Objective-C.
//
// Compiled with ARC. An object keeps the object that it was made from, as in Metal.
#pragma once

#import <Metal/Metal.h>

#include "host/assay.h"
#include "reflection_types.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

@class AssayDevice;

/// What all objects have: a device and a label.
@interface AssayObject : NSObject {
@public
  AssayDevice *_device;
}
- (instancetype)initWithDevice:(AssayDevice *)device;
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString *label;
@end

namespace assay::metal {
class ResourceFinder;
class HeapPart;
class HeapStretch;
struct DeviceIdentity;
/// Bytes that buffers, textures and heaps of the device hold.
using AllocatedBytes = std::atomic<uint64_t>;
} // namespace assay::metal

/// What a device makes since Metal 4.
@interface AssayMetal4 : NSObject
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
@end

@interface AssayDevice : AssayMetal4 <MTLDevice> {
@public
  assay::Device _native;
  const assay::metal::DeviceIdentity *_identity;
  std::shared_ptr<assay::metal::AllocatedBytes> _allocated;
  std::shared_ptr<assay::metal::ResourceFinder> _resources;
}
@property(nonatomic) BOOL shouldMaximizeConcurrentCompilation;
@end

/// A resource. The memory that it uses is counted while it lives.
@interface AssayResource : AssayObject <MTLResource> {
@public
  MTLResourceOptions _options;
  NSUInteger _allocatedSize, _heapOffset;
  id<MTLHeap> _heap;
  BOOL _aliasable;
  std::shared_ptr<assay::metal::HeapPart> _heapPart; // of _heap
}
- (instancetype)initWithDevice:(AssayDevice *)device
                       options:(MTLResourceOptions)options
                          size:(NSUInteger)size;
@end

@interface AssayBuffer : AssayResource <MTLBuffer> {
@public
  assay::Buffer _native;
}
- (instancetype)initWithDevice:(AssayDevice *)device
                        buffer:(assay::Buffer)buffer
                       options:(MTLResourceOptions)options;
@end

@interface AssayTexture : AssayResource <MTLTexture> {
@public
  assay::Texture _native;
  AssayTexture *_parent; // of a view
  NSUInteger _parentLevel, _parentSlice;
  AssayBuffer *_buffer; // whose bytes its texels are
  NSUInteger _bufferOffset, _bufferBytesPerRow;
}
- (instancetype)initWithDevice:(AssayDevice *)device
                       texture:(assay::Texture)texture
                       options:(MTLResourceOptions)options
                          size:(NSUInteger)size;
@end

@interface AssayTensor : AssayResource <MTLTensor> {
@public
  assay::Tensor _native;
  assay::Tensor _scales; // its plane of scales; none if it has none
  AssayBuffer *_buffer;  // whose bytes its elements are; nil if it has memory of its own
  AssayBuffer *_scalesBuffer;
  MTLTensorUsage _usage;
}
/// attachments   nil: a tensor with memory of its own
+ (instancetype)tensorWithDevice:(AssayDevice *)device
                      descriptor:(MTLTensorDescriptor *)descriptor
                     attachments:(MTLTensorBufferAttachments *)attachments
                           error:(NSError **)error;
@end

@interface AssaySampler : AssayObject <MTLSamplerState> {
@public
  assay::SamplerState _native;
  assay::SamplerDescriptor _descriptor;
}
@end

@interface AssayHeap : AssayObject <MTLHeap>
- (instancetype)initWithDevice:(AssayDevice *)device
                    descriptor:(MTLHeapDescriptor *)descriptor
                        memory:(assay::Buffer)memory
                       stretch:(const assay::metal::HeapStretch &)stretch;
- (assay::Buffer)memory;
@end

/// The sizes of threadgroups that MTLCompileOptions ask of every kernel of a library. Zeros: none.
struct CompiledLimits {
  NSUInteger maxTotalThreads = 0;
  MTLSize requiredThreads = {};
};

/// One compiled source, or the several sources of a .metallib.
@interface AssayLibrary : AssayObject <MTLLibrary> {
@public
  std::vector<assay::Library> _native;
  CompiledLimits _limits;
}
- (instancetype)initWithDevice:(AssayDevice *)device libraries:(std::vector<assay::Library>)libraries;
@end

@interface AssayFunction : AssayObject <MTLFunction> {
@public
  assay::Function _native;
  CompiledLimits _limits;
  BOOL _specialised; ///< it was made with a set of constant values, maybe an empty one
}
- (instancetype)initWithDevice:(AssayDevice *)device function:(assay::Function)function name:(NSString *)name;
- (BOOL)lacksConstants; ///< whether it was made without the constant values that it may read
@end

@interface AssayPipeline : AssayObject <MTLComputePipelineState> {
@public
  assay::ComputePipeline _native;
}
- (instancetype)initWithDevice:(AssayDevice *)device
                      pipeline:(assay::ComputePipeline)pipeline
                         label:(NSString *)label;
@end

@interface AssayFunctionHandle : AssayObject <MTLFunctionHandle> {
@public
  assay::FunctionHandle _native;
}
@end

@interface AssayVisibleFunctionTable : AssayResource <MTLVisibleFunctionTable> {
@public
  assay::VisibleFunctionTable _native;
}
- (instancetype)initWithDevice:(AssayDevice *)device table:(assay::VisibleFunctionTable)table;
@end

/// The options of dispatches that the environment sets, with the handlers of a log state if there is one.
assay::DispatchOptions dispatchOptions(id<MTLLogState> logState);

@interface AssayQueue : AssayObject <MTLCommandQueue> {
@public
  assay::CommandQueue _native;
  NSMutableArray<id<MTLResidencySet>> *_residencySets; // guarded by itself
}
- (instancetype)initWithDevice:(AssayDevice *)device logState:(id<MTLLogState>)logState;
@end

@interface AssayCommandBuffer : NSObject <MTLCommandBuffer> {
@public
  assay::CommandBuffer _native;
  AssayQueue *_queue;
  NSMutableArray<id<MTLResidencySet>> *_residencySets; // besides the queue's
  std::vector<MTLCommandBufferHandler> _scheduledHandlers, _completedHandlers;
  BOOL _retained, _committed;
  std::atomic<bool> _errorWasRead;
}
- (instancetype)initWithQueue:(AssayQueue *)queue retained:(BOOL)retained logState:(id<MTLLogState>)logState;
@property(copy, atomic) NSString *label;
@end

@interface AssayEncoder : AssayObject {
@public
  AssayCommandBuffer *_buffer;
}
- (instancetype)initWithCommandBuffer:(AssayCommandBuffer *)buffer;
- (void)insertDebugSignpost:(NSString *)text;
- (void)pushDebugGroup:(NSString *)text;
- (void)popDebugGroup;
- (void)barrierAfterQueueStages:(MTLStages)after beforeStages:(MTLStages)before;
- (void)updateFence:(id<MTLFence>)fence;
- (void)waitForFence:(id<MTLFence>)fence;
@end

/// Ends the process with a message that names the request, because a host that went on without it would
/// compute something else.
[[noreturn]] void assayUnsupported(NSString *what);

@interface AssayComputeEncoder : AssayEncoder <MTLComputeCommandEncoder> {
@public
  assay::ComputeCommandEncoder _native;
  MTLDispatchType _type;
  std::array<assay::Buffer, 31> _bound; // for setBufferOffset
  BOOL _hasArgumentBuffers;             // the pipeline's kernel
}
- (instancetype)initWithCommandBuffer:(AssayCommandBuffer *)buffer type:(MTLDispatchType)type;
/// With threadgroups whose number is in the buffer when the dispatch runs.
- (void)dispatchFrom:(const assay::Buffer &)buffer
                   offset:(NSUInteger)offset
    threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup;
@end

@interface AssayBlitEncoder : AssayEncoder <MTLBlitCommandEncoder> {
@public
  assay::BlitCommandEncoder _native;
}
@end

@interface AssayEvent : AssayObject <MTLSharedEvent> {
@public
  assay::SharedEvent _native;
}
- (instancetype)initWithDevice:(AssayDevice *)device event:(assay::SharedEvent)event;
@end

@interface AssayFence : AssayObject <MTLFence>
@end

@interface AssayResidencySet : AssayObject <MTLResidencySet>
- (instancetype)initWithDevice:(AssayDevice *)device descriptor:(MTLResidencySetDescriptor *)descriptor;
@end

@interface AssayLogState : NSObject <MTLLogState> {
@public
  assay::LogState _native;
}
@end

@interface AssayArgumentEncoder : AssayObject <MTLArgumentEncoder>
- (instancetype)initWithDevice:(AssayDevice *)device argument:(const assay::ArgumentInfo &)argument;
- (instancetype)initWithDevice:(AssayDevice *)device
                   descriptors:(NSArray<MTLArgumentDescriptor *> *)descriptors;
@end

/// The bindings of a kernel, for reflection.
@interface AssayBinding
    : NSObject <MTLBufferBinding, MTLThreadgroupBinding, MTLTextureBinding, MTLTensorBinding> {
@public
  assay::ArgumentInfo _argument;
  assay::metal::Structs _structs;
  BOOL _used;
}
- (instancetype)initWithArgument:(const assay::ArgumentInfo &)argument
                         structs:(const assay::metal::Structs &)structs
                            used:(BOOL)used;
@end

@interface MTLComputePipelineReflection ()
- (instancetype)initWithPipeline:(const assay::ComputePipeline &)pipeline;
@end

@interface MTLFunctionReflection ()
- (instancetype)initWithKernel:(const assay::KernelInfo &)kernel
                       structs:(const std::vector<assay::StructInfo> &)structs;
@end

@interface MTLFunctionConstant ()
- (instancetype)initWithConstant:(const assay::FunctionConstantInfo &)constant;
@end

@interface MTLFunctionConstantValues () {
@public
  assay::FunctionConstantValues _native;
}
@end
