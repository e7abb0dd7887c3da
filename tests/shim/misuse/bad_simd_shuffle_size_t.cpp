// error: no matching function for call to 'simd_shuffle'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = simd_shuffle(size_t(1), 2);
#else
  q[0] = simd_shuffle(uint(1), 2);
#endif
}
