// Command buffers and encoders: what a host records for a kernel, and commits.
#import "objects.h"
#import "settings.h"
#import "stage_input.h"
#import "translate.h"

using namespace assay::metal;

NSErrorDomain const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";
NSErrorUserInfoKey const MTLCommandBufferEncoderInfoErrorKey = @"MTLCommandBufferEncoderInfoErrorKey";

@implementation AssayCommandBuffer
- (instancetype)initWithQueue:(AssayQueue *)queue retained:(BOOL)retained logState:(id<MTLLogState>)logState {
  if ((self = [super init])) {
    _queue = queue;
    _retained = retained;
    _native = queue->_native.commandBuffer();
    if (logState)
      _native.setOptions(dispatchOptions(logState));
  }
  return self;
}
- (id<MTLDevice>)device {
  return _queue.device;
}
- (id<MTLCommandQueue>)commandQueue {
  return _queue;
}
- (BOOL)retainedReferences {
  return _retained;
}
- (MTLCommandBufferErrorOption)errorOptions {
  return MTLCommandBufferErrorOptionNone;
}
- (CFTimeInterval)kernelStartTime {
  return _native.kernelStartTime();
}
- (CFTimeInterval)kernelEndTime {
  return _native.kernelEndTime();
}
- (CFTimeInterval)GPUStartTime {
  return _native.gpuStartTime();
}
- (CFTimeInterval)GPUEndTime {
  return _native.gpuEndTime();
}
- (MTLCommandBufferStatus)status {
  return MTLCommandBufferStatus(_native.status());
}
- (NSError *)error {
  const std::optional<assay::Error> error = _native.error();
  if (!error)
    return nil;
  _errorWasRead = YES;
  const struct {
    assay::Rule rule;
    MTLCommandBufferError code;
  } codes[] = {{"out-of-bounds", MTLCommandBufferErrorPageFault},
               {"no-progress", MTLCommandBufferErrorTimeout},
               {"stack-overflow", MTLCommandBufferErrorStackOverflow},
               {"out-of-memory", MTLCommandBufferErrorOutOfMemory}};
  MTLCommandBufferError code = error->kind == assay::ErrorKind::Usage ? MTLCommandBufferErrorInvalidResource
                                                                      : MTLCommandBufferErrorInternal;
  for (const auto &[rule, of] : codes)
    if (error->is(rule))
      code = of;
  return errorOf(*error, MTLCommandBufferErrorDomain, code);
}
- (void)enqueue {
  _native.enqueue();
}
- (void)commit {
  // Handlers are given this object, which lives until the last of them has returned.
  if (!_committed) {
    _committed = YES;
    _native.setLabel(toText(self.label));
    [self hand:_scheduledHandlers completed:NO];
    [self hand:_completedHandlers completed:YES];
    (void)_native.addCompletedHandler([self](const assay::CommandBuffer &) { [self logUnreadError]; });
    _scheduledHandlers.clear();
    _completedHandlers.clear();
  }
  if (const assay::Result<void> done = _native.commit(); !done)
    NSLog(@"%@", fromText(renderDiagnostics(done.error().diagnostics)));
}
// Many hosts wait for a command buffer and read its results without a look at its error. macOS logs each
// error. Here, one that the host's own handlers have read is not repeated.
- (void)logUnreadError {
  if (const std::optional<assay::Error> error = _native.error(); error && !_errorWasRead)
    NSLog(@"a command buffer ended with an error: %@", fromText(renderDiagnostics(error->diagnostics)));
}
- (void)hand:(const std::vector<MTLCommandBufferHandler> &)handlers completed:(BOOL)completed {
  for (MTLCommandBufferHandler handler : handlers) {
    const auto call = [self, handler](const assay::CommandBuffer &) {
      @autoreleasepool {
        handler(self);
      }
    };
    (void)(completed ? _native.addCompletedHandler(call) : _native.addScheduledHandler(call));
  }
}
- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
  _scheduledHandlers.push_back([block copy]);
}
- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  if (_committed)
    NSLog(@"addCompletedHandler: after commit: the handler will not be called");
  else
    _completedHandlers.push_back([block copy]);
}
- (void)waitUntilScheduled {
  _native.waitUntilScheduled();
}
- (void)waitUntilCompleted {
  _native.waitUntilCompleted();
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  AssayBlitEncoder *encoder = [[AssayBlitEncoder alloc] initWithCommandBuffer:self];
  encoder->_native = _native.blitCommandEncoder();
  return encoder;
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoderWithDescriptor:(MTLBlitPassDescriptor *)descriptor {
  return [self blitCommandEncoder];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return [self computeCommandEncoderWithDispatchType:MTLDispatchTypeSerial];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDescriptor:(MTLComputePassDescriptor *)descriptor {
  return [self computeCommandEncoderWithDispatchType:descriptor.dispatchType];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type {
  return [[AssayComputeEncoder alloc] initWithCommandBuffer:self type:type];
}
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  if (event)
    _native.encodeWaitForEvent(((AssayEvent *)event)->_native, value);
}
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  if (event)
    _native.encodeSignalEvent(((AssayEvent *)event)->_native, value);
}
- (void)pushDebugGroup:(NSString *)text {
}
- (void)popDebugGroup {
}
- (void)useResidencySet:(id<MTLResidencySet>)set {
  if (!_residencySets)
    _residencySets = [NSMutableArray new];
  if (set)
    [_residencySets addObject:set];
}
- (void)useResidencySets:(const id<MTLResidencySet> __unsafe_unretained[])sets count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self useResidencySet:sets[i]];
}
@end

@implementation AssayEncoder
- (instancetype)initWithCommandBuffer:(AssayCommandBuffer *)buffer {
  if ((self = [super initWithDevice:(AssayDevice *)buffer.device]))
    _buffer = buffer;
  return self;
}
- (void)insertDebugSignpost:(NSString *)text {
}
- (void)pushDebugGroup:(NSString *)text {
}
- (void)popDebugGroup {
}
// The commands of a queue run one after the other, so every order that a barrier or fence could ask for
// holds.
- (void)barrierAfterQueueStages:(MTLStages)after beforeStages:(MTLStages)before {
}
- (void)updateFence:(id<MTLFence>)fence {
}
- (void)waitForFence:(id<MTLFence>)fence {
}
@end

// What an open encoder refuses is the error of its command buffer. If the encoder has ended, nobody would see
// it.
template <class T> static void sayIfClosed(const assay::Result<T> &result) {
  if (!result && result.error().is("closed-encoder"))
    NSLog(@"%@", fromText(renderDiagnostics(result.error().diagnostics)));
}

static assay::Buffer nativeOf(id<MTLBuffer> buffer) {
  return buffer ? ((AssayBuffer *)buffer)->_native : assay::Buffer();
}
static assay::Texture nativeOf(id<MTLTexture> texture) {
  return texture ? ((AssayTexture *)texture)->_native : assay::Texture();
}

@implementation AssayComputeEncoder
- (instancetype)initWithCommandBuffer:(AssayCommandBuffer *)buffer type:(MTLDispatchType)type {
  if ((self = [super initWithCommandBuffer:buffer])) {
    _type = type;
    _native = buffer->_native.computeCommandEncoder();
  }
  return self;
}
- (MTLDispatchType)dispatchType {
  return _type;
}
- (void)endEncoding {
  _native.endEncoding();
  _bound = {}; // a pool may keep the encoder for long
}
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  if (!state)
    return;
  const assay::ComputePipeline &pipeline = ((AssayPipeline *)state)->_native;
  _native.setComputePipelineState(pipeline);
  const std::vector<assay::ArgumentInfo> &arguments = pipeline.activeArguments();
  _hasArgumentBuffers =
      std::any_of(arguments.begin(), arguments.end(),
                  [](const assay::ArgumentInfo &argument) { return !argument.members.empty(); });
}
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  if (index < _bound.size())
    _bound[index] = {};
  _native.setBytes(bytes, length, uint32_t(index));
}
- (void)setBytes:(const void *)bytes
             length:(NSUInteger)length
    attributeStride:(NSUInteger)stride
            atIndex:(NSUInteger)index {
  [self setBytes:bytes length:length atIndex:index];
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  const assay::Buffer native = nativeOf(buffer);
  if (index < _bound.size())
    _bound[index] = native;
  _native.setBuffer(native, offset, uint32_t(index));
}
- (void)setBuffer:(id<MTLBuffer>)buffer
             offset:(NSUInteger)offset
    attributeStride:(NSUInteger)stride
            atIndex:(NSUInteger)index {
  [self setBuffer:buffer offset:offset atIndex:index];
}
- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (index < _bound.size() && _bound[index].contents()) // of nothing, an offset must not become null
    _native.setBuffer(_bound[index], offset, uint32_t(index));
}
- (void)setBuffers:(const id<MTLBuffer> __unsafe_unretained[])buffers
           offsets:(const NSUInteger[])offsets
         withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setBuffer:buffers[i] offset:offsets[i] atIndex:range.location + i];
}
- (void)setVisibleFunctionTable:(id<MTLVisibleFunctionTable>)table atBufferIndex:(NSUInteger)index {
  if (index < _bound.size())
    _bound[index] = {};
  _native.setVisibleFunctionTable(
      table ? ((AssayVisibleFunctionTable *)table)->_native : assay::VisibleFunctionTable(), uint32_t(index));
}
- (void)setVisibleFunctionTables:(const id<MTLVisibleFunctionTable> __unsafe_unretained[])tables
                 withBufferRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setVisibleFunctionTable:tables[i] atBufferIndex:range.location + i];
}
- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index {
  _native.setTexture(nativeOf(texture), uint32_t(index));
}
- (void)setTextures:(const id<MTLTexture> __unsafe_unretained[])textures withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setTexture:textures[i] atIndex:range.location + i];
}
- (void)setSamplerState:(id<MTLSamplerState>)sampler atIndex:(NSUInteger)index {
  _native.setSamplerState(sampler ? ((AssaySampler *)sampler)->_native : assay::SamplerState(),
                          uint32_t(index));
}
- (void)setSamplerStates:(const id<MTLSamplerState> __unsafe_unretained[])samplers withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setSamplerState:samplers[i] atIndex:range.location + i];
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  // Metal asks for a multiple of 16. Without its validation layer it takes any length, and hosts rely on that
  // (ggml's sums ask for four bytes a simdgroup).
  length += length ? assay::metal::settings().threadgroupSlack : 0;
  const NSUInteger over = length % assay::kThreadgroupMemoryAlignment;
  _native.setThreadgroupMemoryLength(over ? length - over + assay::kThreadgroupMemoryAlignment : length,
                                     uint32_t(index));
}
// An empty grid runs nothing: Metal accepts it without its validation layer, and hosts of tensors rely on
// that.
static bool isEmpty(MTLSize grid) {
  return !grid.width || !grid.height || !grid.depth;
}
// What the queue's and the command buffer's residency sets hold is known to a kernel that finds addresses and
// numbers in argument buffers. For all others that would be time lost at each dispatch: sets can be large.
- (void)useResidentMemory {
  if (!_hasArgumentBuffers)
    return;
  NSMutableArray<id<MTLResidencySet>> *sets = [NSMutableArray new];
  @synchronized(_buffer->_queue->_residencySets) {
    [sets addObjectsFromArray:_buffer->_queue->_residencySets];
  }
  if (_buffer->_residencySets)
    [sets addObjectsFromArray:_buffer->_residencySets];
  for (id<MTLResidencySet> set in sets)
    for (id<MTLAllocation> allocation in set.allAllocations) {
      if ([(NSObject *)allocation isKindOfClass:[AssayHeap class]])
        [self useHeap:(id<MTLHeap>)allocation];
      else
        [self useResource:(id<MTLResource>)allocation usage:MTLResourceUsageRead];
    }
}
- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid
       threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  if (isEmpty(threadgroupsPerGrid))
    return;
  [self useResidentMemory];
  sayIfClosed(_native.dispatchThreadgroups(sizeOf(threadgroupsPerGrid), sizeOf(threadsPerThreadgroup)));
}
- (void)dispatchThreadgroupsWithIndirectBuffer:(id<MTLBuffer>)buffer
                          indirectBufferOffset:(NSUInteger)offset
                         threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  [self dispatchFrom:nativeOf(buffer) offset:offset threadsPerThreadgroup:threadsPerThreadgroup];
}
- (void)dispatchFrom:(const assay::Buffer &)buffer
                   offset:(NSUInteger)offset
    threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  [self useResidentMemory];
  sayIfClosed(_native.dispatchThreadgroups(buffer, offset, sizeOf(threadsPerThreadgroup)));
}
- (void)dispatchThreads:(MTLSize)threadsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  if (isEmpty(threadsPerGrid))
    return;
  [self useResidentMemory];
  sayIfClosed(_native.dispatchThreads(sizeOf(threadsPerGrid), sizeOf(threadsPerThreadgroup)));
}
- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  if ([(NSObject *)resource isKindOfClass:[AssayBuffer class]])
    _native.useResource(((AssayBuffer *)resource)->_native, assay::ResourceUsage::ReadWrite);
  else if ([(NSObject *)resource isKindOfClass:[AssayTexture class]])
    _native.useResource(((AssayTexture *)resource)->_native, assay::ResourceUsage::ReadWrite);
  else if ([(NSObject *)resource isKindOfClass:[AssayTensor class]])
    _native.useResource(((AssayTensor *)resource)->_native, assay::ResourceUsage::ReadWrite);
  else if ([(NSObject *)resource isKindOfClass:[AssayVisibleFunctionTable class]])
    _native.useResource(((AssayVisibleFunctionTable *)resource)->_native, assay::ResourceUsage::ReadWrite);
}
- (void)useResources:(const id<MTLResource> __unsafe_unretained[])resources
               count:(NSUInteger)count
               usage:(MTLResourceUsage)usage {
  for (NSUInteger i = 0; i < count; ++i)
    [self useResource:resources[i] usage:usage];
}
- (void)useHeap:(id<MTLHeap>)heap {
  if (heap)
    _native.useResource([(AssayHeap *)heap memory], assay::ResourceUsage::ReadWrite);
}
- (void)useHeaps:(const id<MTLHeap> __unsafe_unretained[])heaps count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self useHeap:heaps[i]];
}
- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
}
- (void)memoryBarrierWithResources:(const id<MTLResource> __unsafe_unretained[])resources
                             count:(NSUInteger)count {
}
// A sampler's own limits are part of its bits, so another sampler is made of it.
- (void)setSamplerState:(id<MTLSamplerState>)sampler
            lodMinClamp:(float)lodMinClamp
            lodMaxClamp:(float)lodMaxClamp
                atIndex:(NSUInteger)index {
  AssaySampler *own = (AssaySampler *)sampler;
  if (!own)
    return [self setSamplerState:nil atIndex:index];
  assay::SamplerDescriptor descriptor = own->_descriptor;
  descriptor.lodMinClamp = lodMinClamp;
  descriptor.lodMaxClamp = lodMaxClamp;
  const assay::Result<assay::SamplerState> clamped =
      ((AssayDevice *)self.device)->_native.newSamplerState(descriptor);
  if (clamped)
    _native.setSamplerState(*clamped, uint32_t(index));
  else
    NSLog(@"%@", fromText(renderDiagnostics(clamped.error().diagnostics)));
}
- (void)setSamplerStates:(const id<MTLSamplerState> __unsafe_unretained[])samplers
            lodMinClamps:(const float[])lodMinClamps
            lodMaxClamps:(const float[])lodMaxClamps
               withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setSamplerState:samplers[i]
              lodMinClamp:lodMinClamps[i]
              lodMaxClamp:lodMaxClamps[i]
                  atIndex:range.location + i];
}
- (void)setImageblockWidth:(NSUInteger)width height:(NSUInteger)height {
  assayUnsupported(@"an imageblock");
}
- (void)setStageInRegion:(MTLRegion)region {
  _native.setStageInRegion(stageInRegionOf(region));
}
- (void)setStageInRegionWithIndirectBuffer:(id<MTLBuffer>)buffer indirectBufferOffset:(NSUInteger)offset {
  _native.setStageInRegion(nativeOf(buffer), offset);
}
- (void)sampleCountersInBuffer:(id<MTLCounterSampleBuffer>)buffer
                 atSampleIndex:(NSUInteger)index
                   withBarrier:(BOOL)barrier {
  assayUnsupported(@"sampling counters");
}
@end

void assayUnsupported(NSString *what) {
  fprintf(stderr, "error: %s is not supported by Assay [unsupported]\n", what.UTF8String);
  abort();
}

// Also for the methods that a blit encoder has from AssayEncoder.
@implementation AssayBlitEncoder
- (void)endEncoding {
  _native.endEncoding();
}
- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  sayIfClosed(
      _native.copyFromBuffer(nativeOf(source), sourceOffset, nativeOf(destination), destinationOffset, size));
}
- (void)copyFromBuffer:(id<MTLBuffer>)source
           sourceOffset:(NSUInteger)sourceOffset
      sourceBytesPerRow:(NSUInteger)sourceBytesPerRow
    sourceBytesPerImage:(NSUInteger)sourceBytesPerImage
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destination
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin {
  sayIfClosed(_native.copyFromBuffer(nativeOf(source), sourceOffset, sourceBytesPerRow, sourceBytesPerImage,
                                     {originOf(destinationOrigin), sizeOf(sourceSize)}, nativeOf(destination),
                                     destinationSlice, destinationLevel));
}
- (void)copyFromTexture:(id<MTLTexture>)source
                 sourceSlice:(NSUInteger)sourceSlice
                 sourceLevel:(NSUInteger)sourceLevel
                sourceOrigin:(MTLOrigin)sourceOrigin
                  sourceSize:(MTLSize)sourceSize
                    toBuffer:(id<MTLBuffer>)destination
           destinationOffset:(NSUInteger)destinationOffset
      destinationBytesPerRow:(NSUInteger)destinationBytesPerRow
    destinationBytesPerImage:(NSUInteger)destinationBytesPerImage {
  sayIfClosed(_native.copyFromTexture(nativeOf(source), sourceSlice, sourceLevel,
                                      {originOf(sourceOrigin), sizeOf(sourceSize)}, nativeOf(destination),
                                      destinationOffset, destinationBytesPerRow, destinationBytesPerImage));
}
- (void)copyFromTensor:(id<MTLTensor>)source
             sourceOrigin:(MTLTensorExtents *)sourceOrigin
         sourceDimensions:(MTLTensorExtents *)sourceDimensions
                 toTensor:(id<MTLTensor>)destination
        destinationOrigin:(MTLTensorExtents *)destinationOrigin
    destinationDimensions:(MTLTensorExtents *)destinationDimensions {
  assayUnsupported(@"copyFromTensor of a command encoder");
}
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  sayIfClosed(_native.fillBuffer(nativeOf(buffer), {range.location, range.length}, value));
}
- (void)copyFromTexture:(id<MTLTexture>)source
            sourceSlice:(NSUInteger)sourceSlice
            sourceLevel:(NSUInteger)sourceLevel
           sourceOrigin:(MTLOrigin)sourceOrigin
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destination
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin {
  // Through a buffer, in two commands.
  const assay::PixelFormatInfo *format = assay::pixelFormatInfo(assay::PixelFormat(source.pixelFormat));
  const NSUInteger row = sourceSize.width * (format ? format->bytes : 0), image = row * sourceSize.height;
  const NSUInteger bytes = image * sourceSize.depth;
  if (!bytes)
    return;
  const assay::Buffer between = ((AssayDevice *)self.device)->_native.newBuffer(bytes);
  sayIfClosed(_native.copyFromTexture(nativeOf(source), sourceSlice, sourceLevel,
                                      {originOf(sourceOrigin), sizeOf(sourceSize)}, between, 0, row, image));
  sayIfClosed(_native.copyFromBuffer(between, 0, row, image,
                                     {originOf(destinationOrigin), sizeOf(sourceSize)}, nativeOf(destination),
                                     destinationSlice, destinationLevel));
}
- (void)copyFromTexture:(id<MTLTexture>)source toTexture:(id<MTLTexture>)destination {
  const NSUInteger slices =
      source.arrayLength *
      (source.textureType == MTLTextureTypeCube || source.textureType == MTLTextureTypeCubeArray ? 6 : 1);
  [self copyFromTexture:source
            sourceSlice:0
            sourceLevel:0
              toTexture:destination
       destinationSlice:0
       destinationLevel:0
             sliceCount:slices
             levelCount:source.mipmapLevelCount];
}
- (void)copyFromTexture:(id<MTLTexture>)source
            sourceSlice:(NSUInteger)sourceSlice
            sourceLevel:(NSUInteger)sourceLevel
              toTexture:(id<MTLTexture>)destination
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
             sliceCount:(NSUInteger)sliceCount
             levelCount:(NSUInteger)levelCount {
  for (NSUInteger level = 0; level < levelCount; ++level)
    for (NSUInteger slice = 0; slice < sliceCount; ++slice)
      [self copyFromTexture:source
                sourceSlice:sourceSlice + slice
                sourceLevel:sourceLevel + level
               sourceOrigin:MTLOriginMake(0, 0, 0)
                 sourceSize:MTLSizeMake(std::max<NSUInteger>(1, source.width >> (sourceLevel + level)),
                                        std::max<NSUInteger>(1, source.height >> (sourceLevel + level)),
                                        std::max<NSUInteger>(1, source.depth >> (sourceLevel + level)))
                  toTexture:destination
           destinationSlice:destinationSlice + slice
           destinationLevel:destinationLevel + level
          destinationOrigin:MTLOriginMake(0, 0, 0)];
}
// The options are for formats with depth and stencil, and for PVRTC: kernels have none of them.
- (void)copyFromBuffer:(id<MTLBuffer>)source
           sourceOffset:(NSUInteger)sourceOffset
      sourceBytesPerRow:(NSUInteger)sourceBytesPerRow
    sourceBytesPerImage:(NSUInteger)sourceBytesPerImage
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destination
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin
                options:(MTLBlitOption)options {
  if (options != MTLBlitOptionNone)
    assayUnsupported(@"MTLBlitOption other than none");
  [self copyFromBuffer:source
             sourceOffset:sourceOffset
        sourceBytesPerRow:sourceBytesPerRow
      sourceBytesPerImage:sourceBytesPerImage
               sourceSize:sourceSize
                toTexture:destination
         destinationSlice:destinationSlice
         destinationLevel:destinationLevel
        destinationOrigin:destinationOrigin];
}
- (void)copyFromTexture:(id<MTLTexture>)source
                 sourceSlice:(NSUInteger)sourceSlice
                 sourceLevel:(NSUInteger)sourceLevel
                sourceOrigin:(MTLOrigin)sourceOrigin
                  sourceSize:(MTLSize)sourceSize
                    toBuffer:(id<MTLBuffer>)destination
           destinationOffset:(NSUInteger)destinationOffset
      destinationBytesPerRow:(NSUInteger)destinationBytesPerRow
    destinationBytesPerImage:(NSUInteger)destinationBytesPerImage
                     options:(MTLBlitOption)options {
  if (options != MTLBlitOptionNone)
    assayUnsupported(@"MTLBlitOption other than none");
  [self copyFromTexture:source
                   sourceSlice:sourceSlice
                   sourceLevel:sourceLevel
                  sourceOrigin:sourceOrigin
                    sourceSize:sourceSize
                      toBuffer:destination
             destinationOffset:destinationOffset
        destinationBytesPerRow:destinationBytesPerRow
      destinationBytesPerImage:destinationBytesPerImage];
}
- (void)generateMipmapsForTexture:(id<MTLTexture>)texture {
  sayIfClosed(_native.generateMipmaps(nativeOf(texture)));
}
- (void)sampleCountersInBuffer:(id<MTLCounterSampleBuffer>)buffer
                 atSampleIndex:(NSUInteger)index
                   withBarrier:(BOOL)barrier {
  assayUnsupported(@"sampling counters");
}
- (void)resolveCounters:(id<MTLCounterSampleBuffer>)samples
                inRange:(NSRange)range
      destinationBuffer:(id<MTLBuffer>)destination
      destinationOffset:(NSUInteger)offset {
  assayUnsupported(@"sampling counters");
}
- (void)synchronizeResource:(id<MTLResource>)resource {
}
- (void)synchronizeTexture:(id<MTLTexture>)texture slice:(NSUInteger)slice level:(NSUInteger)level {
}
- (void)optimizeContentsForGPUAccess:(id<MTLTexture>)texture {
}
- (void)optimizeContentsForCPUAccess:(id<MTLTexture>)texture {
}
- (void)optimizeContentsForGPUAccess:(id<MTLTexture>)texture slice:(NSUInteger)slice level:(NSUInteger)level {
}
- (void)optimizeContentsForCPUAccess:(id<MTLTexture>)texture slice:(NSUInteger)slice level:(NSUInteger)level {
}
@end
