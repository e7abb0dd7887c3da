// error: call to 'exp' is ambiguous
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  p[0] = exp(q[0]);
#else
  p[0] = exp(float(q[0]));
#endif
}
