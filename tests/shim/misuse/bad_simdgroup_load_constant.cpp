// error: no matching function for call to 'simdgroup_load'
// Apple's header has the function for device and threadgroup memory, as chapter 6.7 of the specification.
#include <metal_stdlib>
using namespace metal;

kernel void k(constant float *c, device float *d) {
  simdgroup_float8x8 m;
#ifdef MISUSE
  simdgroup_load(m, c);
#else
  simdgroup_load(m, d);
#endif
}
