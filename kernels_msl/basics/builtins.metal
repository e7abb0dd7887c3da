// Every thread writes every id it is given, in each number of components. One row of words for each thread.
#include <metal_stdlib>
using namespace metal;

static uint row3(uint3 position, uint3 size) {
  return (position.z * size.y + position.y) * size.x + position.x;
}

static void put3(device uint *thread &out, uint3 value) {
  *out++ = value.x;
  *out++ = value.y;
  *out++ = value.z;
}

kernel void builtins_3d(device uint *words [[buffer(0)]],
                        uint3 position [[thread_position_in_grid]],
                        uint3 positionInGroup [[thread_position_in_threadgroup]],
                        uint3 group [[threadgroup_position_in_grid]],
                        uint3 gridSize [[threads_per_grid]],
                        uint3 groupSize [[threads_per_threadgroup]],
                        uint3 groups [[threadgroups_per_grid]],
                        uint3 dispatchSize [[dispatch_threads_per_threadgroup]],
                        uint index [[thread_index_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint quadLane [[thread_index_in_quadgroup]],
                        uint simdgroup [[simdgroup_index_in_threadgroup]],
                        uint quadgroup [[quadgroup_index_in_threadgroup]],
                        uint simdWidth [[threads_per_simdgroup]],
                        uint simdgroups [[simdgroups_per_threadgroup]],
                        uint quadgroups [[quadgroups_per_threadgroup]],
                        uint dispatchSimdgroups [[dispatch_simdgroups_per_threadgroup]],
                        uint dispatchQuadgroups [[dispatch_quadgroups_per_threadgroup]]) {
  device uint *out = words + row3(position, gridSize) * 31;
  put3(out, position);
  put3(out, positionInGroup);
  put3(out, group);
  put3(out, gridSize);
  put3(out, groupSize);
  put3(out, groups);
  put3(out, dispatchSize);
  const uint scalars[10] = {index,     lane,       quadLane,   simdgroup,          quadgroup,
                            simdWidth, simdgroups, quadgroups, dispatchSimdgroups, dispatchQuadgroups};
  for (uint i = 0; i < 10; ++i)
    *out++ = scalars[i];
}

kernel void builtins_2d(device ushort *words [[buffer(0)]],
                        ushort2 position [[thread_position_in_grid]],
                        ushort2 positionInGroup [[thread_position_in_threadgroup]],
                        ushort2 group [[threadgroup_position_in_grid]],
                        ushort2 gridSize [[threads_per_grid]],
                        ushort2 groupSize [[threads_per_threadgroup]],
                        ushort2 groups [[threadgroups_per_grid]],
                        ushort index [[thread_index_in_threadgroup]],
                        ushort lane [[thread_index_in_simdgroup]]) {
  device ushort *out = words + (position.y * gridSize.x + position.x) * 14;
  const ushort2 pairs[6] = {position, positionInGroup, group, gridSize, groupSize, groups};
  for (uint i = 0; i < 6; ++i) {
    *out++ = pairs[i].x;
    *out++ = pairs[i].y;
  }
  *out++ = index;
  *out++ = lane;
}

kernel void builtins_1d(device uint *words [[buffer(0)]],
                        uint position [[thread_position_in_grid]],
                        uint positionInGroup [[thread_position_in_threadgroup]],
                        uint group [[threadgroup_position_in_grid]],
                        uint gridSize [[threads_per_grid]],
                        uint groupSize [[threads_per_threadgroup]],
                        uint groups [[threadgroups_per_grid]],
                        uint executionWidth [[thread_execution_width]]) {
  device uint *out = words + position * 7;
  out[0] = position;
  out[1] = positionInGroup;
  out[2] = group;
  out[3] = gridSize;
  out[4] = groupSize;
  out[5] = groups;
  out[6] = executionWidth;
}
