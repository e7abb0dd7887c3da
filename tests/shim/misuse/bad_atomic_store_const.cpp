// error: no matching function for call to 'atomic_store_explicit'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_store_explicit((const device atomic_int *)q, 1, memory_order_relaxed);
#else
  atomic_load_explicit((const device atomic_int *)q, memory_order_relaxed);
#endif
}
