// MTLTensor and its descriptor: memory with a type, extents and strides, which a kernel takes as
// tensor<device T, dextents<..>> (a tensor_handle).
//
//   auto tensor = device.newTensor({.dataType = assay::ScalarType::Half, .dimensions = {columns, rows}});
//   tensor->replaceSlice({0, 0}, {columns, rows}, data, {1, columns});
//   encoder.setTensor(*tensor, 0);
//
// Dimension 0 is the innermost, as in the kernel: the columns of a row-major matrix.
//
// Problem.  Metal 4 binds a tensor by its gpuResourceID, in an argument table or in an argument buffer. The
//           kernel then knows the extents and strides, which no source of a plain buffer says, and an access
//           is right only between the tensor's first element and its last one.
// Choice.   A tensor takes the slot of a buffer. For the kernel, its buffer begins with the first element and
//           ends with the last one, even where the memory goes on: what lies outside is undefined in Metal,
//           and here an error. A tensor of the device has rows without gaps, like one of a buffer without
//           strides; Metal does not say how it places its own. lowering/host_tensors.h has the kernel's side.
// Rejected. A buffer and a shape that the encoder is given apart: two calls that belong together, and no
//           gpuResourceID.
//
// Elements may have packed formats (macOS 26.4 and 27). Those of less than a byte follow one another in
// bytes, the one with the lower index in the lower bits, and their rows begin at multiples of 128 bytes. A
// tensor may have a plane of scales: a metal_fp8_ue8m0_format for each 32 elements along dimension 0, whose
// rows follow one another without gaps.
//   source  Apple's documentation of MTLTensor, MTLTensorDescriptor and MTLTensorExtents (macOS 26);
//           MPP-4.1-FP4-FP8-block of Anemll (rows and scales, measured on an M5)
#pragma once

#include "buffer.h"

#include "../support/abi/tensor_element.h"
#include "../support/text/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace assay {

struct TensorDescriptor {
  TensorElement dataType = ScalarType::Float;
  std::vector<int64_t> dimensions;   ///< innermost first, 1 to 16 of them
  std::vector<int64_t> strides = {}; ///< in elements, of a tensor in a buffer; empty: without gaps
  bool scales = false;               ///< has a plane of scales; then it has one or two dimensions
};

namespace detail {
struct TensorState;
}

/// A handle: copies share the elements.
class Tensor {
public:
  Tensor() = default; ///< none; binding it unbinds

  explicit operator bool() const { return state_ != nullptr; }
  TensorElement dataType() const;
  const std::vector<int64_t> &dimensions() const;
  const std::vector<int64_t> &strides() const; ///< those that the kernel sees
  const Buffer &buffer() const;                ///< its own, or the one it was made in
  const Buffer &scales() const;                ///< of its scales; no buffer if it has none
  Tensor planeOfScales() const;                ///< the scales as a tensor of uchar; none if it has none
  size_t bufferOffset() const;                 ///< bytes
  size_t length() const;                       ///< bytes from the first element to the end of the last one

  /// The number that a kernel finds in an argument buffer: eight bytes, little-endian, where the struct has
  /// the tensor. ComputeCommandEncoder::useResource makes the tensor known to a dispatch.
  uint64_t gpuResourceID() const;

  /// Copies a slice out.
  ///   strides   of `bytes`, in elements
  /// errors  Usage "tensor-slice": it is not in the tensor, the numbers of dimensions differ, or a row of
  ///         elements of less than a byte does not begin and end with bytes
  Result<void> getBytes(void *bytes, std::span<const int64_t> strides, std::span<const int64_t> sliceOrigin,
                        std::span<const int64_t> sliceDimensions) const;
  /// Copies a slice in. errors as above
  Result<void> replaceSlice(std::span<const int64_t> sliceOrigin, std::span<const int64_t> sliceDimensions,
                            const void *bytes, std::span<const int64_t> strides);

private:
  friend class Device;
  friend class Buffer;
  friend class ComputeCommandEncoder;
  std::shared_ptr<detail::TensorState> state_;
};

/// Rows, planes and so on without gaps, but rows of elements of less than a byte at multiples of 128 bytes.
std::vector<int64_t> packedStrides(std::span<const int64_t> dimensions,
                                   TensorElement element = ScalarType::Float);

} // namespace assay
