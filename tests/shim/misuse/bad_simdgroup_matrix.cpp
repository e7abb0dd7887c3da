// error: simdgroup_float8x8
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  simdgroup_float8x8 m;
#else
  q[0] = 1;
#endif
}
