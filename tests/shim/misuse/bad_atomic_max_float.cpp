// error: no matching function for call to 'atomic_fetch_max_explicit'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_fetch_max_explicit((device atomic_float *)p, 1, memory_order_relaxed);
#else
  atomic_fetch_max_explicit((device atomic_int *)p, 1, memory_order_relaxed);
#endif
}
