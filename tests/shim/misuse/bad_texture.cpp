// error: no template named 'texture2d'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  texture2d<float> t2;
#else
  q[0] = 1;
#endif
}
