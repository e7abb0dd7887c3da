// The record of a tensor that the host binds, which a kernel reads.
//
// A kernel finds it by its address: in an argument buffer that is the tensor's gpuResourceID, as for function
// tables. msl_shim/detail/tensor_layout.h has the kernel's side. Compiled objects are cached, so a change
// here must change kLaneAbiVersion.
#pragma once

#include <cstdint>

namespace assay {

/// Also in msl_shim/detail/tensor_layout.h.
inline constexpr uint32_t kMostTensorDimensions = 16;

struct TensorAbi {
  uint8_t *first = nullptr;  ///< the element whose indices are 0
  uint8_t *scales = nullptr; ///< the first of its plane of scales; null if it has none
  /// Innermost first, in elements; as numbers of the kernel's: fields 0 to 15 and 16 to 31.
  int64_t extents[kMostTensorDimensions] = {};
  int64_t strides[kMostTensorDimensions] = {};
};
inline constexpr uint32_t kTensorFields = 2 * kMostTensorDimensions;

} // namespace assay
