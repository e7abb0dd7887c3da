// error: the elements of a simdgroup_matrix are half, bfloat or float
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant half *c, threadgroup float *t, device half *h) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_matrix<int, 8, 8> integers;
#else
  simdgroup_matrix<half, 8, 8> halves;
#endif
}
