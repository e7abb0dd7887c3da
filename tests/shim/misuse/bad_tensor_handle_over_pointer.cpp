// error: a tensor_handle is bound by the host
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
#ifdef MISUSE
  tensor<device float, dextents<int, 1>> a(p, dextents<int, 1>(4));
#else
  tensor<device float, dextents<int, 1>, tensor_inline> a(p, dextents<int, 1>(4));
#endif
  p[0] = a[1];
}
