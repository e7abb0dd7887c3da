// Argument encoders: write addresses, numbers of textures, samplers and values into the bytes of an argument
// buffer, at reflection's offsets.
#import "objects.h"
#import "translate.h"

using namespace assay::metal;

@implementation MTLArgumentDescriptor
+ (MTLArgumentDescriptor *)argumentDescriptor {
  return [MTLArgumentDescriptor new];
}
- (id)copyWithZone:(NSZone *)zone {
  MTLArgumentDescriptor *copy = [MTLArgumentDescriptor new];
  copy.dataType = self.dataType;
  copy.index = self.index;
  copy.arrayLength = self.arrayLength;
  copy.access = self.access;
  copy.textureType = self.textureType;
  copy.constantBlockAlignment = self.constantBlockAlignment;
  return copy;
}
@end

// What a member holds, and how messages name it.
static const char *kindOf(const assay::MemberInfo &member) {
  return member.pointsTo        ? "a pointer"
         : member.texture       ? "a texture"
         : member.sampler       ? "a sampler"
         : member.functionTable ? "a function table"
         : member.tensor        ? "a tensor"
                                : "a value";
}

@implementation AssayArgumentEncoder {
  std::vector<assay::MemberInfo> _members;
  NSUInteger _length, _alignment;
  AssayBuffer *_buffer;
  NSUInteger _offset;
}

- (instancetype)initWithDevice:(AssayDevice *)device argument:(const assay::ArgumentInfo &)argument {
  if ((self = [super initWithDevice:device])) {
    _members = argument.members;
    _length = argument.pointeeBytes;
    _alignment = argument.pointeeAlign;
  }
  return self;
}

// Without a struct: members in the order of their indices, each at its alignment.
- (instancetype)initWithDevice:(AssayDevice *)device
                   descriptors:(NSArray<MTLArgumentDescriptor *> *)descriptors {
  if (!(self = [super initWithDevice:device]))
    return nil;
  std::vector<MTLArgumentDescriptor *> sorted;
  for (MTLArgumentDescriptor *descriptor in descriptors)
    sorted.push_back(descriptor);
  std::sort(sorted.begin(), sorted.end(),
            [](MTLArgumentDescriptor *a, MTLArgumentDescriptor *b) { return a.index < b.index; });
  _alignment = 8;
  for (MTLArgumentDescriptor *descriptor : sorted) {
    assay::MemberInfo member;
    member.id = uint32_t(descriptor.index);
    member.count = uint32_t(std::max<NSUInteger>(1, descriptor.arrayLength));
    const std::optional<assay::DataType> value = dataTypeOf(descriptor.dataType);
    if (descriptor.dataType == MTLDataTypePointer)
      member.pointsTo = assay::AddressSpace::Device;
    else if (descriptor.dataType == MTLDataTypeTexture)
      member.texture.emplace();
    else if (descriptor.dataType == MTLDataTypeSampler)
      member.sampler = true;
    else if (descriptor.dataType == MTLDataTypeVisibleFunctionTable)
      member.functionTable = true;
    else if (!value) {
      NSLog(@"%@", unsupported([NSString stringWithFormat:@"an argument encoder with data type %lu",
                                                          (unsigned long)descriptor.dataType],
                               MTLLibraryErrorDomain, MTLLibraryErrorUnsupported)
                       .localizedDescription);
      return nil;
    }
    member.bytes = value ? value->bytes() : 8;
    const NSUInteger alignment =
        std::max<NSUInteger>(descriptor.constantBlockAlignment, value ? member.bytes : 8);
    _length = (_length + alignment - 1) / alignment * alignment;
    member.offset = uint32_t(_length);
    _length += NSUInteger(member.bytes) * member.count;
    _alignment = std::max(_alignment, alignment);
    _members.push_back(member);
  }
  _length = (_length + _alignment - 1) / _alignment * _alignment;
  return self;
}

- (NSUInteger)encodedLength {
  return _length;
}
- (NSUInteger)alignment {
  return _alignment;
}
- (void)setArgumentBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset {
  _buffer = (AssayBuffer *)buffer;
  _offset = offset;
}
- (void)setArgumentBuffer:(id<MTLBuffer>)buffer
              startOffset:(NSUInteger)startOffset
             arrayElement:(NSUInteger)arrayElement {
  [self setArgumentBuffer:buffer offset:startOffset + arrayElement * _length];
}

/// The address of the member with an index in the argument buffer. If there is none, or no room for it,
/// prints so and returns null.
- (std::byte *)placeOf:(NSUInteger)index kind:(const char *)kind {
  for (const assay::MemberInfo &member : _members) {
    if (index < member.id || index - member.id >= member.count)
      continue;
    if (strcmp(kindOf(member), kind) != 0) {
      NSLog(@"argument encoder: index %lu is %s, %s is set", (unsigned long)index, kindOf(member), kind);
      return nullptr;
    }
    const uint64_t at = _offset + member.offset + (index - member.id) * uint64_t(member.bytes);
    if (!_buffer || at + member.bytes > _buffer->_native.length()) {
      NSLog(@"argument encoder: index %lu lies at byte %lu of an argument buffer that has %lu bytes",
            (unsigned long)index, (unsigned long)at,
            (unsigned long)(_buffer ? _buffer->_native.length() : 0));
      return nullptr;
    }
    return static_cast<std::byte *>(_buffer->_native.contents()) + at;
  }
  NSLog(@"argument encoder: there is no member with index %lu", (unsigned long)index);
  return nullptr;
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  const uint64_t address = buffer ? buffer.gpuAddress + offset : 0;
  if (std::byte *place = [self placeOf:index kind:"a pointer"])
    memcpy(place, &address, sizeof address);
}
- (void)setBuffers:(const id<MTLBuffer> __unsafe_unretained[])buffers
           offsets:(const NSUInteger[])offsets
         withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setBuffer:buffers[i] offset:offsets[i] atIndex:range.location + i];
}
- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index {
  const MTLResourceID number = texture ? texture.gpuResourceID : MTLResourceID{};
  if (std::byte *place = [self placeOf:index kind:"a texture"])
    memcpy(place, &number, sizeof number);
}
- (void)setTextures:(const id<MTLTexture> __unsafe_unretained[])textures withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setTexture:textures[i] atIndex:range.location + i];
}
- (void)setSamplerState:(id<MTLSamplerState>)sampler atIndex:(NSUInteger)index {
  const MTLResourceID number = sampler ? sampler.gpuResourceID : MTLResourceID{};
  if (std::byte *place = [self placeOf:index kind:"a sampler"])
    memcpy(place, &number, sizeof number);
}
- (void)setSamplerStates:(const id<MTLSamplerState> __unsafe_unretained[])samplers withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setSamplerState:samplers[i] atIndex:range.location + i];
}
- (void)setVisibleFunctionTable:(id<MTLVisibleFunctionTable>)table atIndex:(NSUInteger)index {
  const MTLResourceID number = table ? table.gpuResourceID : MTLResourceID{};
  if (std::byte *place = [self placeOf:index kind:"a function table"])
    memcpy(place, &number, sizeof number);
}
- (void)setVisibleFunctionTables:(const id<MTLVisibleFunctionTable> __unsafe_unretained[])tables
                       withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; ++i)
    [self setVisibleFunctionTable:tables[i] atIndex:range.location + i];
}
- (void *)constantDataAtIndex:(NSUInteger)index {
  return [self placeOf:index kind:"a value"];
}
- (id<MTLArgumentEncoder>)newArgumentEncoderForBufferAtIndex:(NSUInteger)index {
  NSLog(@"%@", unsupported(@"an argument encoder of a nested argument buffer", MTLLibraryErrorDomain,
                           MTLLibraryErrorUnsupported)
                   .localizedDescription);
  return nil;
}
@end
