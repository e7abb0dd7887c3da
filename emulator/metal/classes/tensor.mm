// Tensors, their planes, descriptors and extents.
#import "tensor.h"
#import "descriptors.h"
#import "objects.h"
#import "resource_finder.h"
#import "translate.h"

#include <fmt/format.h>

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

namespace {

constexpr std::pair<assay::PackedFormat, MTLTensorDataType> kFormats[] = {
    {assay::PackedFormat::int2b_format, MTLTensorDataTypeInt2},
    {assay::PackedFormat::uint2b_format, MTLTensorDataTypeUInt2},
    {assay::PackedFormat::int4b_format, MTLTensorDataTypeInt4},
    {assay::PackedFormat::uint4b_format, MTLTensorDataTypeUInt4},
    {assay::PackedFormat::metal_fp4_e2m1_format, MTLTensorDataTypeMetalFloat4E2M1},
    {assay::PackedFormat::metal_fp8_e4m3_format, MTLTensorDataTypeMetalFloat8E4M3},
    {assay::PackedFormat::metal_fp8_e5m2_format, MTLTensorDataTypeMetalFloat8E5M2},
    {assay::PackedFormat::metal_fp8_ue8m0_format, MTLTensorDataTypeMetalFloat8UE8M0}};

std::vector<int64_t> blockFactors(NSUInteger rank) {
  std::vector<int64_t> factors(rank, 1);
  if (rank != 0)
    factors[0] = assay::kElementsOfAScale;
  return factors;
}

} // namespace

MTLTensorDataType assay::metal::tensorDataTypeOf(const assay::TensorElement &element) {
  for (const auto &[format, type] : kFormats)
    if (element == format)
      return type;
  return element.format ? MTLTensorDataTypeNone
                        : MTLTensorDataType(dataTypeOf(assay::DataType(element.scalar)));
}
std::optional<assay::TensorElement> assay::metal::tensorElementOf(MTLTensorDataType type) {
  for (const auto &[format, number] : kFormats)
    if (type == number)
      return format;
  const std::optional<assay::DataType> scalar = dataTypeOf(MTLDataType(type));
  return scalar && scalar->components == 1 ? std::optional<assay::TensorElement>(scalar->scalar)
                                           : std::nullopt;
}

@implementation MTLTensorAuxiliaryPlaneDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _dataType = MTLTensorDataTypeMetalFloat8UE8M0;
    _blockFactors = extentsOf(blockFactors(1));
  }
  return self;
}
ASSAY_COPY(MTLTensorAuxiliaryPlaneDescriptor, ASSAY_MEMBER(dataType) ASSAY_MEMBER(blockFactors))
@end

@implementation MTLTensorAuxiliaryPlaneDescriptorMap {
  MTLTensorAuxiliaryPlaneDescriptor *_scales;
}
- (void)setDescriptor:(MTLTensorAuxiliaryPlaneDescriptor *)descriptor forPlane:(MTLTensorPlaneType)plane {
  if (plane == MTLTensorPlaneTypeScales)
    _scales = descriptor;
  else
    NSLog(@"plane %ld of a tensor is no auxiliary plane: MTLTensorPlaneTypeScales is the only one",
          long(plane));
}
- (MTLTensorAuxiliaryPlaneDescriptor *)descriptorForPlane:(MTLTensorPlaneType)plane {
  return plane == MTLTensorPlaneTypeScales ? _scales : nil;
}
- (void)reset {
  _scales = nil;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLTensorAuxiliaryPlaneDescriptorMap *copy = [MTLTensorAuxiliaryPlaneDescriptorMap new];
  copy->_scales = _scales;
  return copy;
}
@end

@implementation MTLTensorBufferAttachments {
  id<MTLBuffer> _buffers[2];
  NSUInteger _offsets[2];
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset forPlane:(MTLTensorPlaneType)plane {
  if (NSUInteger(plane) >= std::size(_offsets)) {
    NSLog(@"tensors have no plane %ld", long(plane));
    return;
  }
  _buffers[plane] = buffer;
  _offsets[plane] = offset;
}
- (id<MTLBuffer>)bufferForPlane:(MTLTensorPlaneType)plane {
  return NSUInteger(plane) < std::size(_offsets) ? _buffers[plane] : nil;
}
- (NSUInteger)offsetForPlane:(MTLTensorPlaneType)plane {
  return NSUInteger(plane) < std::size(_offsets) ? _offsets[plane] : 0;
}
- (void)reset {
  for (size_t plane = 0; plane < std::size(_offsets); ++plane) {
    _buffers[plane] = nil;
    _offsets[plane] = 0;
  }
}
- (id)copyWithZone:(NSZone *)zone {
  MTLTensorBufferAttachments *copy = [MTLTensorBufferAttachments new];
  for (size_t plane = 0; plane < std::size(_offsets); ++plane) {
    copy->_buffers[plane] = _buffers[plane];
    copy->_offsets[plane] = _offsets[plane];
  }
  return copy;
}
@end

@implementation MTLTensorDescriptor
- (instancetype)init {
  if ((self = [super init])) {
    _dimensions = extentsOf(std::vector<int64_t>{1});
    _dataType = MTLTensorDataTypeFloat32;
    _usage = MTLTensorUsageCompute | MTLTensorUsageRender;
  }
  return self;
}
ASSAY_COPY(MTLTensorDescriptor,
           ASSAY_MEMBER(dimensions) ASSAY_MEMBER(strides) ASSAY_MEMBER(dataType) ASSAY_MEMBER(usage)
               ASSAY_MEMBER(auxiliaryPlanes) ASSAY_MEMBER(resourceOptions))
ASSAY_RESOURCE_OPTIONS()
@end

namespace {

assay::Error refused(std::string what, std::string hint) {
  return assay::Error::usage("tensor-descriptor", std::move(what), std::move(hint));
}

MTLTensorAuxiliaryPlaneDescriptor *scalesOf(MTLTensorDescriptor *descriptor) {
  return [descriptor.auxiliaryPlanes descriptorForPlane:MTLTensorPlaneTypeScales];
}

// Packed formats, those of a byte included, begin at multiples of this in a buffer.
constexpr int64_t kFormatAlignment = 128;

// What Metal asks of a tensor with a packed format. source: Apple's documentation of MTLTensorDescriptor.
assay::Result<void> checkFormat(MTLTensorDescriptor *descriptor, const assay::TensorElement &type) {
  const std::vector<int64_t> dimensions = valuesOf(descriptor.dimensions),
                             strides = valuesOf(descriptor.strides);
  if (type == assay::PackedFormat::metal_fp8_ue8m0_format)
    return refused("a tensor of metal_fp8_ue8m0_format", "only a plane of scales is of this format");
  if (!type.format)
    return {};
  if (!dimensions.empty() && dimensions[0] % assay::kElementsOfAScale)
    return refused(
        fmt::format("a tensor of {} with {} elements along dimension 0", type.metalName(), dimensions[0]),
        fmt::format("their number is a multiple of {}", assay::kElementsOfAScale));
  for (size_t r = 1; r < strides.size(); ++r)
    if (strides[r] % (kFormatAlignment * 8 / type.bits()))
      return refused(fmt::format("a tensor of {} with a stride of {} elements", type.metalName(), strides[r]),
                     fmt::format("each but the first is a multiple of {} bytes", kFormatAlignment));
  return {};
}

// source: Apple's documentation of MTLTensorDescriptor.auxiliaryPlanes and MTLTensorAuxiliaryPlaneDescriptor.
assay::Result<void> checkScales(MTLTensorDescriptor *descriptor, const assay::TensorElement &type) {
  MTLTensorAuxiliaryPlaneDescriptor *scales = scalesOf(descriptor);
  const std::vector<int64_t> dimensions = valuesOf(descriptor.dimensions);
  if (!scales)
    return {};
  if (scales.dataType != MTLTensorDataTypeMetalFloat8UE8M0)
    return refused(fmt::format("scales of data type {}", long(scales.dataType)),
                   "they are MTLTensorDataTypeMetalFloat8UE8M0");
  if (valuesOf(scales.blockFactors) != blockFactors(dimensions.size()))
    return refused(fmt::format("block factors {} of the scales of a tensor of {} dimensions",
                               scales.blockFactors.description.UTF8String, dimensions.size()),
                   fmt::format("the first is {}, and 1 each of the others", assay::kElementsOfAScale));
  if (type.bits() > 8)
    return refused(fmt::format("scales of a tensor of {}", type.metalName()),
                   "its elements have at most one byte");
  if (!dimensions.empty() && dimensions[0] % assay::kElementsOfAScale)
    return refused(fmt::format("scales of a tensor with {} elements along dimension 0", dimensions[0]),
                   fmt::format("their number is a multiple of {}", assay::kElementsOfAScale));
  if (descriptor.usage & MTLTensorUsageMachineLearning)
    return refused("scales of a tensor with MTLTensorUsageMachineLearning", "use MTLTensorUsageCompute");
  return {};
}

// source: Apple's documentation of MTLTensorBufferAttachments.
assay::Result<void> checkPlane(MTLTensorBufferAttachments *attachments, MTLTensorPlaneType plane,
                               bool isOfFormat) {
  const char *const name = plane == MTLTensorPlaneTypeScales ? "scales" : "data";
  const NSUInteger offset = [attachments offsetForPlane:plane];
  if (![attachments bufferForPlane:plane])
    return refused(fmt::format("a tensor with no buffer for its plane of {}", name),
                   "newTensorWithDescriptor:attachments:error: takes one for each plane");
  if (isOfFormat && offset % kFormatAlignment)
    return refused(fmt::format("offset {} of a plane of {}", offset, name),
                   fmt::format("it is a multiple of {} bytes", kFormatAlignment));
  return {};
}

assay::Result<void> checkTensor(MTLTensorDescriptor *descriptor, const assay::TensorElement &type,
                                MTLTensorBufferAttachments *attachments) {
  if (assay::Result<void> ok = checkFormat(descriptor, type); !ok)
    return ok;
  if (assay::Result<void> ok = checkScales(descriptor, type); !ok || !attachments)
    return ok;
  if (assay::Result<void> ok = checkPlane(attachments, MTLTensorPlaneTypeData, type.format.has_value()); !ok)
    return ok;
  return scalesOf(descriptor) ? checkPlane(attachments, MTLTensorPlaneTypeScales, true)
                              : assay::Result<void>();
}

assay::Result<assay::Tensor> nativeTensor(AssayDevice *device, const assay::TensorDescriptor &descriptor,
                                          MTLTensorBufferAttachments *attachments) {
  if (!attachments)
    return device->_native.newTensor(descriptor);
  AssayBuffer *data = (AssayBuffer *)[attachments bufferForPlane:MTLTensorPlaneTypeData];
  AssayBuffer *scales = (AssayBuffer *)[attachments bufferForPlane:MTLTensorPlaneTypeScales];
  return data->_native.newTensor(descriptor, [attachments offsetForPlane:MTLTensorPlaneTypeData],
                                 scales ? scales->_native : assay::Buffer(),
                                 [attachments offsetForPlane:MTLTensorPlaneTypeScales]);
}

} // namespace

/// The plane of scales of a tensor.
@interface AssayScales : NSObject <MTLTensorAuxiliaryPlane> {
@public
  AssayTensor *_tensor;
}
@end

@implementation AssayScales
- (MTLTensorDataType)dataType {
  return MTLTensorDataTypeMetalFloat8UE8M0;
}
- (MTLTensorExtents *)blockFactors {
  return extentsOf(blockFactors(_tensor->_native.dimensions().size()));
}
- (id<MTLBuffer>)buffer {
  return _tensor->_scalesBuffer;
}
- (NSUInteger)bufferOffset {
  return _tensor->_scalesBuffer ? _tensor->_scales.bufferOffset() : 0;
}
- (MTLTensorPlaneType)planeType {
  return MTLTensorPlaneTypeScales;
}
@end

@implementation AssayTensor
+ (instancetype)tensorWithDevice:(AssayDevice *)device
                      descriptor:(MTLTensorDescriptor *)descriptor
                     attachments:(MTLTensorBufferAttachments *)attachments
                           error:(NSError **)error {
  const std::optional<assay::TensorElement> type = assay::metal::tensorElementOf(descriptor.dataType);
  if (!type) {
    give(error,
         unsupported([NSString stringWithFormat:@"a tensor of data type %ld", long(descriptor.dataType)],
                     MTLTensorDomain, MTLTensorErrorInvalidDescriptor));
    return nil;
  }
  const assay::TensorDescriptor native{*type, assay::metal::valuesOf(descriptor.dimensions),
                                       assay::metal::valuesOf(descriptor.strides),
                                       scalesOf(descriptor) != nil};
  const assay::Result<void> checked = checkTensor(descriptor, *type, attachments);
  const assay::Result<assay::Tensor> made =
      checked ? nativeTensor(device, native, attachments) : checked.error();
  if (!made) {
    give(error, errorOf(made.error(), MTLTensorDomain, MTLTensorErrorInvalidDescriptor));
    return nil;
  }
  give(error, nil);
  AssayBuffer *buffer = (AssayBuffer *)[attachments bufferForPlane:MTLTensorPlaneTypeData];
  const assay::Tensor scales = made->planeOfScales();
  AssayTensor *tensor =
      [[AssayTensor alloc] initWithDevice:device
                                  options:buffer ? buffer->_options : descriptor.resourceOptions
                                     size:buffer ? 0 : made->length() + (scales ? scales.length() : 0)];
  tensor->_native = *made;
  tensor->_scales = scales;
  device->_resources->enter(*made);
  tensor->_buffer = buffer;
  if (scales)
    tensor->_scalesBuffer = (AssayBuffer *)[attachments bufferForPlane:MTLTensorPlaneTypeScales];
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
- (NSArray<id<MTLTensorAuxiliaryPlane>> *)auxiliaryPlanes {
  if (!_scales)
    return @[];
  AssayScales *scales = [AssayScales new];
  scales->_tensor = self;
  return @[ scales ];
}
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides {
  [self replaceSliceOrigin:sliceOrigin
           sliceDimensions:sliceDimensions
                     plane:MTLTensorPlaneTypeData
                 withBytes:bytes
                   strides:strides];
}
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions {
  [self getBytes:bytes
              strides:strides
      fromSliceOrigin:sliceOrigin
      sliceDimensions:sliceDimensions
                plane:MTLTensorPlaneTypeData];
}
// A slice of the scales has their own coordinates: a block of elements is one.
- (assay::Tensor)elementsOf:(MTLTensorPlaneType)plane {
  if (plane == MTLTensorPlaneTypeData)
    return _native;
  if (plane != MTLTensorPlaneTypeScales || !_scales)
    NSLog(@"the tensor has no plane %ld", long(plane));
  return plane == MTLTensorPlaneTypeScales ? _scales : assay::Tensor();
}
// Neither reports anything in Metal. A slice that is not in the tensor is left alone.
- (void)replaceSliceOrigin:(MTLTensorExtents *)sliceOrigin
           sliceDimensions:(MTLTensorExtents *)sliceDimensions
                     plane:(MTLTensorPlaneType)plane
                 withBytes:(const void *)bytes
                   strides:(MTLTensorExtents *)strides {
  assay::Tensor elements = [self elementsOf:plane];
  if (!elements)
    return;
  if (const assay::Result<void> done =
          elements.replaceSlice(assay::metal::valuesOf(sliceOrigin), assay::metal::valuesOf(sliceDimensions),
                                bytes, assay::metal::valuesOf(strides));
      !done)
    NSLog(@"%@", fromText(renderDiagnostics(done.error().diagnostics)));
}
- (void)getBytes:(void *)bytes
            strides:(MTLTensorExtents *)strides
    fromSliceOrigin:(MTLTensorExtents *)sliceOrigin
    sliceDimensions:(MTLTensorExtents *)sliceDimensions
              plane:(MTLTensorPlaneType)plane {
  const assay::Tensor elements = [self elementsOf:plane];
  if (!elements)
    return;
  if (const assay::Result<void> done =
          elements.getBytes(bytes, assay::metal::valuesOf(strides), assay::metal::valuesOf(sliceOrigin),
                            assay::metal::valuesOf(sliceDimensions));
      !done)
    NSLog(@"%@", fromText(renderDiagnostics(done.error().diagnostics)));
}
@end
