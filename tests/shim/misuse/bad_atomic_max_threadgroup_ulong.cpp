// error: no matching function for call to 'atomic_max_explicit'
#include <metal_stdlib>
using namespace metal;
static device atomic_ulong *u;
static threadgroup atomic_ulong *w;
kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_max_explicit(w, 1, memory_order_relaxed);
#else
  atomic_max_explicit(u, 1, memory_order_relaxed);
#endif
}
