// error: no matching constructor
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;

kernel void k(device float *p, threadgroup float *t) {
#ifdef MISUSE
  tensor<threadgroup float, dextents<int, 1>, tensor_inline> a(p, dextents<int, 1>(4));
#else
  tensor<threadgroup float, dextents<int, 1>, tensor_inline> a(t, dextents<int, 1>(4));
#endif
  p[0] = a[1];
}
