// Variables without a value, and what depends on them.
#include <metal_stdlib>
using namespace metal;

// case accumulator_without_zero: uninitialised-thread 32
kernel void accumulator_without_zero(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  float sum = 0;
#else
  float sum; // [earlier]
#endif
  for (uint j = 0; j < 8; ++j)
    sum += in[i * 8 + j];
  out[i] = sum; // [later]
}

// case value_of_one_branch: uninitialised-thread 32
kernel void value_of_one_branch(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]]) {
  float value; // [earlier]
  if (i < 20)
    value = in[i];
#ifdef REPAIRED
  else
    value = 0;
#endif
  out[i] = value * 2; // [later]
}

// case switch_without_default: uninitialised-thread 32
kernel void switch_without_default(device float *out [[buffer(0)]], device const int *kind [[buffer(1)]],
                                   uint i [[thread_position_in_grid]]) {
  float scale; // [earlier]
  switch ((kind[i] + i) % 4) {
  case 0: scale = 1; break;
  case 1: scale = 0.5f; break;
  case 2: scale = 0.25f; break;
#ifdef REPAIRED
  default: scale = 0; break;
#endif
  }
  out[i] = scale; // [later]
}

static bool root(float x, thread float &result) {
  if (x < 0)
    return false;
  result = sqrt(x);
  return true;
}

// case out_parameter_of_a_call_that_failed: uninitialised-thread 32
kernel void out_parameter_of_a_call_that_failed(device float *out [[buffer(0)]],
                                                uint i [[thread_position_in_grid]]) {
  float result; // [earlier]
#ifdef REPAIRED
  if (!root(float(i) - 8, result))
    result = 0;
#else
  root(float(i) - 8, result);
#endif
  out[i] = result; // [later]
}

// case flag_set_in_the_loop_only: uninitialised-thread 32
kernel void flag_set_in_the_loop_only(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  bool found = false;
#else
  bool found; // [earlier]
#endif
  for (uint j = 0; j < 4; ++j)
    if (in[i * 4 + j] > 1)
      found = true;
  if (found) // [later]
    out[i] = 1;
}

// case maximum_that_starts_anywhere: uninitialised-thread 32
kernel void maximum_that_starts_anywhere(device float *out [[buffer(0)]],
                                         device const float *in [[buffer(1)]],
                                         uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  float largest = -INFINITY;
#else
  float largest; // [earlier]
#endif
  for (uint j = 0; j < 8; ++j)
    largest = max(largest, in[i * 8 + j]);
  out[i] = largest; // [later]
}

// case third_component: uninitialised-thread 32
kernel void third_component(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]]) {
  float3 normal; // [earlier]
  normal.x = in[i];
  normal.y = in[i + 32];
#ifdef REPAIRED
  normal.z = 1;
#endif
  out[i] = length(normal); // [later]
}

struct Ray {
  float3 origin, direction;
  float nearest;
  uint hits;
};

// case forgotten_member: uninitialised-thread 32
kernel void forgotten_member(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
  Ray ray; // [earlier]
  ray.origin = float3(in[i], 0, 0);
  ray.direction = float3(0, 0, 1);
  ray.nearest = 100;
#ifdef REPAIRED
  ray.hits = 0;
#endif
  if (in[i + 32] > 0)
    ++ray.hits;
  out[i] = ray.nearest + ray.origin.x + ray.direction.z + float(ray.hits); // [later]
}

// case array_filled_but_for_the_last: uninitialised-thread 32
kernel void array_filled_but_for_the_last(device float *out [[buffer(0)]],
                                          device const float *in [[buffer(1)]],
                                          uint i [[thread_position_in_grid]]) {
  float row[8]; // [earlier]
#ifdef REPAIRED
  for (uint j = 0; j < 8; ++j)
#else
  for (uint j = 0; j < 7; ++j)
#endif
    row[j] = in[i + j];
  float sum = 0;
  for (uint j = 0; j < 8; ++j)
    sum += row[j];
  out[i] = sum; // [later]
}

// case array_reached_by_an_index: uninitialised-thread 32
kernel void array_reached_by_an_index(device float *out [[buffer(0)]], device const int *at [[buffer(1)]],
                                      uint i [[thread_position_in_grid]]) {
  float bins[100]; // [earlier]
#ifdef REPAIRED
  for (uint j = 0; j < 100; ++j)
    bins[j] = 0;
#endif
  for (uint j = 0; j < 10; ++j)
    bins[(at[j] + j) % 100] = j;
  out[i] = bins[(at[i] + 50) % 100]; // [later]
}

// case index_that_was_never_found: uninitialised-thread 32
kernel void index_that_was_never_found(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]]) {
  uint best; // [earlier]
#ifdef REPAIRED
  best = 0;
#endif
  for (uint j = 0; j < 8; ++j)
    if (in[j] > 0)
      best = j;
  out[i] = in[best]; // [later]
}

// case lane_to_read_from: uninitialised-thread 32
kernel void lane_to_read_from(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                              uint i [[thread_index_in_simdgroup]]) {
  ushort lane; // [earlier]
#ifdef REPAIRED
  lane = 0;
#endif
  if (in[i] > 0)
    lane = 1;
  out[i] = simd_shuffle(float(i), lane); // [later]
}

// case only_lane_0_has_a_sum: uninitialised-thread 32
kernel void only_lane_0_has_a_sum(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                  uint i [[thread_index_in_simdgroup]]) {
  float total; // [earlier]
  const float sum = simd_sum(in[i]);
#ifdef REPAIRED
  total = sum;
#else
  if (i == 0)
    total = sum;
#endif
  out[i] = in[i] / total; // [later]
}

// case broadcast_of_a_lane_without_a_value: uninitialised-thread 32
kernel void broadcast_of_a_lane_without_a_value(device float *out [[buffer(0)]],
                                                device const float *in [[buffer(1)]],
                                                uint i [[thread_index_in_simdgroup]]) {
  float first; // [earlier]
#ifdef REPAIRED
  if (i == 0)
#else
  if (i == 1)
#endif
    first = in[i];
  out[i] = simd_broadcast(first, ushort(0)); // [later]
}

// case matrix_without_zero: uninitialised-thread 32
kernel void matrix_without_zero(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                                uint i [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 a, b;
  simdgroup_load(a, in);
  simdgroup_load(b, in + 64);
#ifdef REPAIRED
  simdgroup_float8x8 c = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
#else
  simdgroup_float8x8 c; // [earlier]
#endif
  simdgroup_multiply_accumulate(c, a, b, c);
  simdgroup_store(c, out); // [later]
}

// case vote_on_a_flag_without_a_value: uninitialised-thread 32
kernel void vote_on_a_flag_without_a_value(device uint *out [[buffer(0)]],
                                           device const float *in [[buffer(1)]],
                                           uint i [[thread_index_in_simdgroup]]) {
  bool done; // [earlier]
#ifdef REPAIRED
  done = false;
#endif
  if (i < 30)
    done = in[i] == 0;
  out[i] = simd_all(done) ? 1 : 2; // [later]
}

// case operand_of_an_atomic: uninitialised-thread 32
kernel void operand_of_an_atomic(device atomic_uint *count [[buffer(0)]],
                                 device const float *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]]) {
  uint mine; // [earlier]
#ifdef REPAIRED
  mine = 0;
#endif
  if (in[i] > 0)
    mine = 1;
  atomic_fetch_add_explicit(count, mine, memory_order_relaxed); // [later]
}

// case value_left_from_no_iteration: uninitialised-thread 32
kernel void value_left_from_no_iteration(device float *out [[buffer(0)]],
                                         device const float *in [[buffer(1)]],
                                         device const uint *count [[buffer(2)]],
                                         uint i [[thread_position_in_grid]]) {
  float last; // [earlier]
#ifdef REPAIRED
  last = 0;
#endif
  for (uint j = 0; j < count[i]; ++j)
    last = in[j];
  out[i] = last; // [later]
}

// case next_iteration_has_a_new_variable: uninitialised-thread 32
kernel void next_iteration_has_a_new_variable(device float *out [[buffer(0)]],
                                              device const float *in [[buffer(1)]],
                                              uint i [[thread_position_in_grid]]) {
#ifdef REPAIRED
  float previous = 0;
#endif
  for (uint j = 0; j < 4; ++j) {
#ifndef REPAIRED
    float previous; // [earlier]
#endif
    if (j == 0)
      previous = in[i];
    out[i * 4 + j] = previous + j; // [later]
  }
}

// case upper_bits: uninitialised-thread 32
kernel void upper_bits(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
  uint packed; // [earlier]
  uint result = 0;
#ifdef REPAIRED
  packed = 0;
#endif
  if (in[i] > 0)
    packed = in[i];
  result |= packed & 0xffff;
  out[i] = result; // [later]
}
