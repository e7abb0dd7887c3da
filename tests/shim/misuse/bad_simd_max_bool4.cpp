// error: no matching function for call to 'simd_max'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = simd_max(bool4(true)).x;
#else
  q[0] = simd_max(uchar4(1)).x;
#endif
}
