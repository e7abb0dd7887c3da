// Part of a buffer seen as an array with sizes and strides: how dispatchers take their tensors.
#pragma once

#include "emulator/host/assay.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace assay::kernels {

struct TensorView {
  Buffer buffer;
  DataType type;
  std::vector<int64_t> sizes;   ///< elements, outermost first
  std::vector<int64_t> strides; ///< elements between neighbours of an axis, as many as sizes
  int64_t offset = 0;           ///< elements in front of the first

  bool given() const { return buffer.length() != 0; }
  int64_t size(size_t axis) const { return sizes[axis]; }
  int64_t stride(size_t axis) const { return strides[axis]; }
  size_t byteOffset() const { return size_t(offset) * type.bytes(); }
  int64_t count() const; ///< elements

  /// All of it, without gaps, the last axis innermost.
  static TensorView contiguous(Buffer buffer, DataType type, std::vector<int64_t> sizes);
  /// Poisoned memory of its own.
  static TensorView poisoned(const Device &device, DataType type, std::vector<int64_t> sizes);
};

enum class TensorUse { Input, Output };

/// What every dispatcher asks of a tensor before it runs.
///   sizes    what they must be; -1 takes any
///   errors   Usage, naming the argument and both numbers: "missing-tensor", "tensor-type", "tensor-rank",
///            "shape-mismatch", "stride" (of the innermost axis, which must be 1; negative; of an output, where two
///            elements share their memory), "tensor-range" (its last element is past the end of its buffer)
Result<void> checkTensor(std::string_view name, const TensorView &tensor, DataType type,
                         std::initializer_list<int64_t> sizes, TensorUse use = TensorUse::Input);

} // namespace assay::kernels
