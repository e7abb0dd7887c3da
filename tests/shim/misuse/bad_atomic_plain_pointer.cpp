// error: no matching function for call to 'atomic_load_explicit'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = atomic_load_explicit(q, memory_order_relaxed);
#else
  q[0] = atomic_load_explicit((device atomic_int *)q, memory_order_relaxed);
#endif
}
