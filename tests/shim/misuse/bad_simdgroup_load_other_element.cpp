// error: no matching function for call to 'simdgroup_load'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant half *c, threadgroup float *t, device half *h) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_load(m, h);
#else
  simdgroup_load(m, p);
#endif
}
