// Buffers, textures, samplers, heaps and residency sets.
#import "objects.h"
#import "translate.h"

using namespace assay::metal;

static MTLResourceOptions optionsOf(MTLStorageMode storage, MTLCPUCacheMode cache, MTLHazardTrackingMode hazard) {
  return MTLResourceOptions(cache << MTLResourceCPUCacheModeShift | storage << MTLResourceStorageModeShift |
                            hazard << MTLResourceHazardTrackingModeShift);
}

@implementation AssayResource
- (instancetype)initWithDevice:(AssayDevice *)device options:(MTLResourceOptions)options size:(NSUInteger)size {
  if ((self = [super initWithDevice:device])) {
    _options = options;
    _allocatedSize = size;
    *device->_allocated += size;
  }
  return self;
}
- (void)dealloc {
  *_device->_allocated -= _allocatedSize;
}
- (NSUInteger)allocatedSize {
  return _allocatedSize;
}
- (MTLCPUCacheMode)cpuCacheMode {
  return MTLCPUCacheMode((_options & MTLResourceCPUCacheModeMask) >> MTLResourceCPUCacheModeShift);
}
- (MTLStorageMode)storageMode {
  return MTLStorageMode((_options & MTLResourceStorageModeMask) >> MTLResourceStorageModeShift);
}
- (MTLHazardTrackingMode)hazardTrackingMode {
  const auto mode = MTLHazardTrackingMode((_options & MTLResourceHazardTrackingModeMask) >>
                                          MTLResourceHazardTrackingModeShift);
  return mode == MTLHazardTrackingModeDefault ? MTLHazardTrackingModeTracked : mode;
}
- (MTLResourceOptions)resourceOptions {
  return _options;
}
- (id<MTLHeap>)heap {
  return _heap;
}
- (NSUInteger)heapOffset {
  return _heapOffset;
}
// Nothing is ever purged here.
- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  return MTLPurgeableStateNonVolatile;
}
- (void)makeAliasable {
  _aliasable = YES;
}
- (BOOL)isAliasable {
  return _aliasable;
}
- (kern_return_t)setOwnerWithIdentity:(task_id_token_t)identity {
  return KERN_SUCCESS;
}
@end

@implementation AssayBuffer
- (instancetype)initWithDevice:(AssayDevice *)device buffer:(assay::Buffer)buffer options:(MTLResourceOptions)options {
  if ((self = [super initWithDevice:device options:options size:buffer.length()]))
    _native = std::move(buffer);
  return self;
}
- (NSUInteger)length {
  return _native.length();
}
- (void *)contents {
  return self.storageMode == MTLStorageModePrivate ? nullptr : _native.contents();
}
- (void)didModifyRange:(NSRange)range {
}
- (uint64_t)gpuAddress {
  return _native.gpuAddress();
}
- (void)addDebugMarker:(NSString *)marker range:(NSRange)range {
}
- (void)removeAllDebugMarkers {
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor
                                    offset:(NSUInteger)offset
                               bytesPerRow:(NSUInteger)bytesPerRow {
  assay::Result<assay::Texture> texture = _native.newTexture(textureDescriptorOf(descriptor), offset, bytesPerRow);
  if (!texture) {
    NSLog(@"%@", fromText(renderDiagnostics(texture.error().diagnostics)));
    return nil;
  }
  AssayTexture *result = [[AssayTexture alloc] initWithDevice:_device texture:*texture options:_options size:0];
  result->_buffer = self;
  result->_bufferOffset = offset;
  result->_bufferBytesPerRow = bytesPerRow;
  return result;
}
@end

@implementation AssayTexture
- (instancetype)initWithDevice:(AssayDevice *)device
                       texture:(assay::Texture)texture
                       options:(MTLResourceOptions)options
                          size:(NSUInteger)size {
  if ((self = [super initWithDevice:device options:options size:size]))
    _native = std::move(texture);
  return self;
}
- (id<MTLResource>)rootResource {
  return _buffer ?: self;
}
- (id<MTLTexture>)parentTexture {
  return nil;
}
- (NSUInteger)parentRelativeLevel {
  return 0;
}
- (NSUInteger)parentRelativeSlice {
  return 0;
}
- (id<MTLBuffer>)buffer {
  return _buffer;
}
- (NSUInteger)bufferOffset {
  return _bufferOffset;
}
- (NSUInteger)bufferBytesPerRow {
  return _bufferBytesPerRow;
}
- (IOSurfaceRef)iosurface {
  return nullptr;
}
- (NSUInteger)iosurfacePlane {
  return 0;
}
- (MTLTextureType)textureType {
  return MTLTextureType(_native.textureType());
}
- (MTLPixelFormat)pixelFormat {
  return MTLPixelFormat(_native.pixelFormat());
}
- (NSUInteger)width {
  return _native.width();
}
- (NSUInteger)height {
  return _native.height();
}
- (NSUInteger)depth {
  return _native.depth();
}
- (NSUInteger)mipmapLevelCount {
  return _native.mipmapLevelCount();
}
- (NSUInteger)sampleCount {
  return _native.sampleCount();
}
- (NSUInteger)arrayLength {
  return _native.arrayLength();
}
- (MTLTextureUsage)usage {
  return MTLTextureUsage(_native.usage());
}
- (BOOL)isShareable {
  return NO;
}
- (BOOL)isFramebufferOnly {
  return NO;
}
- (BOOL)allowGPUOptimizedContents {
  return NO;
}
- (MTLTextureCompressionType)compressionType {
  return MTLTextureCompressionTypeLossless;
}
- (MTLTextureSwizzleChannels)swizzle {
  return MTLTextureSwizzleChannelsMake(MTLTextureSwizzleRed, MTLTextureSwizzleGreen, MTLTextureSwizzleBlue,
                                       MTLTextureSwizzleAlpha);
}
- (MTLResourceID)gpuResourceID {
  assayUnsupported(@"a texture in an argument buffer");
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat {
  assayUnsupported(@"a view of a texture");
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices {
  assayUnsupported(@"a view of a texture");
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices
                                        swizzle:(MTLTextureSwizzleChannels)swizzle {
  assayUnsupported(@"a view of a texture");
}
// What the host reads and writes wrongly changes nothing, and is said.
static void say(const assay::Result<void> &result) {
  if (!result)
    NSLog(@"%@", fromText(renderDiagnostics(result.error().diagnostics)));
}
- (void)getBytes:(void *)bytes
      bytesPerRow:(NSUInteger)bytesPerRow
    bytesPerImage:(NSUInteger)bytesPerImage
       fromRegion:(MTLRegion)region
      mipmapLevel:(NSUInteger)level
            slice:(NSUInteger)slice {
  say(_native.getBytes(bytes, bytesPerRow, bytesPerImage, regionOf(region), level, slice));
}
- (void)getBytes:(void *)bytes
     bytesPerRow:(NSUInteger)bytesPerRow
      fromRegion:(MTLRegion)region
     mipmapLevel:(NSUInteger)level {
  say(_native.getBytes(bytes, bytesPerRow, regionOf(region), level));
}
- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
                slice:(NSUInteger)slice
            withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)bytesPerRow
        bytesPerImage:(NSUInteger)bytesPerImage {
  say(_native.replaceRegion(regionOf(region), level, slice, bytes, bytesPerRow, bytesPerImage));
}
- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
            withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)bytesPerRow {
  say(_native.replaceRegion(regionOf(region), level, bytes, bytesPerRow));
}
@end

@implementation AssaySampler
- (MTLResourceID)gpuResourceID {
  assayUnsupported(@"a sampler in an argument buffer");
}
@end

// Memory is carved out of one buffer, first come first served; it comes free when all of it does, or by placing
// resources over it by hand.
@implementation AssayHeap {
  assay::Buffer _memory;
  MTLHeapDescriptor *_descriptor;
  std::shared_ptr<std::atomic<uint64_t>> _used;
  uint64_t _next;
}
- (instancetype)initWithDevice:(AssayDevice *)device descriptor:(MTLHeapDescriptor *)descriptor {
  if (!descriptor.size || descriptor.size > device.maxBufferLength)
    return nil;
  if ((self = [super initWithDevice:device])) {
    _descriptor = [descriptor copy];
    _memory = device->_native.newBuffer(descriptor.size);
    _used = std::make_shared<std::atomic<uint64_t>>(0);
    *device->_allocated += descriptor.size;
  }
  return self;
}
- (void)dealloc {
  *_device->_allocated -= _memory.length();
}
- (assay::Buffer)memory {
  return _memory;
}
- (MTLStorageMode)storageMode {
  return _descriptor.storageMode;
}
- (MTLCPUCacheMode)cpuCacheMode {
  return _descriptor.cpuCacheMode;
}
- (MTLHazardTrackingMode)hazardTrackingMode {
  return _descriptor.hazardTrackingMode == MTLHazardTrackingModeDefault ? MTLHazardTrackingModeUntracked
                                                                        : _descriptor.hazardTrackingMode;
}
- (MTLResourceOptions)resourceOptions {
  return optionsOf(self.storageMode, self.cpuCacheMode, self.hazardTrackingMode);
}
- (MTLHeapType)type {
  return _descriptor.type;
}
- (NSUInteger)size {
  return _memory.length();
}
- (NSUInteger)usedSize {
  return *_used;
}
- (NSUInteger)currentAllocatedSize {
  return _memory.length();
}
- (NSUInteger)allocatedSize {
  return _memory.length();
}
- (NSUInteger)maxAvailableSizeWithAlignment:(NSUInteger)alignment {
  @synchronized(self) {
    if (*_used == 0)
      _next = 0;
    const uint64_t begin = alignment ? (_next + alignment - 1) / alignment * alignment : _next;
    return begin < _memory.length() ? _memory.length() - begin : 0;
  }
}
- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  return MTLPurgeableStateNonVolatile;
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  @synchronized(self) {
    if (_descriptor.type == MTLHeapTypePlacement || length > [self maxAvailableSizeWithAlignment:256])
      return nil;
    const uint64_t begin = (_next + 255) / 256 * 256;
    id<MTLBuffer> buffer = [self bufferAt:begin length:length options:options];
    if (buffer)
      _next = begin + length;
    return buffer;
  }
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length
                             options:(MTLResourceOptions)options
                              offset:(NSUInteger)offset {
  return _descriptor.type == MTLHeapTypePlacement ? [self bufferAt:offset length:length options:options] : nil;
}
- (AssayBuffer *)bufferAt:(uint64_t)offset length:(NSUInteger)length options:(MTLResourceOptions)options {
  if (!length || offset > _memory.length() || length > _memory.length() - offset)
    return nil;
  *_used += length;
  // Holds the heap's memory, not the heap.
  assay::Buffer part = _device->_native.newBufferWithBytesNoCopy(
      static_cast<std::byte *>(_memory.contents()) + offset, length,
      [memory = _memory, used = _used](void *, size_t size) { *used -= size; });
  AssayBuffer *buffer = [[AssayBuffer alloc] initWithDevice:_device buffer:part options:options];
  *_device->_allocated -= buffer->_allocatedSize; // counted with the heap
  buffer->_allocatedSize = 0;
  buffer->_heap = self;
  buffer->_heapOffset = offset;
  return buffer;
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor {
  // Of memory of its own: the texels of a texture lie nowhere that a host could see.
  const NSUInteger size = [_device heapTextureSizeAndAlignWithDescriptor:descriptor].size;
  if (size > [self maxAvailableSizeWithAlignment:256])
    return nil;
  AssayTexture *texture = (AssayTexture *)[_device newTextureWithDescriptor:descriptor];
  texture->_heap = self;
  return texture;
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor offset:(NSUInteger)offset {
  return [self newTextureWithDescriptor:descriptor];
}
@end

// Everything is always resident: a set only keeps its members and can be asked about them.
@implementation AssayResidencySet {
  NSMutableArray<id<MTLAllocation>> *_members;
}
- (instancetype)initWithDevice:(AssayDevice *)device descriptor:(MTLResidencySetDescriptor *)descriptor {
  if ((self = [super initWithDevice:device])) {
    self.label = descriptor.label;
    _members = [NSMutableArray new];
  }
  return self;
}
- (uint64_t)allocatedSize {
  @synchronized(self) {
    uint64_t size = 0;
    for (id<MTLAllocation> member in _members)
      size += member.allocatedSize;
    return size;
  }
}
- (NSArray<id<MTLAllocation>> *)allAllocations {
  @synchronized(self) {
    return [_members copy];
  }
}
- (NSUInteger)allocationCount {
  @synchronized(self) {
    return _members.count;
  }
}
- (void)requestResidency {
}
- (void)endResidency {
}
- (void)commit {
}
- (BOOL)containsAllocation:(id<MTLAllocation>)allocation {
  @synchronized(self) {
    for (id<MTLAllocation> member in _members)
      if (member == allocation)
        return YES;
    return NO;
  }
}
- (void)addAllocation:(id<MTLAllocation>)allocation {
  @synchronized(self) {
    if (allocation && ![self containsAllocation:allocation])
      [_members addObject:allocation];
  }
}
- (void)addAllocations:(const id<MTLAllocation> __unsafe_unretained[])allocations count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self addAllocation:allocations[i]];
}
- (void)removeAllocation:(id<MTLAllocation>)allocation {
  @synchronized(self) {
    [_members removeObject:allocation];
  }
}
- (void)removeAllocations:(const id<MTLAllocation> __unsafe_unretained[])allocations count:(NSUInteger)count {
  for (NSUInteger i = 0; i < count; ++i)
    [self removeAllocation:allocations[i]];
}
- (void)removeAllAllocations {
  @synchronized(self) {
    [_members removeAllObjects];
  }
}
@end
