// error: tensor: give one index for each dimension
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
  auto a = tensor(p, dextents<int, 2>(16, 16));
#ifdef MISUSE
  p[0] = a[1];
#else
  p[0] = a.get(1, 2) + a[array<int, 2>{1, 2}];
#endif
}
