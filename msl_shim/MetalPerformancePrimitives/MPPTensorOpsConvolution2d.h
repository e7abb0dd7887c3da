// convolution2d is not supported: a program that names it gets an error that says so.
#pragma once
#pragma clang system_header

#if __cplusplus >= 201703L // before Metal 4 there are no tensors, and these headers are empty

#include <metal_cooperative_tensor>

namespace mpp {
namespace tensor_ops {

struct convolution2d_descriptor {
  template <class... _A> constexpr METAL_FUNC convolution2d_descriptor(_A...) {
    static_assert(sizeof...(_A) == size_t(-1), "mpp::tensor_ops::convolution2d is not supported");
  }
};

} // namespace tensor_ops
} // namespace mpp

#endif
