// error: atomic takes int, uint, bool, float or ulong
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic<half> a;
  (void)a;
#else
  atomic<int> a;
  (void)a;
#endif
}
