// The kernels that the tests of Metal's classes run.
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;

kernel void add_one(device uint *data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  data[i] += 1;
}

kernel void add_one_at(device uint *data [[buffer(0)]], constant int &place [[buffer(1)]]) {
  data[place] += 1;
}

// A number grows by a digit: the digits tell the order in which dispatches ran.
kernel void append_digit(device ulong *number [[buffer(0)]], constant uint &digit [[buffer(1)]]) {
  *number = *number * 10 + digit;
}

// The sum of one value from each slot.
kernel void sum_slots(device uint *out [[buffer(0)]], device const uint *a [[buffer(1)]],
                      device const uint *b [[buffer(2)]], constant uint2 &c [[buffer(3)]]) {
  *out = *a + *b + c.x * c.y;
}

kernel void past_the_end(device uint *data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  data[i + 1000000] = 1;
}

kernel void wait_for(device atomic_uint *flag [[buffer(0)]], device uint *out [[buffer(1)]]) {
  uint seen = 0;
  while ((seen = atomic_load_explicit(flag, memory_order_relaxed)) == 0)
    ;
  *out = seen;
}

// The first threadgroup waits for the second: two must run at the same time.
kernel void meet(device atomic_uint *flag [[buffer(0)]], uint group [[threadgroup_position_in_grid]]) {
  if (group == 1)
    atomic_store_explicit(flag, 1, memory_order_relaxed);
  else
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0)
      ;
}

// Each threadgroup stores the same to one place.
kernel void all_to_one(device uint *out [[buffer(0)]]) {
  *out = 3;
}

kernel void tickets(device atomic_uint *next [[buffer(0)]], device uint *order [[buffer(1)]],
                    uint group [[threadgroup_position_in_grid]]) {
  order[group] = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

// A lane reads what its neighbour has stored, without a barrier.
kernel void from_neighbour(device uint *data [[buffer(0)]], threadgroup uint *tile [[threadgroup(0)]],
                           uint i [[thread_index_in_threadgroup]]) {
  tile[i] = data[i];
  data[i] = tile[i ^ 1];
}

kernel void times_one(device float *data [[buffer(0)]], constant float &one [[buffer(1)]]) {
  *data = *data * one;
}

constant int kInt [[function_constant(0)]];
constant short kShort [[function_constant(1)]];
constant bool kBool [[function_constant(2)]];
constant float4 kVector [[function_constant(3)]];
kernel void constants(device float *out [[buffer(0)]]) {
  out[0] = kInt;
  out[1] = kShort;
  out[2] = kBool ? 1 : 0;
  out[3] = kVector.x + kVector.y * 10 + kVector.z * 100 + kVector.w * 1000;
}

kernel void reverse(device uint *data [[buffer(0)]], threadgroup uint *room [[threadgroup(0)]],
                    uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  room[i] = data[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  data[i] = room[n - 1 - i];
}

struct Parts {
  device const uint *in [[id(0)]];
  uint add [[id(1)]];
  array<device uint *, 2> outs [[id(2)]];
};
kernel void through_pointers(constant Parts &parts [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  parts.outs[i % 2][i / 2] = parts.in[i] + parts.add;
}

struct Images {
  texture2d<float> in [[id(0)]];
  sampler by [[id(1)]];
  texture2d<float, access::write> out [[id(2)]];
};
kernel void through_images(constant Images &images [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
  images.out.write(images.in.read(at) + images.in.sample(images.by, float2(0.5f)), at);
}

kernel void through_address(constant ulong &address [[buffer(0)]]) {
  *reinterpret_cast<device uint *>(address) += 1;
}

kernel void double_texels(texture2d<float, access::read> in [[texture(0)]],
                          texture2d<float, access::write> out [[texture(1)]],
                          uint2 at [[thread_position_in_grid]]) {
  out.write(in.read(at) * 2, at);
}
kernel void sample_at(texture2d<float> in [[texture(0)]], sampler by [[sampler(0)]],
                      device float4 *out [[buffer(0)]], constant float2 &at [[buffer(1)]]) {
  *out = in.sample(by, at);
}

constant os_log kLog("tests", "metal");
kernel void say(constant uint &number [[buffer(0)]]) {
  kLog.log_info("the number is %d", number);
  kLog.log_debug("and nothing else");
}

[[max_total_threads_per_threadgroup(64)]] kernel void at_most_64(device uint *data [[buffer(0)]],
                                                                 uint i [[thread_position_in_grid]]) {
  data[i] = i;
}

[[visible]] float twice(float x) { return 2 * x; }
[[visible]] float square(float x) { return x * x; }
struct Operators {
  float scale [[id(0)]];
  visible_function_table<float(float)> functions [[id(1)]];
};
kernel void apply_from_buffer(device float *out [[buffer(0)]], constant Operators &o [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
  out[i] = o.scale * o.functions[i % 2](i);
}
kernel void apply_table(device float *out [[buffer(0)]],
                        visible_function_table<float(float)> functions [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
  out[i] = functions[i % functions.size()](i) + (i == functions.size() ? 100 : 0);
}

// For reflection.
struct ReflectedLight {
  float3 position;
  float power;
  short range[2][3];
};
struct Reflected {
  uint count;
  float3 centre;
  float4x4 turn;
  half weights[5];
  ReflectedLight lights[2];
  device Reflected *next;
  array<texture2d<half>, 2> photos [[id(20)]];
};
kernel void reflect_structures(constant Reflected &all [[buffer(0)]], device float *out [[buffer(1)]]) {
  *out = all.centre.x + all.lights[1].power;
}

#include <metal_tensor>
struct Tensors {
  uint scale;
  tensor<const device int, dextents<short, 2>> from;
  tensor<device int, dextents<int, 2>> to;
};
kernel void transpose_tensor(constant Tensors &all [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  all.to[i / 3, i % 3] = all.scale * all.from[i % 3, i / 3];
}
kernel void takes_tensor(tensor<device int, dextents<int, 1>> t [[buffer(3)]]) { t[0] = 1; }
kernel void store_at(device uint *data [[buffer(0)]], constant int &place [[buffer(1)]]) {
  uint own[4] = {1, 2, 3, 4};
  own[place] = 5;
  data[0] = own[data[0]];
}
