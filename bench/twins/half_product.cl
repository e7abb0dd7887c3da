// c = a * b of n by n, n a multiple of 64, halves into floats: a work-group of 16 by 16 computes 64 by 64
// elements from tiles in local memory, each work-item 16 of them, as far apart as the work-group is wide.
#define SIDE 16
#define EACH 4
#define TILE (SIDE * EACH)

__kernel void half_product(__global const half *a, __global const half *b, __global float *c, uint n) {
  __local float left[TILE][SIDE], right[SIDE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
  float sum[EACH][EACH] = {{0}};
  for (uint first = 0; first < n; first += SIDE) {
    for (uint i = 0; i < EACH; ++i) {
      left[y + SIDE * i][x] = vload_half((row + y + SIDE * i) * n + first + x, a);
      right[y][x + SIDE * i] = vload_half((first + y) * n + column + x + SIDE * i, b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SIDE; ++k)
      for (uint i = 0; i < EACH; ++i)
        for (uint j = 0; j < EACH; ++j)
          sum[i][j] += left[y + SIDE * i][k] * right[k][x + SIDE * j];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < EACH; ++i)
    for (uint j = 0; j < EACH; ++j)
      c[(row + y + SIDE * i) * n + column + x + SIDE * j] = sum[i][j];
}
