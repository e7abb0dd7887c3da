// error: atomic_float in threadgroup memory needs Metal 4.1
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_fetch_add_explicit((threadgroup atomic_float *)t, 1, memory_order_relaxed);
#else
  atomic_fetch_add_explicit((device atomic_float *)p, 1, memory_order_relaxed);
#endif
}
