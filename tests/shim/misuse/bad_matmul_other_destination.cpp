// error: the destination cooperative tensor is that of another operation
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
  matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> wide;
#ifdef MISUSE
  auto c = wide.get_destination_cooperative_tensor<decltype(a), decltype(a), float>();
#else
  auto c = op.get_destination_cooperative_tensor<decltype(a), decltype(a), float>();
#endif
  op.run(a, a, c);
  p[0] = c[0];
}
