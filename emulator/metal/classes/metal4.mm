// Metal 4: queues, command buffers, argument tables and the compiler, over the classes of Metal 3.
//
// Problem.  A command buffer of Metal 4 is made by the device and learns its queue when it is committed. It
//           may be encoded again. Kernels are bound to numbers.
// Choice.   A command buffer is a list of commands, each a function of a command buffer of Metal 3. A commit
//           makes one of those for the queue, hands it to each command, and commits it. An argument table
//           takes what has a number when the number is set (resource_finder.h). A dispatch takes what the
//           table has when it is encoded, as in Metal.
// Limit.    Commands of a queue run one after the other, so barriers and fences have nothing to do. Copies of
//           textures, acceleration structures, counters and machine learning are not declared.
#import "descriptors.h"
#import "objects.h"
#import "resource_finder.h"
#import "tensor.h"
#import "translate.h"

using namespace assay::metal;

typedef void (^Command)(AssayCommandBuffer *buffer);

// A buffer and an offset in it, or a tensor.
struct BoundBuffer {
  assay::Buffer buffer;
  size_t offset = 0;
  assay::Tensor tensor;
};

@interface AssayArgumentTable : AssayObject <MTL4ArgumentTable> {
@public
  std::map<uint32_t, BoundBuffer> _buffers;
  std::map<uint32_t, assay::Texture> _textures;
  std::map<uint32_t, assay::SamplerState> _samplers;
  NSUInteger _most[3]; // buffers, textures, samplers
}
@end

@interface AssayAllocator4 : AssayObject <MTL4CommandAllocator>
@end

@interface AssayCommandBuffer4 : AssayObject <MTL4CommandBuffer> {
@public
  NSMutableArray<Command> *_commands;
  NSMutableArray<id<MTLResidencySet>> *_residencySets;
  id<MTLLogState> _logState;
  BOOL _ended;
}
@end

@interface AssayEncoder4 : AssayObject <MTL4ComputeCommandEncoder> {
@public
  AssayCommandBuffer4 *_buffer;
  id<MTLComputePipelineState> _pipeline;
  AssayArgumentTable *_table;
  std::map<NSUInteger, NSUInteger> _threadgroupMemory;
}
@end

@interface AssayFeedback4 : NSObject <MTL4CommitFeedback> {
@public
  NSError *_error;
  CFTimeInterval _start, _end;
}
@end

@interface AssayQueue4 : AssayObject <MTL4CommandQueue> {
@public
  AssayQueue *_queue;
  dispatch_queue_t _feedbackQueue;
}
@end

@interface AssayCompiler4 : AssayObject <MTL4Compiler>
@end

// Argument tables.

@implementation MTL4ArgumentTableDescriptor
ASSAY_COPY(MTL4ArgumentTableDescriptor,
           ASSAY_MEMBER(maxBufferBindCount) ASSAY_MEMBER(maxTextureBindCount)
               ASSAY_MEMBER(maxSamplerStateBindCount) ASSAY_MEMBER(initializeBindings)
                   ASSAY_MEMBER(supportAttributeStrides) ASSAY_MEMBER(label))
@end

@implementation AssayArgumentTable
// Metal reports nothing: what is wrong with a binding is an error of the dispatch, and said here.
- (BOOL)has:(NSUInteger)index of:(int)kind called:(const char *)what {
  if (index < _most[kind])
    return YES;
  NSLog(@"%s index %lu of an argument table that has %lu", what, (unsigned long)index,
        (unsigned long)_most[kind]);
  return NO;
}
- (void)setAddress:(MTLGPUAddress)address atIndex:(NSUInteger)index {
  if (![self has:index of:0 called:"buffer"])
    return;
  if (!address) {
    _buffers[uint32_t(index)] = {};
    return;
  }
  if (const auto found = _device->_resources->bufferAt(address)) {
    _buffers[uint32_t(index)] = {found->first, found->second, {}};
    return;
  }
  _buffers.erase(uint32_t(index));
  NSLog(@"address %#llx at buffer index %lu is in no buffer", (unsigned long long)address,
        (unsigned long)index);
}
- (void)setAddress:(MTLGPUAddress)address attributeStride:(NSUInteger)stride atIndex:(NSUInteger)index {
  [self setAddress:address atIndex:index];
}
- (void)setResource:(MTLResourceID)resource atBufferIndex:(NSUInteger)index {
  if (![self has:index of:0 called:"buffer"])
    return;
  if (const auto found = _device->_resources->tensor(resource._impl)) {
    _buffers[uint32_t(index)] = {{}, 0, *found};
    return;
  }
  _buffers.erase(uint32_t(index));
  NSLog(@"the resource at buffer index %lu is not a tensor: no other is supported by Assay [unsupported]",
        (unsigned long)index);
}
- (void)setTexture:(MTLResourceID)texture atIndex:(NSUInteger)index {
  if (![self has:index of:1 called:"texture"])
    return;
  _textures[uint32_t(index)] = _device->_resources->texture(texture._impl).value_or(assay::Texture());
}
- (void)setSamplerState:(MTLResourceID)sampler atIndex:(NSUInteger)index {
  if (![self has:index of:2 called:"sampler"])
    return;
  _samplers[uint32_t(index)] = _device->_resources->sampler(sampler._impl).value_or(assay::SamplerState());
}
@end

// Command buffers.

@implementation MTL4CommandAllocatorDescriptor
ASSAY_COPY(MTL4CommandAllocatorDescriptor, ASSAY_MEMBER(label))
@end

@implementation AssayAllocator4
- (uint64_t)allocatedSize {
  return 0; // commands are objects
}
- (void)reset {
}
@end

@implementation MTL4CommandBufferOptions
ASSAY_COPY(MTL4CommandBufferOptions, ASSAY_MEMBER(logState))
@end

@implementation AssayCommandBuffer4
- (void)beginCommandBufferWithAllocator:(id<MTL4CommandAllocator>)allocator {
  [self beginCommandBufferWithAllocator:allocator options:nil];
}
- (void)beginCommandBufferWithAllocator:(id<MTL4CommandAllocator>)allocator
                                options:(MTL4CommandBufferOptions *)options {
  _commands = [NSMutableArray new];
  _residencySets = [NSMutableArray new];
  _logState = options.logState;
  _ended = NO;
}
- (void)endCommandBuffer {
  _ended = YES;
}
- (id<MTL4ComputeCommandEncoder>)computeCommandEncoder {
  if (!_commands || _ended) {
    NSLog(@"computeCommandEncoder of a command buffer before beginCommandBufferWithAllocator:");
    return nil;
  }
  AssayEncoder4 *encoder = [[AssayEncoder4 alloc] initWithDevice:_device];
  encoder->_buffer = self;
  return encoder;
}
- (void)useResidencySet:(id<MTLResidencySet>)set {
  if (set)
    [_residencySets addObject:set];
}
- (void)useResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self useResidencySet:sets[i]];
}
- (void)pushDebugGroup:(NSString *)text {
}
- (void)popDebugGroup {
}
@end

@implementation AssayEncoder4
- (id<MTL4CommandBuffer>)commandBuffer {
  return _buffer;
}
- (MTLStages)stages {
  return MTLStageDispatch | MTLStageBlit;
}
- (void)barrierAfterQueueStages:(MTLStages)after
                   beforeStages:(MTLStages)before
              visibilityOptions:(MTL4VisibilityOptions)options {
}
- (void)barrierAfterStages:(MTLStages)after
         beforeQueueStages:(MTLStages)before
         visibilityOptions:(MTL4VisibilityOptions)options {
}
- (void)barrierAfterEncoderStages:(MTLStages)after
              beforeEncoderStages:(MTLStages)before
                visibilityOptions:(MTL4VisibilityOptions)options {
}
- (void)updateFence:(id<MTLFence>)fence afterEncoderStages:(MTLStages)after {
}
- (void)waitForFence:(id<MTLFence>)fence beforeEncoderStages:(MTLStages)before {
}
- (void)insertDebugSignpost:(NSString *)text {
}
- (void)pushDebugGroup:(NSString *)text {
}
- (void)popDebugGroup {
}
- (void)endEncoding {
}
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  _pipeline = state;
}
- (void)setArgumentTable:(id<MTL4ArgumentTable>)table {
  _table = (AssayArgumentTable *)table;
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  _threadgroupMemory[index] = length;
}
- (void)dispatch:(void (^)(AssayComputeEncoder *encoder))dispatch {
  const id<MTLComputePipelineState> pipeline = _pipeline;
  const auto lengths = _threadgroupMemory;
  // The table as it is now.
  std::map<uint32_t, BoundBuffer> buffers;
  std::map<uint32_t, assay::Texture> textures;
  std::map<uint32_t, assay::SamplerState> samplers;
  if (_table) {
    buffers = _table->_buffers;
    textures = _table->_textures;
    samplers = _table->_samplers;
  }
  [_buffer->_commands addObject:^(AssayCommandBuffer *commands) {
    AssayComputeEncoder *encoder = (AssayComputeEncoder *)[commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline];
    for (const auto &[index, bound] : buffers)
      if (bound.tensor)
        encoder->_native.setTensor(bound.tensor, index);
      else
        encoder->_native.setBuffer(bound.buffer, bound.offset, index);
    for (const auto &[index, texture] : textures)
      encoder->_native.setTexture(texture, index);
    for (const auto &[index, sampler] : samplers)
      encoder->_native.setSamplerState(sampler, index);
    for (const auto &[index, length] : lengths)
      [encoder setThreadgroupMemoryLength:length atIndex:index];
    dispatch(encoder);
    [encoder endEncoding];
  }];
}
- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid
       threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  [self dispatch:^(AssayComputeEncoder *encoder) {
    [encoder dispatchThreadgroups:threadgroupsPerGrid threadsPerThreadgroup:threadsPerThreadgroup];
  }];
}
- (void)dispatchThreads:(MTLSize)threadsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  [self dispatch:^(AssayComputeEncoder *encoder) {
    [encoder dispatchThreads:threadsPerGrid threadsPerThreadgroup:threadsPerThreadgroup];
  }];
}
- (void)dispatchThreadgroupsWithIndirectBuffer:(MTLGPUAddress)indirectBuffer
                         threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  const auto found = _device->_resources->bufferAt(indirectBuffer);
  const assay::Buffer buffer = found ? found->first : assay::Buffer();
  const size_t offset = found ? found->second : 0;
  [self dispatch:^(AssayComputeEncoder *encoder) {
    [encoder dispatchFrom:buffer offset:offset threadsPerThreadgroup:threadsPerThreadgroup];
  }];
}
- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  [_buffer->_commands addObject:^(AssayCommandBuffer *commands) {
    const id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    [encoder copyFromBuffer:source
               sourceOffset:sourceOffset
                   toBuffer:destination
          destinationOffset:destinationOffset
                       size:size];
    [encoder endEncoding];
  }];
}
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  [_buffer->_commands addObject:^(AssayCommandBuffer *commands) {
    const id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    [encoder fillBuffer:buffer range:range value:value];
    [encoder endEncoding];
  }];
}
@end

// Queues.

@implementation MTL4CommandQueueDescriptor
ASSAY_COPY(MTL4CommandQueueDescriptor, ASSAY_MEMBER(label) ASSAY_MEMBER(feedbackQueue))
@end

@implementation MTL4CommitOptions {
@public
  std::vector<MTL4CommitFeedbackHandler> _handlers;
}
- (void)addFeedbackHandler:(MTL4CommitFeedbackHandler)handler {
  _handlers.push_back([handler copy]);
}
@end

@implementation AssayFeedback4
- (NSError *)error {
  return _error;
}
- (CFTimeInterval)GPUStartTime {
  return _start;
}
- (CFTimeInterval)GPUEndTime {
  return _end;
}
@end

@implementation AssayQueue4
- (void)commit:(const id<MTL4CommandBuffer> __unsafe_unretained[])buffers count:(NSUInteger)count {
  [self commit:buffers count:count options:nil];
}
- (void)commit:(const id<MTL4CommandBuffer> __unsafe_unretained[])buffers
         count:(NSUInteger)count
       options:(MTL4CommitOptions *)options {
  const std::vector<MTL4CommitFeedbackHandler> handlers =
      options ? options->_handlers : std::vector<MTL4CommitFeedbackHandler>();
  NSMutableArray<AssayCommandBuffer *> *all = [NSMutableArray new];
  for (NSUInteger i = 0; i < count; ++i) {
    AssayCommandBuffer4 *buffer = (AssayCommandBuffer4 *)buffers[i];
    AssayCommandBuffer *commands = [[AssayCommandBuffer alloc] initWithQueue:_queue
                                                                    retained:YES
                                                                    logState:buffer->_logState];
    commands.label = buffer.label;
    for (id<MTLResidencySet> set in buffer->_residencySets)
      [commands useResidencySet:set];
    for (Command command in buffer->_commands)
      command(commands);
    [all addObject:commands];
  }
  const dispatch_queue_t where = _feedbackQueue;
  if (!handlers.empty() && all.count)
    [all.lastObject addCompletedHandler:^(id<MTLCommandBuffer>) {
      AssayFeedback4 *feedback = [AssayFeedback4 new];
      feedback->_start = all.firstObject.GPUStartTime;
      feedback->_end = all.lastObject.GPUEndTime;
      for (AssayCommandBuffer *commands in all)
        if (!feedback->_error)
          feedback->_error = commands.error;
      for (const MTL4CommitFeedbackHandler &handler : handlers)
        if (where)
          dispatch_async(where, ^{
            handler(feedback);
          });
        else
          handler(feedback);
    }];
  for (AssayCommandBuffer *commands in all)
    [commands commit];
}
- (void)signalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  AssayCommandBuffer *commands = (AssayCommandBuffer *)[_queue commandBuffer];
  [commands encodeSignalEvent:event value:value];
  [commands commit];
}
- (void)waitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  AssayCommandBuffer *commands = (AssayCommandBuffer *)[_queue commandBuffer];
  [commands encodeWaitForEvent:event value:value];
  [commands commit];
}
- (void)addResidencySet:(id<MTLResidencySet>)set {
  [_queue addResidencySet:set];
}
- (void)addResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  [_queue addResidencySets:sets count:count];
}
- (void)removeResidencySet:(id<MTLResidencySet>)set {
  [_queue removeResidencySet:set];
}
- (void)removeResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  [_queue removeResidencySets:sets count:count];
}
@end

// The compiler.

@implementation MTL4FunctionDescriptor
- (id)copyWithZone:(NSZone *)zone {
  return [[[self class] alloc] init];
}
@end
@implementation MTL4LibraryFunctionDescriptor
ASSAY_COPY(MTL4LibraryFunctionDescriptor, ASSAY_MEMBER(name) ASSAY_MEMBER(library))
@end
@implementation MTL4SpecializedFunctionDescriptor
ASSAY_COPY(MTL4SpecializedFunctionDescriptor,
           ASSAY_MEMBER(functionDescriptor) ASSAY_MEMBER(specializedName) ASSAY_MEMBER(constantValues))
@end
@implementation MTL4LibraryDescriptor
ASSAY_COPY(MTL4LibraryDescriptor, ASSAY_MEMBER(source) ASSAY_MEMBER(options) ASSAY_MEMBER(name))
@end
@implementation MTL4PipelineDescriptor
ASSAY_COPY(MTL4PipelineDescriptor, ASSAY_MEMBER(label))
@end
@implementation MTL4ComputePipelineDescriptor
ASSAY_COPY(MTL4ComputePipelineDescriptor,
           ASSAY_MEMBER(label) ASSAY_MEMBER(computeFunctionDescriptor)
               ASSAY_MEMBER(threadGroupSizeIsMultipleOfThreadExecutionWidth)
                   ASSAY_MEMBER(maxTotalThreadsPerThreadgroup) ASSAY_MEMBER(requiredThreadsPerThreadgroup))
- (void)reset {
  self.label = nil;
  self.computeFunctionDescriptor = nil;
  self.threadGroupSizeIsMultipleOfThreadExecutionWidth = NO;
  self.maxTotalThreadsPerThreadgroup = 0;
  self.requiredThreadsPerThreadgroup = MTLSizeMake(0, 0, 0);
}
@end
@implementation MTL4CompilerTaskOptions
- (id)copyWithZone:(NSZone *)zone {
  return [[[self class] alloc] init];
}
@end
@implementation MTL4CompilerDescriptor
ASSAY_COPY(MTL4CompilerDescriptor, ASSAY_MEMBER(label))
@end

@implementation AssayCompiler4
- (id<MTLLibrary>)newLibraryWithDescriptor:(MTL4LibraryDescriptor *)descriptor error:(NSError **)error {
  const id<MTLLibrary> library = [_device newLibraryWithSource:descriptor.source
                                                       options:descriptor.options
                                                         error:error];
  library.label = descriptor.name;
  return library;
}
- (id<MTLFunction>)functionOf:(MTL4FunctionDescriptor *)descriptor error:(NSError **)error {
  MTLFunctionConstantValues *values = nil;
  if ([descriptor isKindOfClass:[MTL4SpecializedFunctionDescriptor class]]) {
    values =
        ((MTL4SpecializedFunctionDescriptor *)descriptor).constantValues ?: [MTLFunctionConstantValues new];
    descriptor = ((MTL4SpecializedFunctionDescriptor *)descriptor).functionDescriptor;
  }
  if (![descriptor isKindOfClass:[MTL4LibraryFunctionDescriptor class]]) {
    give(error, unsupported(@"a pipeline whose function is not described by MTL4LibraryFunctionDescriptor",
                            MTLLibraryErrorDomain, MTLLibraryErrorUnsupported));
    return nil;
  }
  MTL4LibraryFunctionDescriptor *named = (MTL4LibraryFunctionDescriptor *)descriptor;
  if (values)
    return [named.library newFunctionWithName:named.name constantValues:values error:error];
  const id<MTLFunction> function = [named.library newFunctionWithName:named.name];
  if (!function) {
    NSString *text = [NSString stringWithFormat:@"the library has no function '%@'", named.name];
    give(error, [NSError errorWithDomain:MTLLibraryErrorDomain
                                    code:MTLLibraryErrorFunctionNotFound
                                userInfo:@{NSLocalizedDescriptionKey : text}]);
  }
  return function;
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:
                                   (MTL4ComputePipelineDescriptor *)descriptor
                                                 compilerTaskOptions:(MTL4CompilerTaskOptions *)options
                                                               error:(NSError **)error {
  const id<MTLFunction> function = [self functionOf:descriptor.computeFunctionDescriptor error:error];
  if (!function)
    return nil;
  MTLComputePipelineDescriptor *older = [MTLComputePipelineDescriptor new];
  older.computeFunction = function;
  older.label = descriptor.label;
  older.maxTotalThreadsPerThreadgroup = descriptor.maxTotalThreadsPerThreadgroup;
  older.requiredThreadsPerThreadgroup = descriptor.requiredThreadsPerThreadgroup;
  return [_device newComputePipelineStateWithDescriptor:older
                                                options:MTLPipelineOptionNone
                                             reflection:nil
                                                  error:error];
}
@end

// What the device makes of them.

@implementation AssayMetal4
- (AssayDevice *)whole {
  return (AssayDevice *)self;
}
- (id<MTL4CommandQueue>)newMTL4CommandQueue {
  return [self newMTL4CommandQueueWithDescriptor:nil error:nil];
}
- (id<MTL4CommandQueue>)newMTL4CommandQueueWithDescriptor:(MTL4CommandQueueDescriptor *)descriptor
                                                    error:(NSError **)error {
  give(error, nil);
  AssayQueue4 *queue = [[AssayQueue4 alloc] initWithDevice:self.whole];
  queue->_queue = [[AssayQueue alloc] initWithDevice:self.whole logState:nil];
  queue->_feedbackQueue = descriptor.feedbackQueue;
  queue.label = descriptor.label;
  return queue;
}
- (id<MTL4CommandAllocator>)newCommandAllocator {
  return [[AssayAllocator4 alloc] initWithDevice:self.whole];
}
- (id<MTL4CommandAllocator>)newCommandAllocatorWithDescriptor:(MTL4CommandAllocatorDescriptor *)descriptor
                                                        error:(NSError **)error {
  give(error, nil);
  AssayAllocator4 *allocator = [[AssayAllocator4 alloc] initWithDevice:self.whole];
  allocator.label = descriptor.label;
  return allocator;
}
- (id<MTL4CommandBuffer>)newCommandBuffer {
  return [[AssayCommandBuffer4 alloc] initWithDevice:self.whole];
}
- (id<MTL4ArgumentTable>)newArgumentTableWithDescriptor:(MTL4ArgumentTableDescriptor *)descriptor
                                                  error:(NSError **)error {
  give(error, nil);
  AssayArgumentTable *table = [[AssayArgumentTable alloc] initWithDevice:self.whole];
  table.label = descriptor.label;
  table->_most[0] = std::min<NSUInteger>(descriptor.maxBufferBindCount, assay::kBufferSlots);
  table->_most[1] = std::min<NSUInteger>(descriptor.maxTextureBindCount, assay::kTextureSlots);
  table->_most[2] = std::min<NSUInteger>(descriptor.maxSamplerStateBindCount, assay::kSamplerSlots);
  return table;
}
- (id<MTL4Compiler>)newCompilerWithDescriptor:(MTL4CompilerDescriptor *)descriptor error:(NSError **)error {
  give(error, nil);
  AssayCompiler4 *compiler = [[AssayCompiler4 alloc] initWithDevice:self.whole];
  compiler.label = descriptor.label;
  return compiler;
}
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor error:(NSError **)error {
  return [AssayTensor tensorWithDevice:self.whole descriptor:descriptor attachments:nil error:error];
}
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor
                             attachments:(MTLTensorBufferAttachments *)attachments
                                   error:(NSError **)error {
  MTLTensorBufferAttachments *given = attachments ? attachments : [MTLTensorBufferAttachments new];
  return [AssayTensor tensorWithDevice:self.whole descriptor:descriptor attachments:given error:error];
}
- (MTLSizeAndAlign)tensorSizeAndAlignWithDescriptor:(MTLTensorDescriptor *)descriptor {
  const std::optional<assay::TensorElement> type = tensorElementOf(descriptor.dataType);
  const std::vector<int64_t> dimensions = valuesOf(descriptor.dimensions);
  std::vector<int64_t> strides = valuesOf(descriptor.strides);
  if (strides.empty() && type)
    strides = assay::packedStrides(dimensions, *type);
  NSUInteger elements = 1;
  for (size_t i = 0; i < std::min(dimensions.size(), strides.size()); ++i)
    elements += NSUInteger(std::max<int64_t>(dimensions[i], 1) - 1) * NSUInteger(strides[i]);
  return {type ? (elements * type->bits() + 7) / 8 : 0, 256};
}
@end
