// A plane of float4, transposed: for grids of threads that threadgroups do not divide.
#include <metal_stdlib>
using namespace metal;

kernel void transpose_copy(device const float4 *source [[buffer(0)]], device float4 *target [[buffer(1)]],
                           uint2 position [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  target[position.x * size.y + position.y] = source[position.y * size.x + position.x].wzyx;
}
