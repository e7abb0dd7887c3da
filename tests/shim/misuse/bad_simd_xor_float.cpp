// error: no matching function for call to 'simd_xor'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = simd_xor(p[0]);
#else
  q[0] = simd_xor(q[0]);
#endif
}
