// Buffers, textures, samplers and residency sets.
#import "heap.h"
#import "objects.h"
#import "resource_finder.h"
#import "translate.h"

using namespace assay::metal;

@implementation AssayResource
- (instancetype)initWithDevice:(AssayDevice *)device
                       options:(MTLResourceOptions)options
                          size:(NSUInteger)size {
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
// From now on the heap may give the memory to other resources while this one still uses it.
- (void)makeAliasable {
  _aliasable = YES;
  if (_heapPart)
    _heapPart->giveBack();
}
- (BOOL)isAliasable {
  return _aliasable;
}
- (kern_return_t)setOwnerWithIdentity:(task_id_token_t)identity {
  return KERN_SUCCESS;
}
@end

@implementation AssayBuffer
- (instancetype)initWithDevice:(AssayDevice *)device
                        buffer:(assay::Buffer)buffer
                       options:(MTLResourceOptions)options {
  if ((self = [super initWithDevice:device options:options size:buffer.length()])) {
    _native = std::move(buffer);
    device->_resources->enter(_native);
  }
  return self;
}
- (void)dealloc {
  _device->_resources->leave(_native);
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
  assay::Result<assay::Texture> texture =
      _native.newTexture(textureDescriptorOf(descriptor), offset, bytesPerRow);
  if (!texture) {
    NSLog(@"%@", fromText(renderDiagnostics(texture.error().diagnostics)));
    return nil;
  }
  AssayTexture *result = [[AssayTexture alloc] initWithDevice:_device
                                                      texture:*texture
                                                      options:_options
                                                         size:0];
  result->_buffer = self;
  result->_bufferOffset = offset;
  result->_bufferBytesPerRow = bytesPerRow;
  return result;
}
- (id<MTLTensor>)newTensorWithDescriptor:(MTLTensorDescriptor *)descriptor
                                  offset:(NSUInteger)offset
                                   error:(NSError **)error {
  MTLTensorBufferAttachments *attachments = [MTLTensorBufferAttachments new];
  [attachments setBuffer:self offset:offset forPlane:MTLTensorPlaneTypeData];
  return [AssayTensor tensorWithDevice:_device descriptor:descriptor attachments:attachments error:error];
}
@end

@implementation AssayTexture
- (instancetype)initWithDevice:(AssayDevice *)device
                       texture:(assay::Texture)texture
                       options:(MTLResourceOptions)options
                          size:(NSUInteger)size {
  if ((self = [super initWithDevice:device options:options size:size])) {
    _native = std::move(texture);
    device->_resources->enter(_native);
  }
  return self;
}
- (void)dealloc {
  _device->_resources->leave(_native);
}
- (id<MTLResource>)rootResource {
  if (_parent)
    return _parent.rootResource;
  return _buffer ?: self;
}
- (id<MTLTexture>)parentTexture {
  return _parent;
}
- (NSUInteger)parentRelativeLevel {
  return _parentLevel;
}
- (NSUInteger)parentRelativeSlice {
  return _parentSlice;
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
- (BOOL)isSparse {
  return NO;
}
- (BOOL)allowGPUOptimizedContents {
  return NO;
}
- (MTLTextureCompressionType)compressionType {
  return MTLTextureCompressionTypeLossless;
}
- (MTLTextureSwizzleChannels)swizzle {
  const assay::TextureSwizzleChannels from = _native.swizzle();
  return MTLTextureSwizzleChannelsMake(MTLTextureSwizzle(from[0]), MTLTextureSwizzle(from[1]),
                                       MTLTextureSwizzle(from[2]), MTLTextureSwizzle(from[3]));
}
- (MTLResourceID)gpuResourceID {
  return {_native.gpuResourceID()};
}
- (id<MTLTexture>)viewOf:(const assay::Result<assay::Texture> &)view
                   level:(NSUInteger)level
                   slice:(NSUInteger)slice {
  if (!view) {
    NSLog(@"%@", fromText(renderDiagnostics(view.error().diagnostics)));
    return nil;
  }
  AssayTexture *result = [[AssayTexture alloc] initWithDevice:_device texture:*view options:_options size:0];
  result->_parent = self;
  result->_parentLevel = level;
  result->_parentSlice = slice;
  result->_buffer = _buffer;
  result->_bufferOffset = _bufferOffset;
  result->_bufferBytesPerRow = _bufferBytesPerRow;
  return result;
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat {
  return [self viewOf:_native.newTextureView(assay::PixelFormat(pixelFormat)) level:0 slice:0];
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices {
  return [self newTextureViewWithPixelFormat:pixelFormat
                                 textureType:type
                                      levels:levels
                                      slices:slices
                                     swizzle:MTLTextureSwizzleChannelsMake(
                                                 MTLTextureSwizzleRed, MTLTextureSwizzleGreen,
                                                 MTLTextureSwizzleBlue, MTLTextureSwizzleAlpha)];
}
- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)type
                                         levels:(NSRange)levels
                                         slices:(NSRange)slices
                                        swizzle:(MTLTextureSwizzleChannels)swizzle {
  return [self viewOf:_native.newTextureView(assay::PixelFormat(pixelFormat), assay::TextureType(type),
                                             {levels.location, levels.length},
                                             {slices.location, slices.length}, swizzleOf(swizzle))
                level:levels.location
                slice:slices.location];
}
// A wrong read or write by the host changes nothing, and is reported.
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
  return {_native.gpuResourceID()};
}
@end

// A set keeps its members. A dispatch that follows addresses asks for them (AssayComputeEncoder); when they
// become resident makes no difference here, so commit and requestResidency do nothing.
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
