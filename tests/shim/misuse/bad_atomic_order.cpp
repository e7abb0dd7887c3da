// error: atomic functions take memory_order_relaxed only, before Metal 4.1
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  atomic_store_explicit((device atomic_int *)q, 1, memory_order_release);
#else
  atomic_store_explicit((device atomic_int *)q, 1, memory_order_relaxed);
#endif
}
