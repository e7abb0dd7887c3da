// c = a * b of n by n, n a multiple of 16, halves into floats: a work-group of 16 by 16 computes a tile and
// has the tiles of a and b that it needs in local memory, as floats. OpenCL has no matrices of subgroups;
// with more than one element for each work-item pocl is slower.
#define TILE 16

__kernel void half_product(__global const half *a, __global const half *b, __global float *c, uint n) {
  __local float left[TILE][TILE], right[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint first = 0; first < n; first += TILE) {
    left[y][x] = vload_half(row * n + first + x, a);
    right[y][x] = vload_half((first + y) * n + column, b);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
