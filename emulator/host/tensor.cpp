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

// Rows of elements of less than a byte begin at multiples of this.
constexpr int64_t kRowBytes = 128;
int64_t rowStep(TensorElement element) {
  return element.bits() < 8 ? kRowBytes * 8 / element.bits() : 1;
}

int64_t scalesInRow(const TensorDescriptor &descriptor) {
  return (descriptor.dimensions[0] + kElementsOfAScale - 1) / kElementsOfAScale;
}
// Bytes, of dimensions that tensorLength() has taken.
size_t scalesLength(const TensorDescriptor &descriptor) {
  return size_t(scalesInRow(descriptor) * (descriptor.dimensions.size() > 1 ? descriptor.dimensions[1] : 1));
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
  const int64_t perByte = 8 / std::min<int64_t>(tensor.descriptor.dataType.bits(), 8);
  const bool isWholeRow = origin[0] + dimensions[0] == all[0];
  const auto isWhole = [&](int64_t elements) { return elements % perByte == 0; };
  if (perByte > 1 && !(isWhole(origin[0]) && (isWhole(dimensions[0]) || isWholeRow) && strides[0] == 1 &&
                       std::ranges::all_of(strides.subspan(1), isWhole)))
    return Error::usage(
        "tensor-slice",
        fmt::format("a slice of {} at {} with strides {} of a tensor of {}, of which a byte has {}",
                    listOf(dimensions), listOf(origin), listOf(strides),
                    tensor.descriptor.dataType.metalName(), perByte),
        "rows of a slice begin and end with bytes");
  return {};
}

// Between the tensor and other memory: `inward` copies into the tensor.
void copySlice(const detail::TensorState &tensor, std::byte *bytes, std::span<const int64_t> strides,
               std::span<const int64_t> origin, std::span<const int64_t> dimensions, bool inward) {
  if (std::ranges::any_of(dimensions, [](int64_t d) { return d == 0; }))
    return;
  const int64_t bits = tensor.descriptor.dataType.bits(), size = bits / 8;
  std::byte *first = reinterpret_cast<std::byte *>(tensor.record.first);
  for (size_t r = 0; r < origin.size(); ++r)
    first += origin[r] * tensor.descriptor.strides[r] * bits / 8;
  forEachRow(dimensions, tensor.descriptor.strides, strides, [&](int64_t inTensor, int64_t outside) {
    if (size == 0) { // several elements to a byte: checkSlice() has seen to whole bytes
      std::byte *mine = first + inTensor * bits / 8, *other = bytes + outside * bits / 8;
      const size_t length = size_t(dimensions[0] * bits + 7) / 8;
      inward ? std::memcpy(mine, other, length) : std::memcpy(other, mine, length);
      return;
    }
    for (int64_t i = 0; i < dimensions[0]; ++i) {
      std::byte *mine = first + (inTensor + i * tensor.descriptor.strides[0]) * size;
      std::byte *other = bytes + (outside + i * strides[0]) * size;
      inward ? std::memcpy(mine, other, size) : std::memcpy(other, mine, size);
    }
  });
}

} // namespace

std::vector<int64_t> packedStrides(std::span<const int64_t> dimensions, TensorElement element) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t extent : dimensions) {
    strides.push_back(stride);
    stride = extent > 0 && stride > kMost / extent ? stride : stride * extent;
    if (const int64_t step = rowStep(element); strides.size() == 1 && stride > 0 && stride <= kMost - step)
      stride = (stride + step - 1) / step * step;
  }
  return strides;
}

Result<size_t> detail::tensorLength(const TensorDescriptor &descriptor) {
  const std::vector<int64_t> &dimensions = descriptor.dimensions, &strides = descriptor.strides;
  if (descriptor.dataType == TensorElement(ScalarType::Bool))
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
  const int64_t step = rowStep(descriptor.dataType);
  for (size_t r = 1; r < dimensions.size(); ++r)
    if (strides[r] % step)
      return badTensor(
          fmt::format("a tensor of {} with strides {}", descriptor.dataType.metalName(), listOf(strides)),
          fmt::format("each but the first is a multiple of {} elements, {} bytes", step, kRowBytes));
  if (descriptor.scales && dimensions.size() > 2)
    return badTensor(fmt::format("scales of a tensor of {} dimensions", dimensions.size()),
                     "a tensor with scales has one or two");
  const uint32_t bits = descriptor.dataType.bits();
  if (last >= kMost * 8 / bits)
    return badTensor(fmt::format("a tensor with dimensions {} and strides {} is too large",
                                 listOf(dimensions), listOf(strides)));
  return ((size_t(last) + 1) * bits + 7) / 8;
}

Result<std::shared_ptr<detail::TensorState>> detail::makeTensor(TensorDescriptor descriptor,
                                                                const Buffer &memory, size_t offset,
                                                                const Buffer &scales, size_t scalesOffset) {
  if (descriptor.strides.empty())
    descriptor.strides = packedStrides(descriptor.dimensions, descriptor.dataType);
  const Result<size_t> length = tensorLength(descriptor);
  if (!length)
    return length.error();
  const TensorElement &type = descriptor.dataType;
  const uint32_t bytes = scalarTypeInfo(type.scalar).bytes;
  if (offset % bytes)
    return badTensor(fmt::format("offset {} of a tensor of {}, whose elements have {} bytes", offset,
                                 type.metalName(), bytes));
  if (offset > memory.length() || *length > memory.length() - offset)
    return badTensor(fmt::format("a tensor of {} with dimensions {} and strides {} takes {} bytes from "
                                 "offset {} on, the buffer has {}",
                                 type.metalName(), listOf(descriptor.dimensions), listOf(descriptor.strides),
                                 *length, offset, memory.length()));
  const size_t scaled = descriptor.scales ? scalesLength(descriptor) : 0;
  if (scaled != 0 && (scalesOffset > scales.length() || scaled > scales.length() - scalesOffset))
    return badTensor(
        fmt::format("the scales of a tensor with dimensions {} take {} bytes from offset {} on, the "
                    "buffer has {}",
                    listOf(descriptor.dimensions), scaled, scalesOffset, scales.length()));
  auto state = std::make_shared<TensorState>();
  if (scaled != 0) {
    state->scales = scales;
    state->scalesOffset = scalesOffset;
    state->scalesLength = scaled;
    state->record.scales = static_cast<uint8_t *>(state->scales.contents()) + scalesOffset;
  }
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
  packed.strides = packedStrides(packed.dimensions, packed.dataType);
  const Result<size_t> length = detail::tensorLength(packed);
  if (!length)
    return length.error();
  const Buffer scales = packed.scales ? newBuffer(scalesLength(packed)) : Buffer();
  return newBuffer(*length).newTensor(packed, 0, scales, 0);
}

Result<Tensor> Buffer::newTensor(const TensorDescriptor &descriptor, size_t offset) const {
  return newTensor(descriptor, offset, Buffer(), 0);
}

Result<Tensor> Buffer::newTensor(const TensorDescriptor &descriptor, size_t offset, const Buffer &scales,
                                 size_t scalesOffset) const {
  auto state = detail::makeTensor(descriptor, *this, offset, scales, scalesOffset);
  if (!state)
    return state.error();
  Tensor tensor;
  tensor.state_ = std::move(*state);
  return tensor;
}

TensorElement Tensor::dataType() const {
  return state_->descriptor.dataType;
}
const Buffer &Tensor::scales() const {
  return state_->scales;
}
Tensor Tensor::planeOfScales() const {
  if (!state_->scales.contents())
    return {};
  std::vector<int64_t> dimensions = state_->descriptor.dimensions;
  dimensions[0] = scalesInRow(state_->descriptor);
  return *state_->scales.newTensor({ScalarType::UChar, std::move(dimensions)}, state_->scalesOffset);
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
