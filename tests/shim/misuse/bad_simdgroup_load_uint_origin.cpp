// error: no known conversion from 'vec<uint, [...]>' to 'vec<ulong, [...]>' for 4th argument
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant half *c, threadgroup float *t, device half *h) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_load(m, p, 8, uint2(1, 2));
#else
  simdgroup_load(m, p, 8, ulong2(1, 2));
#endif
}
