// error: no matching function for call to 'as_type'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = as_type<half>(1u);
#else
  p[0] = as_type<float>(1u);
#endif
}
