// error: at least one of m and n must be a multiple of 16
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
#ifdef MISUSE
  matmul2d<matmul2d_descriptor(8, 8), execution_simdgroup> op;
#else
  matmul2d<matmul2d_descriptor(16, 8), execution_simdgroup> op;
#endif
  op.run(a, a, a);
}
