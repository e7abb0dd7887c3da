// error: mpp::tensor_ops::convolution2d is not supported
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

kernel void k(device float *p, device half *h, threadgroup float *t) {
#ifdef MISUSE
  convolution2d_descriptor d(1, 2, 3);
#else
  p[0] = 1;
#endif
}
