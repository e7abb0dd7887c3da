// c = a * b of n by n, n a multiple of 16: a threadgroup computes a tile of 16 by 16 and has the tiles of a
// and b that it needs in threadgroup memory. Its 256 threads may be in a row or a square.
#include <metal_stdlib>
using namespace metal;

constexpr constant uint kTile = 16;

kernel void tiled_product(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                          device float *c [[buffer(2)]], constant uint &n [[buffer(3)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint thread_ [[thread_index_in_threadgroup]]) {
  threadgroup float left[kTile][kTile], right[kTile][kTile];
  const uint x = thread_ % kTile, y = thread_ / kTile;
  const uint column = group.x * kTile + x, row = group.y * kTile + y;
  float sum = 0;
  for (uint first = 0; first < n; first += kTile) {
    left[y][x] = a[row * n + first + x];
    right[y][x] = b[(first + y) * n + column];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < kTile; ++k)
      sum += left[y][k] * right[k][x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  c[row * n + column] = sum;
}
