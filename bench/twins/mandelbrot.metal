// Steps until a point leaves the circle of radius 2: neighbours take different numbers of them.
#include <metal_stdlib>
using namespace metal;

kernel void mandelbrot(device uint *counts [[buffer(0)]], constant uint &size [[buffer(1)]],
                       constant uint &steps [[buffer(2)]], uint2 at [[thread_position_in_grid]]) {
  const float cx = -2.2f + 3.2f * float(at.x) / float(size), cy = -1.5f + 3.0f * float(at.y) / float(size);
  float x = 0, y = 0;
  uint count = 0;
  while (count < steps && x * x + y * y < 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  counts[at.y * size + at.x] = count;
}
