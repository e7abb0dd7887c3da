// error: no matching function for call to 'simd_sum'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = simd_sum(true);
#else
  q[0] = simd_sum(int(true));
#endif
}
