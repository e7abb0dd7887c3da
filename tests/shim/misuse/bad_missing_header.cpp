// error: metal_no_such_header' file not found
#include <metal_stdlib>
using namespace metal;
#ifdef MISUSE
#include <metal_no_such_header>
#endif
kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = 1;
#else
  q[0] = 1;
#endif
}
