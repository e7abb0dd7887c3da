// error: cooperative tensors as operands need execution_simdgroup
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
#ifdef MISUSE
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroups<4>> op;
#else
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
#endif
  auto x = op.get_left_input_cooperative_tensor<float, float, float>();
  p[0] = x[0];
}
