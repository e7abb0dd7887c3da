// The descriptors of [[stage_in]]: they only hold values. Pipelines that have one are refused (device.mm).
#import <Metal/Metal.h>

namespace {

/// The entries of an array of descriptors are created when they are asked for.
template <class Descriptor> Descriptor *entry(NSMutableDictionary *all, NSUInteger index) {
  Descriptor *found = all[@(index)];
  if (!found)
    all[@(index)] = found = [Descriptor new];
  return found;
}
void setEntry(NSMutableDictionary *all, NSUInteger index, id<NSCopying> to) {
  if (to)
    all[@(index)] = [to copyWithZone:nullptr];
  else
    [all removeObjectForKey:@(index)]; // back to a new one
}
NSMutableDictionary *copied(NSMutableDictionary *all) {
  NSMutableDictionary *copy = [NSMutableDictionary dictionary];
  for (NSNumber *index in all)
    copy[index] = [all[index] copy];
  return copy;
}

} // namespace

@implementation MTLBufferLayoutDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _stepFunction = MTLStepFunctionPerVertex;
    _stepRate = 1;
  }
  return self;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLBufferLayoutDescriptor *copy = [MTLBufferLayoutDescriptor new];
  copy.stride = _stride;
  copy.stepFunction = _stepFunction;
  copy.stepRate = _stepRate;
  return copy;
}
@end

@implementation MTLAttributeDescriptor
- (id)copyWithZone:(NSZone *)zone {
  MTLAttributeDescriptor *copy = [MTLAttributeDescriptor new];
  copy.format = _format;
  copy.offset = _offset;
  copy.bufferIndex = _bufferIndex;
  return copy;
}
@end

@implementation MTLBufferLayoutDescriptorArray {
@public
  NSMutableDictionary *_all;
}
- (instancetype)init {
  if ((self = [super init]))
    _all = [NSMutableDictionary dictionary];
  return self;
}
- (MTLBufferLayoutDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
  return entry<MTLBufferLayoutDescriptor>(_all, index);
}
- (void)setObject:(MTLBufferLayoutDescriptor *)layout atIndexedSubscript:(NSUInteger)index {
  setEntry(_all, index, layout);
}
@end

@implementation MTLAttributeDescriptorArray {
@public
  NSMutableDictionary *_all;
}
- (instancetype)init {
  if ((self = [super init]))
    _all = [NSMutableDictionary dictionary];
  return self;
}
- (MTLAttributeDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
  return entry<MTLAttributeDescriptor>(_all, index);
}
- (void)setObject:(MTLAttributeDescriptor *)attribute atIndexedSubscript:(NSUInteger)index {
  setEntry(_all, index, attribute);
}
@end

@implementation MTLStageInputOutputDescriptor
+ (MTLStageInputOutputDescriptor *)stageInputOutputDescriptor {
  return [self new];
}
- (instancetype)init {
  if ((self = [super init]))
    [self reset];
  return self;
}
- (void)reset {
  _layouts = [MTLBufferLayoutDescriptorArray new];
  _attributes = [MTLAttributeDescriptorArray new];
  _indexType = MTLIndexTypeUInt16;
  _indexBufferIndex = 0;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLStageInputOutputDescriptor *copy = [MTLStageInputOutputDescriptor new];
  copy->_layouts->_all = copied(_layouts->_all);
  copy->_attributes->_all = copied(_attributes->_all);
  copy.indexType = _indexType;
  copy.indexBufferIndex = _indexBufferIndex;
  return copy;
}
@end
