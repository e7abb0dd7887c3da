// error: does not take this combination of element types
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
  auto b = tensor(h, dextents<int, 2>(16, 16));
  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;
#ifdef MISUSE
  op.run(a, a, b);
#else
  op.run(a, b, a);
#endif
}
