// Heaps: one buffer of which others are parts.
#import "heap.h"
#import "objects.h"
#import "translate.h"

#include <cstring>

using namespace assay::metal;

static constexpr NSUInteger kAlignment = HeapStretch::kUnit; // as heapBufferSizeAndAlignWithLength: says

static NSUInteger roundUp(NSUInteger bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

@implementation AssayHeap {
  std::shared_ptr<HeapRoom> _room;
  MTLHeapDescriptor *_descriptor;
}
- (instancetype)initWithDevice:(AssayDevice *)device
                    descriptor:(MTLHeapDescriptor *)descriptor
                        memory:(assay::Buffer)memory
                       stretch:(const HeapStretch &)stretch {
  if ((self = [super initWithDevice:device])) {
    _descriptor = [descriptor copy];
    *device->_allocated += stretch.size();
    _room = std::make_shared<HeapRoom>(std::move(memory), stretch);
  }
  return self;
}
- (void)dealloc {
  *_device->_allocated -= self.size;
}
- (assay::Buffer)memory {
  return _room->memory();
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
  return MTLResourceOptions(self.cpuCacheMode << MTLResourceCPUCacheModeShift |
                            self.storageMode << MTLResourceStorageModeShift |
                            self.hazardTrackingMode << MTLResourceHazardTrackingModeShift);
}
- (MTLHeapType)type {
  return _descriptor.type;
}
- (NSUInteger)size {
  return _room->stretch().size();
}
- (NSUInteger)usedSize {
  return _room->usedBytes();
}
- (NSUInteger)currentAllocatedSize {
  return self.size;
}
- (NSUInteger)allocatedSize {
  return self.size;
}
- (NSUInteger)maxAvailableSizeWithAlignment:(NSUInteger)alignment {
  return _room->largest(alignment);
}
- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  return MTLPurgeableStateNonVolatile;
}

// Counted with the heap. It is where the heap is, whatever the caller's options say.
- (void)keep:(AssayResource *)resource part:(const std::shared_ptr<HeapPart> &)part {
  *_device->_allocated -= resource->_allocatedSize;
  resource->_allocatedSize = 0;
  resource->_options =
      (resource->_options & ~MTLResourceStorageModeMask) | self.storageMode << MTLResourceStorageModeShift;
  resource->_heap = self;
  resource->_heapOffset = part->offset();
  resource->_heapPart = part;
}
- (std::shared_ptr<HeapPart>)partOf:(NSUInteger)bytes {
  const bool fits = _descriptor.type != MTLHeapTypePlacement && bytes && bytes <= self.size;
  return fits ? HeapPart::take(_room, roundUp(bytes), kAlignment) : nullptr;
}
- (std::shared_ptr<HeapPart>)partOf:(NSUInteger)bytes at:(NSUInteger)offset {
  const bool fits =
      _descriptor.type == MTLHeapTypePlacement && bytes && offset <= self.size && bytes <= self.size - offset;
  return fits ? HeapPart::place(_room, offset, bytes) : nullptr;
}

// Named `new`, so that its memory is returned without waiting for the caller's autorelease pool.
- (AssayBuffer *)newBufferIn:(const std::shared_ptr<HeapPart> &)part
                      length:(NSUInteger)length
                     options:(MTLResourceOptions)options {
  if (!part)
    return nil;
  // Commands that still use the buffer keep its part, and the part keeps the heap's memory, though not the
  // heap.
  assay::Buffer memory = _room->memory();
  const HeapStretch &stretch = _room->stretch();
  std::byte *bytes = static_cast<std::byte *>(memory.contents()) + stretch.at(part->offset());
  const size_t room = stretch.room();
  std::memset(bytes - room, assay::Buffer::kPoisonByte, room);
  std::memset(bytes + length, assay::Buffer::kPoisonByte, room);
  AssayBuffer *buffer =
      [[AssayBuffer alloc] initWithDevice:_device
                                   buffer:_device->_native.newBufferWithBytesNoCopy(
                                              bytes, length, [part](void *, size_t) {}, room)
                                  options:options];
  [self keep:buffer part:part];
  return buffer;
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  return [self newBufferIn:[self partOf:length] length:length options:options];
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length
                             options:(MTLResourceOptions)options
                              offset:(NSUInteger)offset {
  return [self newBufferIn:[self partOf:length at:offset] length:length options:options];
}

// Has memory of its own, because a host cannot see where a texture's texels are. It takes its room in the
// heap, too.
- (AssayTexture *)newTextureIn:(const std::shared_ptr<HeapPart> &)part
                    descriptor:(MTLTextureDescriptor *)descriptor {
  AssayTexture *texture = part ? (AssayTexture *)[_device newTextureWithDescriptor:descriptor] : nil;
  if (texture)
    [self keep:texture part:part];
  return texture;
}
- (NSUInteger)sizeOfTexture:(MTLTextureDescriptor *)descriptor {
  return [_device heapTextureSizeAndAlignWithDescriptor:descriptor].size;
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor {
  return [self newTextureIn:[self partOf:[self sizeOfTexture:descriptor]] descriptor:descriptor];
}
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor offset:(NSUInteger)offset {
  return [self newTextureIn:[self partOf:[self sizeOfTexture:descriptor] at:offset] descriptor:descriptor];
}
@end
