#include "device.h"
#include "tensor_state.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace assay {
namespace {

Error badTensor(std::string message, std::string hint = {}) {
  return Error::usage("tensor-descriptor", std::move(message), std::move(hint));
}

std::string listOf(std::span<const int64_t> numbers) {
  return fmt::format("({})", fmt::join(numbers, ", "));
}

// Calls `copy` with the first element of each innermost row of the slice, in both memories.
template <class Copy>
void forEachRow(std::span<const int64_t> dimensions, std::span<const int64_t> left,
                std::span<const int64_t> right, const Copy &copy) {
  std::vector<int64_t> at(dimensions.size(), 0);
  int64_t leftAt = 0, rightAt = 0;
  while (true) {
    copy(leftAt, rightAt);
    size_t r = 1;
    for (; r < dimensions.size(); ++r) {
      leftAt += left[r];
      rightAt += right[r];
      if (++at[r] < dimensions[r])
        break;
      leftAt -= left[r] * dimensions[r];
      rightAt -= right[r] * dimensions[r];
      at[r] = 0;
    }
    if (r >= dimensions.size())
      return;
  }
}

Result<void> checkSlice(const detail::TensorState &tensor, std::span<const int64_t> strides,
                        std::span<const int64_t> origin, std::span<const int64_t> dimensions) {
  const std::vector<int64_t> &all = tensor.descriptor.dimensions;
  for (const auto &[what, list] : {std::pair("strides", strides), std::pair("a slice's origin", origin),
                                   std::pair("a slice's dimensions", dimensions)})
    if (list.size() != all.size())
      return Error::usage("tensor-slice", fmt::format("{} {} for a tensor of {} dimensions, {}", what,
                                                      listOf(list), all.size(), listOf(all)));
  for (size_t r = 0; r < all.size(); ++r)
    if (origin[r] < 0 || dimensions[r] < 0 || origin[r] > all[r] || dimensions[r] > all[r] - origin[r])
      return Error::usage("tensor-slice", fmt::format("a slice of {} at {} is not in a tensor of {}",
                                                      listOf(dimensions), listOf(origin), listOf(all)));
  return {};
}

// Between the tensor and other memory: `inward` copies into the tensor.
void copySlice(const detail::TensorState &tensor, std::byte *bytes, std::span<const int64_t> strides,
               std::span<const int64_t> origin, std::span<const int64_t> dimensions, bool inward) {
  if (std::ranges::any_of(dimensions, [](int64_t d) { return d == 0; }))
    return;
  const int64_t size = scalarTypeInfo(tensor.descriptor.dataType).bytes;
  std::byte *first = reinterpret_cast<std::byte *>(tensor.record.first);
  for (size_t r = 0; r < origin.size(); ++r)
    first += origin[r] * tensor.descriptor.strides[r] * size;
  forEachRow(dimensions, tensor.descriptor.strides, strides, [&](int64_t inTensor, int64_t outside) {
    for (int64_t i = 0; i < dimensions[0]; ++i) {
      std::byte *mine = first + (inTensor + i * tensor.descriptor.strides[0]) * size;
      std::byte *other = bytes + (outside + i * strides[0]) * size;
      inward ? std::memcpy(mine, other, size) : std::memcpy(other, mine, size);
    }
  });
}

} // namespace

std::vector<int64_t> packedStrides(std::span<const int64_t> dimensions) {
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t extent : dimensions) {
    strides.push_back(stride);
    stride = extent > 0 && stride > std::numeric_limits<int64_t>::max() / extent ? stride : stride * extent;
  }
  return strides;
}

Result<size_t> detail::tensorLength(const TensorDescriptor &descriptor) {
  const std::vector<int64_t> &dimensions = descriptor.dimensions, &strides = descriptor.strides;
  if (descriptor.dataType == ScalarType::Bool)
    return badTensor("a tensor of bool", "its elements are integers, half, bfloat or float");
  if (dimensions.empty() || dimensions.size() > kMostTensorDimensions)
    return badTensor(fmt::format("a tensor of {} dimensions", dimensions.size()),
                     fmt::format("it has 1 to {}", kMostTensorDimensions));
  for (const int64_t extent : dimensions)
    if (extent < 1)
      return badTensor(fmt::format("a tensor with dimensions {}", listOf(dimensions)), "each is at least 1");
  if (strides.size() != dimensions.size())
    return badTensor(fmt::format("{} strides, {}, for a tensor of {} dimensions, {}", strides.size(),
                                 listOf(strides), dimensions.size(), listOf(dimensions)));
  if (strides[0] != 1)
    return badTensor(fmt::format("a tensor with strides {}", listOf(strides)),
                     "the first stride is 1: dimension 0 is the innermost");
  constexpr __int128 kMost = __int128(1) << 46;
  __int128 last = 0;
  for (size_t r = 0; r < dimensions.size(); ++r) {
    if (strides[r] < 0)
      return badTensor(fmt::format("a tensor with strides {}", listOf(strides)), "none is negative");
    last += __int128(dimensions[r] - 1) * strides[r];
  }
  const uint32_t bytes = scalarTypeInfo(descriptor.dataType).bytes;
  if (last >= kMost / bytes)
    return badTensor(fmt::format("a tensor with dimensions {} and strides {} is too large",
                                 listOf(dimensions), listOf(strides)));
  return (size_t(last) + 1) * bytes;
}

Result<std::shared_ptr<detail::TensorState>> detail::makeTensor(TensorDescriptor descriptor,
                                                                const Buffer &memory, size_t offset) {
  if (descriptor.strides.empty())
    descriptor.strides = packedStrides(descriptor.dimensions);
  const Result<size_t> length = tensorLength(descriptor);
  if (!length)
    return length.error();
  const ScalarTypeInfo &type = scalarTypeInfo(descriptor.dataType);
  if (offset % type.bytes)
    return badTensor(fmt::format("offset {} of a tensor of {}, whose elements have {} bytes", offset,
                                 type.metalName, type.bytes));
  if (offset > memory.length() || *length > memory.length() - offset)
    return badTensor(fmt::format("a tensor of {} with dimensions {} and strides {} takes {} bytes from "
                                 "offset {} on, the buffer has {}",
                                 type.metalName, listOf(descriptor.dimensions), listOf(descriptor.strides),
                                 *length, offset, memory.length()));
  auto state = std::make_shared<TensorState>();
  state->memory = memory;
  state->offset = offset;
  state->length = *length;
  state->record.first = static_cast<uint8_t *>(state->memory.contents()) + offset;
  std::ranges::copy(descriptor.dimensions, state->record.extents);
  std::ranges::copy(descriptor.strides, state->record.strides);
  state->descriptor = std::move(descriptor);
  return state;
}

Result<Tensor> Device::newTensor(const TensorDescriptor &descriptor) const {
  if (!descriptor.strides.empty())
    return badTensor("strides of a tensor that has memory of its own", "only one in a buffer has strides");
  TensorDescriptor packed = descriptor;
  packed.strides = packedStrides(packed.dimensions);
  const Result<size_t> length = detail::tensorLength(packed);
  if (!length)
    return length.error();
  return newBuffer(*length).newTensor(packed, 0);
}

Result<Tensor> Buffer::newTensor(const TensorDescriptor &descriptor, size_t offset) const {
  auto state = detail::makeTensor(descriptor, *this, offset);
  if (!state)
    return state.error();
  Tensor tensor;
  tensor.state_ = std::move(*state);
  return tensor;
}

ScalarType Tensor::dataType() const {
  return state_->descriptor.dataType;
}
const std::vector<int64_t> &Tensor::dimensions() const {
  return state_->descriptor.dimensions;
}
const std::vector<int64_t> &Tensor::strides() const {
  return state_->descriptor.strides;
}
const Buffer &Tensor::buffer() const {
  return state_->memory;
}
size_t Tensor::bufferOffset() const {
  return state_->offset;
}
size_t Tensor::length() const {
  return state_->length;
}
uint64_t Tensor::gpuResourceID() const {
  return reinterpret_cast<uintptr_t>(&state_->record);
}

Result<void> Tensor::getBytes(void *bytes, std::span<const int64_t> strides,
                              std::span<const int64_t> sliceOrigin,
                              std::span<const int64_t> sliceDimensions) const {
  Result<void> ok = checkSlice(*state_, strides, sliceOrigin, sliceDimensions);
  if (ok)
    copySlice(*state_, static_cast<std::byte *>(bytes), strides, sliceOrigin, sliceDimensions, false);
  return ok;
}

Result<void> Tensor::replaceSlice(std::span<const int64_t> sliceOrigin,
                                  std::span<const int64_t> sliceDimensions, const void *bytes,
                                  std::span<const int64_t> strides) {
  Result<void> ok = checkSlice(*state_, strides, sliceOrigin, sliceDimensions);
  if (ok)
    copySlice(*state_, static_cast<std::byte *>(const_cast<void *>(bytes)), strides, sliceOrigin,
              sliceDimensions, true);
  return ok;
}

} // namespace assay
