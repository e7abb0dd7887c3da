// error: no matching function for call to 'take'
#include <metal_stdlib>
using namespace metal;
static void take(threadgroup float *) {}
kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  take(p);
#else
  take(t);
#endif
}
