// MTLStructType and its like. Reflection has the leaves of each struct as a flat list, with the names of the
// structs that hold them in front (FieldInfo); here the structs inside become objects again.
//
// Limit.  A struct with bit-fields, or with more leaves than reflection lists, has no MTLStructType.
#import "reflection_types.h"
#import "objects.h"
#import "tensor.h"
#import "translate.h"

#include <fmt/format.h>

#include <map>
#include <span>

using namespace assay;
using namespace assay::metal;

namespace {

/// The type of a member or an element.
struct Described {
  MTLDataType data = MTLDataTypeNone;
  MTLType *type = nil; ///< of a struct, an array, a pointer or a texture
};

/// The indices of an argument buffer's members.
using Indices = std::map<std::string, uint32_t>;

template <class Class> Class *as(MTLType *type) {
  return [type isKindOfClass:[Class class]] ? (Class *)type : nil;
}

MTLDataType matrixType(ScalarType scalar, uint32_t columns, uint32_t rows) {
  const NSUInteger at = (columns - 2) * 3 + rows - 2;
  return scalar == ScalarType::Float  ? MTLDataType(MTLDataTypeFloat2x2 + at)
         : scalar == ScalarType::Half ? MTLDataType(MTLDataTypeHalf2x2 + at)
                                      : MTLDataTypeNone;
}

MTLDataType pointeeData(const PointeeInfo &pointee) {
  if (pointee.structure)
    return MTLDataTypeStruct;
  if (!pointee.element)
    return MTLDataTypeNone;
  const DataType one(*pointee.element, pointee.components);
  return pointee.bytes > one.bytes() ? MTLDataTypeArray : dataTypeOf(one);
}

} // namespace

@interface MTLType () {
@public
  MTLDataType _dataType;
}
@end

@interface MTLStructMember () {
@public
  NSString *_name;
  NSUInteger _offset, _argumentIndex;
  Described _described;
}
@end

@interface MTLStructType () {
@public
  NSMutableArray<MTLStructMember *> *_members;
}
@end

@interface MTLArrayType () {
@public
  NSUInteger _arrayLength, _stride, _argumentIndexStride;
  Described _element;
}
@end

@interface MTLPointerType () {
@public
  PointeeInfo _pointee;
  Structs _structs; // the type itself may be what it points to, so it is made when it is asked for
}
@end

@interface MTLTextureReferenceType () {
@public
  TextureUse _use;
}
@end

@interface MTLTensorReferenceType () {
@public
  TensorUse _use;
}
@end

namespace {

Described arrayOf(const Described &element, const FieldExtent &extent, NSUInteger indexStride) {
  MTLArrayType *array = [MTLArrayType new];
  array->_dataType = MTLDataTypeArray;
  array->_arrayLength = extent.count;
  array->_stride = extent.bytes;
  array->_argumentIndexStride = indexStride;
  array->_element = element;
  return {MTLDataTypeArray, array};
}

/// The outermost extent comes first. Each element of an argument buffer's array has an index of its own.
Described arraysOf(Described type, std::span<const FieldExtent> extents, NSUInteger indexStride) {
  for (size_t i = extents.size(); i-- > 0; indexStride *= extents[i].count)
    type = arrayOf(type, extents[i], indexStride);
  return type;
}

Described leafType(const FieldInfo &field, const Structs &structs) {
  if (field.texture) {
    MTLTextureReferenceType *type = [MTLTextureReferenceType new];
    type->_dataType = MTLDataTypeTexture;
    type->_use = *field.texture;
    return {MTLDataTypeTexture, type};
  }
  if (field.sampler)
    return {MTLDataTypeSampler, nil};
  if (field.functionTable)
    return {MTLDataTypeVisibleFunctionTable, nil};
  if (field.tensor) {
    MTLTensorReferenceType *type = [MTLTensorReferenceType new];
    type->_dataType = MTLDataTypeTensor;
    type->_use = *field.tensor;
    return {MTLDataTypeTensor, type};
  }
  if (field.pointee) {
    MTLPointerType *type = [MTLPointerType new];
    type->_dataType = MTLDataTypePointer;
    type->_pointee = *field.pointee;
    type->_structs = structs;
    return {MTLDataTypePointer, type};
  }
  return {field.columns > 1 ? matrixType(field.type, field.columns, field.components)
                            : dataTypeOf(DataType(field.type, field.components)),
          nil};
}

/// Makes the struct of some leaves of another.
class Builder {
public:
  Builder(const Structs &structs, const Indices &indices) : structs_(structs), indices_(indices) {}

  /// fields   consecutive ones whose names begin with `prefix`
  /// depth    extents that the prefix has
  /// path     the prefix as Indices has it
  MTLStructType *structOf(std::span<const FieldInfo> fields, const std::string &prefix, size_t depth,
                          const std::string &path, uint32_t base) const {
    MTLStructType *type = [MTLStructType new];
    type->_dataType = MTLDataTypeStruct;
    type->_members = [NSMutableArray new];
    while (!fields.empty()) {
      const FieldInfo &first = fields.front();
      const std::string rest = first.name.substr(prefix.size()), part = rest.substr(0, rest.find('.')),
                        name = part.substr(0, part.find("[]"));
      MTLStructMember *member = [MTLStructMember new];
      member->_name = fromText(name);
      member->_offset = first.offset - base;
      size_t taken = 1;
      if (part == rest) {
        const std::span<const FieldExtent> own = std::span(first.extents).subspan(depth);
        const size_t inner = (first.components > 1) + (first.columns > 1);
        member->_argumentIndex = indexOf(path + name).value_or(0);
        member->_described =
            arraysOf(leafType(first, structs_), own.first(own.size() - inner), indexOf(path + name) ? 1 : 0);
      } else {
        const std::string inside = prefix + part + ".";
        while (taken < fields.size() && fields[taken].name.starts_with(inside))
          ++taken;
        const size_t arrays = (part.size() - name.size()) / 2;
        const std::span<const FieldExtent> own = std::span(first.extents).subspan(depth, arrays);
        uint64_t count = 1;
        for (const FieldExtent &extent : own)
          count *= extent.count;
        const std::string leaf = first.name.substr(inside.size());
        const auto pathAt = [&](int i) { return path + name + (count > 1 ? fmt::format("[{}].", i) : "."); };
        MTLStructType *nested =
            structOf(fields.first(taken), inside, depth + arrays, pathAt(0), first.offset);
        const std::string one = leaf.substr(0, leaf.find_first_of("[."));
        const auto zero = indexOf(pathAt(0) + one), next = indexOf(pathAt(1) + one);
        // Of structs without resources the whole array has indices; of others, each leaf.
        member->_argumentIndex = indexOf(path + name).value_or(nested->_members[0].argumentIndex);
        member->_described = arraysOf({MTLDataTypeStruct, nested}, own, zero && next ? *next - *zero : 0);
      }
      [type->_members addObject:member];
      fields = fields.subspan(taken);
    }
    return type;
  }

private:
  std::optional<uint32_t> indexOf(const std::string &path) const {
    const auto found = indices_.find(path);
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
  }

  const Structs &structs_;
  const Indices &indices_;
};

MTLStructType *structTypeAt(const Structs &structs, std::optional<uint32_t> number, const Indices &indices) {
  if (!number || *number >= structs->size())
    return nil;
  const StructInfo &info = (*structs)[*number];
  if (!info.unsupported.empty()) {
    NSLog(@"%s: no MTLStructType, because it has %s", info.name.c_str(), info.unsupported.c_str());
    return nil;
  }
  return Builder(structs, indices).structOf(info.fields, "", 0, "", 0);
}

PointeeInfo pointeeOf(const ArgumentInfo &argument) {
  PointeeInfo pointee;
  pointee.access = argument.access;
  pointee.bytes = argument.pointeeBytes;
  pointee.align = argument.pointeeAlign;
  pointee.element = argument.element;
  pointee.structure = argument.structure;
  const uint32_t scalar = argument.element ? scalarTypeInfo(*argument.element).bytes : 0;
  const uint32_t count = scalar ? argument.pointeeBytes / scalar : 1;
  // Three components take the space of four: the type's name tells them apart.
  const bool three = count == 4 && argument.type.find('3') != std::string::npos;
  pointee.components = three ? 3 : count >= 1 && count <= 4 ? count : 1;
  return pointee;
}

} // namespace

MTLBindingAccess assay::metal::bindingAccess(Access access) {
  return access == Access::ReadWrite ? MTLBindingAccessReadWrite
         : access == Access::Write   ? MTLBindingAccessWriteOnly
                                     : MTLBindingAccessReadOnly;
}

MTLDataType assay::metal::pointeeDataType(const ArgumentInfo &argument) {
  return argument.members.empty() && argument.element ? pointeeData(pointeeOf(argument)) : MTLDataTypeStruct;
}

MTLStructType *assay::metal::structTypeOf(const ArgumentInfo &argument, const Structs &structs) {
  Indices indices;
  for (const MemberInfo &member : argument.members)
    indices.emplace(member.name, member.id);
  return structTypeAt(structs, argument.structure, indices);
}

MTLPointerType *assay::metal::pointerTypeOf(const ArgumentInfo &argument, const Structs &structs) {
  MTLPointerType *type = [MTLPointerType new];
  type->_dataType = MTLDataTypePointer;
  type->_pointee = pointeeOf(argument);
  type->_structs = structs;
  return type;
}

@implementation MTLType
- (MTLDataType)dataType {
  return _dataType;
}
@end

@implementation MTLStructMember
- (NSString *)name {
  return _name;
}
- (NSUInteger)offset {
  return _offset;
}
- (NSUInteger)argumentIndex {
  return _argumentIndex;
}
- (MTLDataType)dataType {
  return _described.data;
}
- (MTLStructType *)structType {
  return as<MTLStructType>(_described.type);
}
- (MTLArrayType *)arrayType {
  return as<MTLArrayType>(_described.type);
}
- (MTLPointerType *)pointerType {
  return as<MTLPointerType>(_described.type);
}
- (MTLTextureReferenceType *)textureReferenceType {
  return as<MTLTextureReferenceType>(_described.type);
}
- (MTLTensorReferenceType *)tensorReferenceType {
  return as<MTLTensorReferenceType>(_described.type);
}
@end

@implementation MTLStructType
- (NSArray<MTLStructMember *> *)members {
  return _members;
}
- (MTLStructMember *)memberByName:(NSString *)name {
  for (MTLStructMember *member in _members)
    if ([member.name isEqualToString:name])
      return member;
  return nil;
}
@end

@implementation MTLArrayType
- (NSUInteger)arrayLength {
  return _arrayLength;
}
- (NSUInteger)stride {
  return _stride;
}
- (NSUInteger)argumentIndexStride {
  return _argumentIndexStride;
}
- (MTLDataType)elementType {
  return _element.data;
}
- (MTLStructType *)elementStructType {
  return as<MTLStructType>(_element.type);
}
- (MTLArrayType *)elementArrayType {
  return as<MTLArrayType>(_element.type);
}
- (MTLPointerType *)elementPointerType {
  return as<MTLPointerType>(_element.type);
}
- (MTLTextureReferenceType *)elementTextureReferenceType {
  return as<MTLTextureReferenceType>(_element.type);
}
- (MTLTensorReferenceType *)elementTensorReferenceType {
  return as<MTLTensorReferenceType>(_element.type);
}
@end

@implementation MTLPointerType
- (MTLDataType)elementType {
  return pointeeData(_pointee);
}
- (MTLBindingAccess)access {
  return bindingAccess(_pointee.access);
}
- (NSUInteger)alignment {
  return _pointee.align;
}
- (NSUInteger)dataSize {
  return _pointee.bytes;
}
- (BOOL)elementIsArgumentBuffer {
  if (!_pointee.structure)
    return NO;
  for (const FieldInfo &field : (*_structs)[*_pointee.structure].fields)
    if (field.kind != FieldKind::Value)
      return YES;
  return NO;
}
- (MTLStructType *)elementStructType {
  return structTypeAt(_structs, _pointee.structure, {});
}
- (MTLArrayType *)elementArrayType {
  if (self.elementType != MTLDataTypeArray)
    return nil;
  const DataType one(*_pointee.element, _pointee.components);
  return as<MTLArrayType>(
      arrayOf({dataTypeOf(one), nil}, {_pointee.bytes / one.bytes(), one.bytes()}, 0).type);
}
@end

@implementation MTLTextureReferenceType
- (MTLDataType)textureDataType {
  return _use.element ? dataTypeOf(DataType(*_use.element)) : MTLDataTypeNone;
}
- (MTLTextureType)textureType {
  return MTLTextureType(_use.type);
}
- (MTLBindingAccess)access {
  return bindingAccess(_use.access);
}
- (BOOL)isDepthTexture {
  return _use.depth;
}
@end

@implementation MTLTensorReferenceType
- (MTLTensorDataType)tensorDataType {
  return tensorDataTypeOf(_use.element);
}
- (MTLDataType)indexType {
  return dataTypeOf(DataType(_use.index));
}
- (MTLTensorExtents *)dimensions {
  return extentsOf(std::vector<int64_t>(_use.rank(), -1));
}
- (MTLBindingAccess)access {
  return bindingAccess(_use.access);
}
@end

@implementation MTLArgument
@end
