// error: read-only variable is not assignable
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  c[0] = 1;
#else
  q[0] = c[0];
#endif
}
