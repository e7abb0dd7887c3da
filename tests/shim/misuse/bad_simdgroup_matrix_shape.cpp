// error: a simdgroup_matrix has 8 columns and 8 rows
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant half *c, threadgroup float *t, device half *h) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_matrix<float, 16, 8> wide;
#else
  simdgroup_matrix<float, 8, 8> square;
#endif
}
