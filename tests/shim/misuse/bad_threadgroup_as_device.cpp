// error: cannot initialize a variable of type
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  device float *d = t;
  d[0] = 1;
#else
  device float *d = p;
  d[0] = 1;
#endif
}
