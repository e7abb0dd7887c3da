// error: mpp::tensor_ops::reduce_rows is not supported
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
  auto c = op.get_destination_cooperative_tensor<decltype(a), decltype(a), float>();
#ifdef MISUSE
  reduce_rows(c, c);
#else
  p[0] = c[0];
#endif
}
