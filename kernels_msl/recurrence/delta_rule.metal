// The gated delta rule, one token after the other: decay the state, compare what it predicts with the value, write
// the difference back, read the answer.
//
// A threadgroup owns one value head of one sequence; a thread owns one row of its state and keeps it in registers.
// The token's key and query are staged in threadgroup memory, whose length the host sets: keySize floats each.
//
// Grid: threadgroups (valueHeads, sequences), at least valueSize threads each.
#include <metal_stdlib>
using namespace metal;

struct RecurrenceShape {
  uint keySize, valueSize, keyHeads, valueHeads, tokens;
};

constexpr constant uint kMaxKeySize = 64;

kernel void delta_rule(device const float *queries [[buffer(0)]], device const float *keys [[buffer(1)]],
                       device const float *values [[buffer(2)]], device const float *gates [[buffer(3)]],
                       device const float *betas [[buffer(4)]], device float *states [[buffer(5)]],
                       device float *answers [[buffer(6)]], constant RecurrenceShape &shape [[buffer(7)]],
                       threadgroup float *key [[threadgroup(0)]], threadgroup float *query [[threadgroup(1)]],
                       uint thread_ [[thread_index_in_threadgroup]],
                       uint2 threads [[threads_per_threadgroup]],
                       uint2 group [[threadgroup_position_in_grid]]) {
  const uint head = group.x, sequence = group.y;
  const bool owner = thread_ < shape.valueSize;
  device float *state = states + ((ulong(sequence) * shape.valueHeads + head) * shape.valueSize + thread_) * shape.keySize;

  float row[kMaxKeySize];
  if (owner)
    for (uint j = 0; j < shape.keySize; ++j)
      row[j] = state[j];

  for (uint t = 0; t < shape.tokens; ++t) {
    const ulong token = ulong(sequence) * shape.tokens + t;
    const ulong keyStart = (token * shape.keyHeads + head % shape.keyHeads) * shape.keySize;
    const ulong gate = token * shape.valueHeads + head;
    for (uint j = thread_; j < shape.keySize; j += threads.x) {
      key[j] = keys[keyStart + j];
      query[j] = queries[keyStart + j];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);

    if (owner) {
      const float decay = exp(-gates[gate]);
      float predicted = 0;
      for (uint j = 0; j < shape.keySize; ++j) {
        row[j] = row[j] * decay;
        predicted += row[j] * key[j];
      }
      const float missing = values[gate * shape.valueSize + thread_] - predicted;
      const float step = betas[gate] * missing;
      float answer = 0;
      for (uint j = 0; j < shape.keySize; ++j) {
        row[j] += step * key[j];
        answer += row[j] * query[j];
      }
      answers[gate * shape.valueSize + thread_] = answer;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  if (owner)
    for (uint j = 0; j < shape.keySize; ++j)
      state[j] = row[j];
}
