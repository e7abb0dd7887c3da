// error: give one stride for each dimension
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
#ifdef MISUSE
  auto a = tensor(p, dextents<int, 2>(16, 16), array<int, 1>({1}));
#else
  auto a = tensor(p, dextents<int, 2>(16, 16), array<int, 2>({1, 16}));
#endif
  p[0] = a.get(0, 0);
}
