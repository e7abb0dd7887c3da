#include "tensor_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace assay::kernels {
namespace {

std::string shapeText(const std::vector<int64_t> &sizes) {
  std::string text;
  for (const int64_t size : sizes)
    text +=
        fmt::format("{}{}", text.empty() ? "" : ", ", size < 0 ? std::string("any") : std::to_string(size));
  return "[" + text + "]";
}

Result<void> checkStrides(std::string_view name, const TensorView &t, TensorUse use) {
  if (t.strides.size() != t.sizes.size())
    return Error::usage(Rule::own("stride"),
                        fmt::format("{} has {} strides for {} axes", name, t.strides.size(), t.sizes.size()));
  if (t.sizes.back() > 1 && t.strides.back() != 1)
    return Error::usage(Rule::own("stride"),
                        fmt::format("{} has stride {} on its innermost axis, the kernel reads stride 1", name,
                                    t.strides.back()),
                        "copy it so that its last axis is contiguous");
  for (size_t axis = 0; axis < t.sizes.size(); ++axis)
    if (t.strides[axis] < 0)
      return Error::usage(Rule::own("stride"), fmt::format("{} has stride {} on axis {}, which is negative",
                                                           name, t.strides[axis], axis));
  if (use == TensorUse::Input)
    return {}; // may be broadcast
  // Axes by ascending stride: each must step over all that the ones inside it cover.
  std::vector<size_t> axes(t.sizes.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::erase_if(axes, [&](size_t axis) { return t.sizes[axis] == 1; });
  std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return t.strides[a] < t.strides[b]; });
  __int128 covered = 1;
  for (const size_t axis : axes) {
    if (t.strides[axis] < covered)
      return Error::usage(
          Rule::own("stride"),
          fmt::format("{} is written and has stride {} on axis {}, where the axes inside it cover {} "
                      "elements: elements would share memory",
                      name, t.strides[axis], axis, int64_t(covered)));
    covered = __int128(t.strides[axis]) * (t.sizes[axis] - 1) + covered;
    if (covered > std::numeric_limits<int64_t>::max())
      break; // checkRange says it
  }
  return {};
}

Result<void> checkRange(std::string_view name, const TensorView &t) {
  __int128 last = t.offset;
  for (size_t axis = 0; axis < t.sizes.size(); ++axis)
    last += __int128(t.strides[axis]) * (t.sizes[axis] - 1);
  const __int128 have = t.buffer.length() / t.type.bytes();
  if (t.offset < 0)
    return Error::usage(Rule::own("tensor-range"),
                        fmt::format("{} begins at element {} of its buffer", name, t.offset));
  if (last < have)
    return {};
  const bool huge = last > std::numeric_limits<int64_t>::max() - 1;
  return Error::usage(Rule::own("tensor-range"),
                      fmt::format("{} {} ends at element {}{} of its buffer, which has {}", name,
                                  shapeText(t.sizes), huge ? "more than " : "",
                                  huge ? std::numeric_limits<int64_t>::max() : int64_t(last), int64_t(have)));
}

} // namespace

int64_t TensorView::count() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

TensorView TensorView::contiguous(Buffer buffer, DataType type, std::vector<int64_t> sizes) {
  TensorView t{std::move(buffer), type, std::move(sizes), {}, 0};
  t.strides.resize(t.sizes.size());
  int64_t stride = 1;
  for (size_t axis = t.sizes.size(); axis-- > 0; stride *= t.sizes[axis])
    t.strides[axis] = stride;
  return t;
}

TensorView TensorView::poisoned(const Device &device, DataType type, std::vector<int64_t> sizes) {
  TensorView t = contiguous({}, type, std::move(sizes));
  t.buffer = device.newBuffer(size_t(t.count()) * type.bytes());
  t.buffer.poison();
  return t;
}

Result<void> checkTensor(std::string_view name, const TensorView &tensor, DataType type,
                         std::initializer_list<int64_t> sizes, TensorUse use) {
  const std::vector<int64_t> wanted(sizes);
  if (!tensor.given())
    return Error::usage(Rule::own("missing-tensor"),
                        fmt::format("{} is missing: {} {} is needed", name, type.name(), shapeText(wanted)));
  if (tensor.type != type)
    return Error::usage(Rule::own("tensor-type"), fmt::format("{} has type {}, the kernel takes {}", name,
                                                              tensor.type.name(), type.name()));
  if (tensor.sizes.size() != wanted.size())
    return Error::usage(Rule::own("tensor-rank"),
                        fmt::format("{} has {} axes, {} has {}", name, tensor.sizes.size(), shapeText(wanted),
                                    wanted.size()));
  for (size_t axis = 0; axis < wanted.size(); ++axis)
    if (tensor.sizes[axis] < 1 || (wanted[axis] >= 0 && tensor.sizes[axis] != wanted[axis]))
      return Error::usage(Rule::own("shape-mismatch"),
                          fmt::format("{} is {}, the other arguments ask for {}", name,
                                      shapeText(tensor.sizes), shapeText(wanted)));
  if (auto strides = checkStrides(name, tensor, use); !strides)
    return strides;
  return checkRange(name, tensor);
}

} // namespace assay::kernels
