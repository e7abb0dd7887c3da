// error: reductions of cooperative tensors of several simdgroups are not supported
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
#ifdef MISUSE
  matmul2d<matmul2d_descriptor(32, 32, 16), execution_simdgroups<4>> op;
#else
  matmul2d<matmul2d_descriptor(32, 32, 16), execution_simdgroup> op;
#endif
  auto rows = op.get_row_reduction_destination_cooperative_tensor<decltype(a), decltype(a), float>();
  p[0] = rows[0];
}
