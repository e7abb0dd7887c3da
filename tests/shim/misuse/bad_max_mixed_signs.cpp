// error: call to 'max' is ambiguous
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *p, constant int *c, threadgroup float *t, device int *q) {
#ifdef MISUSE
  q[0] = max(q[0], 1u);
#else
  q[0] = max(q[0], int(1u));
#endif
}
