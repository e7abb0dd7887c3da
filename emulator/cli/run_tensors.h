// Tensors of the command line: a --buffer where the kernel takes a tensor, with the shape that its SPEC has.
//
// Problem.  A tensor has extents, and a SPEC has a shape already: of zeros:f16[4,8], of a .npy file.
// Choice.   The shape is the tensor's. Shapes are in C's order, as in NumPy, and Metal's dimension 0 is the
//           innermost: [4,8] is four rows of eight columns, and a tensor whose dimensions are (8, 4). Values
//           without a shape have one dimension, or all of them if the kernel's type says them.
// Rejected. An option of its own: it would repeat the type and the shape.
//           Elements of a packed format are given as bytes: u8[4,128] are four rows of 256 of 4 bits.
// Limit.    Rows have no gaps. Tensors with strides or scales are made in C++ (host/tensor.h).
#pragma once

#include "run_buffers.h"

#include "../host/assay.h"

namespace assay::cli {

/// errors   those of Buffer::newTensor
Result<Tensor> tensorIn(const Binding &binding, const TensorUse &use);

/// Binds tensors instead of the buffers that `bindings` has where the kernel takes tensors.
///   bound    the buffers, by the kernel's indices
///   errors   those of Buffer::newTensor
Result<void> bindTensors(const std::map<uint32_t, const Binding *> &bound, const ComputePipeline &pipeline,
                         Bindings &bindings);

} // namespace assay::cli
