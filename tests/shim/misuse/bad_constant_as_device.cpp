// error: cannot initialize a variable of type
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  const device int *d = c;
  q[0] = d[0];
#else
  constant int *d = c;
  q[0] = d[0];
#endif
}
