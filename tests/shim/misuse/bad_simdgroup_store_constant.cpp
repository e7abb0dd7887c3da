// error: no matching function for call to 'simdgroup_store'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant half *c, threadgroup float *t, device half *h) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_half8x8 x(1);
  simdgroup_store(x, c);
#else
  simdgroup_half8x8 x(1);
  simdgroup_store(x, h);
#endif
}
