// The descriptors of [[stage_in]], which only hold values, and what a function says of its attributes.
#import "stage_input.h"
#import "translate.h"

#include <algorithm>
#include <limits>

using namespace assay::metal;

@interface MTLAttribute ()
- (instancetype)initWithArgument:(const assay::ArgumentInfo &)argument;
@end

namespace {

// A number that does not fit stays one that is refused.
template <class To> To narrow(NSUInteger number) {
  return To(std::min<NSUInteger>(number, std::numeric_limits<To>::max()));
}

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

@implementation MTLAttribute {
  NSString *_name;
  NSUInteger _index;
  MTLDataType _type;
}
- (instancetype)initWithArgument:(const assay::ArgumentInfo &)argument {
  if ((self = [super init])) {
    _name = fromText(argument.name.substr(argument.name.rfind('.') + 1)); // "in.position"
    _index = argument.index;
    _type = dataTypeOf(assay::DataType(*argument.element, argument.components));
  }
  return self;
}
- (NSString *)name {
  return _name;
}
- (NSUInteger)attributeIndex {
  return _index;
}
- (MTLDataType)attributeType {
  return _type;
}
- (BOOL)isActive {
  return YES;
}
- (BOOL)isPatchData {
  return NO;
}
- (BOOL)isPatchControlPointData {
  return NO;
}
@end

namespace assay::metal {

std::optional<StageInputDescriptor> stageInputOf(MTLStageInputOutputDescriptor *descriptor) {
  if (!descriptor)
    return std::nullopt;
  StageInputDescriptor input;
  input.indexType = descriptor.indexType == MTLIndexTypeUInt32 ? IndexType::UInt32 : IndexType::UInt16;
  input.indexBufferIndex = narrow<uint32_t>(descriptor.indexBufferIndex);
  NSMutableDictionary *attributes = descriptor.attributes->_all, *layouts = descriptor.layouts->_all;
  for (NSNumber *index in attributes) {
    MTLAttributeDescriptor *attribute = attributes[index];
    input.attributes[index.unsignedIntValue] = {AttributeFormat(narrow<uint8_t>(attribute.format)),
                                                attribute.offset, narrow<uint32_t>(attribute.bufferIndex)};
  }
  for (NSNumber *index in layouts) {
    MTLBufferLayoutDescriptor *layout = layouts[index];
    input.layouts[index.unsignedIntValue] = {
        layout.stride, StepFunction(narrow<uint8_t>(layout.stepFunction)), layout.stepRate};
  }
  return input;
}

StageInRegion stageInRegionOf(MTLRegion region) {
  const auto number = [](NSUInteger value) { return uint32_t(value); };
  return {{number(region.origin.x), number(region.origin.y), number(region.origin.z)},
          {number(region.size.width), number(region.size.height), number(region.size.depth)}};
}

NSArray<MTLAttribute *> *attributesOf(const KernelInfo &kernel) {
  NSMutableArray<MTLAttribute *> *attributes = [NSMutableArray new];
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Attribute)
      [attributes addObject:[[MTLAttribute alloc] initWithArgument:argument]];
  return attributes;
}

} // namespace assay::metal
