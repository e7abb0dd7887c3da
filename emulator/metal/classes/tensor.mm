// Tensors, their descriptors and extents.
#import "tensor.h"
#import "descriptors.h"
#import "objects.h"
#import "resource_finder.h"
#import "translate.h"

using namespace assay::metal;

NSErrorDomain const MTLTensorDomain = @"MTLTensorDomain";

@implementation MTLTensorExtents {
@public
  std::vector<int64_t> _values;
}
// Nil for a rank that no tensor has, as in Metal. Without values all extents are 0.
- (instancetype)initWithRank:(NSUInteger)rank values:(const NSInteger *)values {
  if (rank > MTL_TENSOR_MAX_RANK || !(self = [super init]))
    return nil;
  _values.assign(rank, 0);
  if (values)
    std::copy(values, values + rank, _values.begin());
  return self;
}
- (NSUInteger)rank {
  return _values.size();
}
- (NSInteger)extentAtDimensionIndex:(NSUInteger)index {
  return index < _values.size() ? _values[index] : -1;
}
- (id)copyWithZone:(NSZone *)zone {
  return self;
}
- (BOOL)isEqual:(id)other {
  return [other isKindOfClass:[MTLTensorExtents class]] && ((MTLTensorExtents *)other)->_values == _values;
}
- (NSUInteger)hash {
  NSUInteger hash = _values.size();
  for (const int64_t value : _values)
    hash = hash * 31 + NSUInteger(value);
  return hash;
}
- (NSString *)description {
  NSMutableString *text = [NSMutableString stringWithString:@"("];
  for (size_t i = 0; i < _values.size(); ++i)
    [text appendFormat:@"%s%ld", i ? ", " : "", long(_values[i])];
  [text appendString:@")"];
  return text;
}
@end

MTLTensorExtents *assay::metal::extentsOf(std::span<const int64_t> values) {
  static_assert(sizeof(NSInteger) == sizeof(int64_t));
  return [[MTLTensorExtents alloc] initWithRank:values.size()
                                         values:reinterpret_cast<const NSInteger *>(values.data())];
}
std::vector<int64_t> assay::metal::valuesOf(MTLTensorExtents *extents) {
  return extents ? extents->_values : std::vector<int64_t>();
}

MTLTensorDataType assay::metal::tensorDataTypeOf(const assay::TensorElement &element) {
  if (element == assay::PackedFormat::int4b_format)
    return MTLTensorDataTypeInt4;
  if (element == assay::PackedFormat::uint4b_format)
    return MTLTensorDataTypeUInt4;
  return element.format ? MTLTensorDataTypeNone
                        : MTLTensorDataType(dataTypeOf(assay::DataType(element.scalar)));
}
std::optional<assay::TensorElement> assay::metal::tensorElementOf(MTLTensorDataType type) {
  if (type == MTLTensorDataTypeInt4)
    return assay::PackedFormat::int4b_format;
  if (type == MTLTensorDataTypeUInt4)
    return assay::PackedFormat::uint4b_format;
  const std::optional<assay::DataType> scalar = dataTypeOf(MTLDataType(type));
  return scalar && scalar->components == 1 ? std::optional<assay::TensorElement>(scalar->scalar)
                                           : std::nullopt;
}

@implementation MTLTensorDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _dimensions = extentsOf(std::vector<int64_t>{1});
    _dataType = MTLTensorDataTypeFloat32;
    _usage = MTLTensorUsageCompute | MTLTensorUsageRender;
  }
  return self;
}
ASSAY_COPY(MTLTensorDescriptor, ASSAY_MEMBER(dimensions) ASSAY_MEMBER(strides) ASSAY_MEMBER(dataType)
                                    ASSAY_MEMBER(usage) ASSAY_MEMBER(resourceOptions))
ASSAY_RESOURCE_OPTIONS()
@end

@implementation AssayTensor
+ (instancetype)tensorWithDevice:(AssayDevice *)device
                          buffer:(AssayBuffer *)buffer
                          offset:(NSUInteger)offset
                      descriptor:(MTLTensorDescriptor *)descriptor
                           error:(NSError **)error {
  const std::optional<assay::TensorElement> type = assay::metal::tensorElementOf(descriptor.dataType);
  if (!type) {
    give(error,
         unsupported([NSString stringWithFormat:@"a tensor of data type %ld", long(descriptor.dataType)],
                     MTLTensorDomain, MTLTensorErrorInvalidDescriptor));
    return nil;
  }
  const assay::TensorDescriptor native{*type, assay::metal::valuesOf(descriptor.dimensions),
                                       assay::metal::valuesOf(descriptor.strides)};
  const assay::Result<assay::Tensor> made =
      buffer ? buffer->_native.newTensor(native, offset) : device->_native.newTensor(native);
  if (!made) {
    give(error, errorOf(made.error(), MTLTensorDomain, MTLTensorErrorInvalidDescriptor));
    return nil;
  }
  give(error, nil);
  AssayTensor *tensor =
      [[AssayTensor alloc] initWithDevice:device
                                  options:buffer ? buffer->_options : descriptor.resourceOptions
                                     size:buffer ? 0 : made->length()];
  tensor->_native = *made;
  device->_resources->enter(*made);
  tensor->_buffer = buffer;
  tensor->_usage = descriptor.usage;
  return tensor;
}
- (void)dealloc {
  if (_native)
    _device->_resources->leave(_native);
}
- (MTLResourceID)gpuResourceID {
  return {_native.gpuResourceID()};
}
- (id<MTLBuffer>)buffer {
  return _buffer;
}
- (NSUInteger)bufferOffset {
  return _native.bufferOffset();
}
- (MTLTensorExtents *)strides {
  return _buffer ? extentsOf(_native.strides()) : nil;
}
- (MTLTensorExtents *)dimensions {
  return extentsOf(_native.dimensions());
}
- (MTLTensorDataType)dataType {
  return tensorDataTypeOf(_native.dataType());
}
- (MTLTensorUsage)usage {
  return _usage;
}
// Neither reports anything in Metal. A slice that is not in the tensor is left alone.
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides {
  if (const assay::Result<void> done =
          _native.replaceSlice(assay::metal::valuesOf(sliceOrigin), assay::metal::valuesOf(sliceDimensions),
                               bytes, assay::metal::valuesOf(strides));
      !done)
    NSLog(@"%@", fromText(renderDiagnostics(done.error().diagnostics)));
}
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions {
  if (const assay::Result<void> done =
          _native.getBytes(bytes, assay::metal::valuesOf(strides), assay::metal::valuesOf(sliceOrigin),
                           assay::metal::valuesOf(sliceDimensions));
      !done)
    NSLog(@"%@", fromText(renderDiagnostics(done.error().diagnostics)));
}
@end
