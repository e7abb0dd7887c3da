// Steps until a point leaves the circle of radius 2: neighbours take different numbers of them.
__kernel void mandelbrot(__global uint *counts, uint size, uint steps) {
  const uint column = get_global_id(0), row = get_global_id(1);
  const float cx = -2.2f + 3.2f * (float)column / (float)size, cy = -1.5f + 3.0f * (float)row / (float)size;
  float x = 0, y = 0;
  uint count = 0;
  while (count < steps && x * x + y * y < 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  counts[row * size + column] = count;
}
