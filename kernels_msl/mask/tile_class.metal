// What is in each tile of an additive attention mask: nothing to attend to (0), some of everything (1),
// nothing masked (2). One threadgroup for each tile, any number of threads;
// a tile at the edge is what its valid cells are.
//
// The tile's size has defaults; the score below which a cell counts as masked has none and must be given.
#include <metal_stdlib>
using namespace metal;

constant uint given_rows [[function_constant(0)]];
constant uint given_columns [[function_constant(1)]];
constant float masked_below [[function_constant(2)]];

constant uint tile_rows = is_function_constant_defined(given_rows) ? given_rows : 16;
constant uint tile_columns = is_function_constant_defined(given_columns) ? given_columns : 32;

struct MaskShape {
  uint rows, columns, stride;
};

kernel void mask_tile_class(device const bfloat *mask [[buffer(0)]], device uchar *classes [[buffer(1)]],
                            constant MaskShape &shape [[buffer(2)]],
                            uint2 tile [[threadgroup_position_in_grid]],
                            uint2 tiles [[threadgroups_per_grid]],
                            uint thread_ [[thread_index_in_threadgroup]],
                            uint2 threads [[threads_per_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint simdgroup [[simdgroup_index_in_threadgroup]],
                            uint simdgroups [[simdgroups_per_threadgroup]]) {
  threadgroup float2 folded[32]; // smallest and largest of each simdgroup

  const uint top = tile.y * tile_rows, left = tile.x * tile_columns;
  float smallest = INFINITY, largest = -INFINITY;
  for (uint cell = thread_; cell < tile_rows * tile_columns; cell += threads.x * threads.y) {
    const uint row = top + cell / tile_columns, column = left + cell % tile_columns;
    if (row >= shape.rows || column >= shape.columns)
      continue;
    const float value = float(mask[ulong(row) * shape.stride + column]);
    smallest = min(smallest, value);
    largest = max(largest, value);
  }
  smallest = simd_min(smallest);
  largest = simd_max(largest);
  if (lane == 0)
    folded[simdgroup] = float2(smallest, largest);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_ != 0)
    return;

  for (uint i = 1; i < simdgroups; ++i)
    folded[0] = float2(min(folded[0].x, folded[i].x), max(folded[0].y, folded[i].y));
  const float2 range = folded[0];
  uchar result = 1;
  if (range.y <= masked_below)
    result = 0;
  else if (range.x == 0 && range.y == 0)
    result = 2;
  classes[tile.y * tiles.x + tile.x] = result;
}
