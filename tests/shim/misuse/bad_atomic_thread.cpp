// error: no matching function for call to 'atomic_load_explicit'
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_int local;
  atomic_load_explicit(&local, memory_order_relaxed);
#else
  atomic_load_explicit((threadgroup atomic_int *)t, memory_order_relaxed);
#endif
}
