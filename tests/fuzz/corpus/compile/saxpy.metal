// y := a x + y. The arguments have no index of their own: each takes the next free one, so a is buffer 0,
// count is buffer 1, x is buffer 2 and y is buffer 3.
#include <metal_stdlib>
using namespace metal;

kernel void saxpy(constant float &a, constant uint &count, device const float *x, device float *y,
                  uint i [[thread_position_in_grid]]) {
  if (i < count)
    y[i] += a * x[i];
}
