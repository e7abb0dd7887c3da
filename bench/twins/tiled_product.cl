// c = a * b of n by n, n a multiple of 16: a work-group of 16 by 16 computes a tile and has the tiles of a
// and b that it needs in local memory.
#define TILE 16

__kernel void tiled_product(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float left[TILE][TILE], right[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint first = 0; first < n; first += TILE) {
    left[y][x] = a[row * n + first + x];
    right[y][x] = b[(first + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
