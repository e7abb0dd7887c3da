// error: takes the types of both operands, not their element types
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
#ifdef MISUSE
  auto c = op.get_destination_cooperative_tensor<float, float, float>();
#else
  auto c = op.get_destination_cooperative_tensor<decltype(a), decltype(a), float>();
#endif
  p[0] = c[0];
}
