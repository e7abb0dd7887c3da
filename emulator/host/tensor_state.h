// What a Tensor is a handle of.
#pragma once

#include "tensor.h"

#include "../support/abi/tensor_abi.h"

namespace assay::detail {

struct TensorState {
  TensorDescriptor descriptor; ///< with strides
  Buffer memory;
  size_t offset = 0;
  size_t length = 0;  ///< of all elements, bytes
  Buffer scales = {}; ///< without one: no plane of scales
  size_t scalesOffset = 0;
  size_t scalesLength = 0; ///< bytes
  TensorAbi record;        ///< kernels find it by its address
};

/// Whether a tensor can be made of it; the bytes from its first element to the end of its last one.
/// errors  Usage "tensor-descriptor"
Result<size_t> tensorLength(const TensorDescriptor &descriptor);

/// scales: of a descriptor with scales, else no buffer.
/// errors  Usage "tensor-descriptor": also if the memory ends before the tensor, or that of its scales
Result<std::shared_ptr<TensorState>> makeTensor(TensorDescriptor descriptor, const Buffer &memory,
                                                size_t offset, const Buffer &scales, size_t scalesOffset);

} // namespace assay::detail
