// error: cannot assign to variable
#include <metal_stdlib>
using namespace metal;
constant int kTable[2] = {1, 2};
kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  kTable[1] = 3;
#else
  q[0] = kTable[1];
#endif
}
