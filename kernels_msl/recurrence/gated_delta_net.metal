// The gated delta rule, one token after the other, for prefill and decode of any length:
//
//   S := exp(-g) S          decay, before anything is predicted
//   d := v - S k            what the state does not yet say about this key
//   S := S + (beta d) k^T   write
//   o := S q                read; a scale of the query is the caller's
//
// Key heads are tiled over value heads: value head h reads key head h mod n_k (as ggml_repeat does it). The
// chunk pipeline beside this file counts in blocks instead, h / (n_v / n_k): see repeat_tiled.metal.
//
// Buffers: 0 q, 1 k [seqs, tokens, n_k, D_k]; 2 v [seqs, tokens, n_v, D_v]; 3 g, 4 beta [seqs, tokens, n_v];
// 5 state in [seqs, n_v, D_v, D_k]; 6 output as v; 7 state out as state in; 8 eight uints: D_k (at most 128),
// D_v, n_k, n_v, tokens, seqs, 0, 0. All float, row-major, no gaps. Buffers 5 and 7 may be one.
// Threadgroup memory 0: 2 D_k + 2 D_v floats; the second part is not used here.
// Grid: threadgroups (n_v, seqs) of at least D_v threads. Thread i keeps row i of the head's state in
// registers from the first token to the last; those past D_v help to load and wait at the barriers.
//
// Order: decay is one product; both dot products start at 0 and ascend over D_k, a step is `sum += a * b`;
// beta * d is rounded before it is used; the write is `s += (beta d) * k`.
// Offsets are 64-bit: seqs * n_v * D_v * D_k passes 2^32.
// source: buffers, layouts and formulas are those of gated_delta_net.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

constexpr constant uint kMaxKeySize = 128;

struct Shape {
  uint keySize, valueSize, keyHeads, valueHeads, tokens, sequences, unused0, unused1;
};

kernel void
gated_delta_net_f32(device const float *q [[buffer(0)]], device const float *k [[buffer(1)]],
                    device const float *v [[buffer(2)]], device const float *g [[buffer(3)]],
                    device const float *beta [[buffer(4)]], device const float *state_in [[buffer(5)]],
                    device float *output [[buffer(6)]], device float *state_out [[buffer(7)]],
                    device const Shape &shape [[buffer(8)]], threadgroup float *staged [[threadgroup(0)]],
                    uint3 position [[thread_position_in_threadgroup]],
                    uint3 threads [[threads_per_threadgroup]], uint3 group [[threadgroup_position_in_grid]]) {
  const uint head = group.x, sequence = group.y, row = position.x;
  if (head >= shape.valueHeads || sequence >= shape.sequences)
    return;
  const uint keySize = shape.keySize;
  const bool owner = row < shape.valueSize;
  threadgroup float *key = staged, *query = staged + keySize;

  const ulong stateRow = ((ulong(sequence) * shape.valueHeads + head) * shape.valueSize + row) * keySize;
  float state[kMaxKeySize];
  if (owner)
    for (uint j = 0; j < keySize; ++j)
      state[j] = state_in[stateRow + j];

  for (uint t = 0; t < shape.tokens; ++t) {
    const ulong token = ulong(sequence) * shape.tokens + t;
    const ulong keyRow = (token * shape.keyHeads + head % shape.keyHeads) * keySize;
    const ulong gate = token * shape.valueHeads + head;
    for (uint j = row; j < keySize; j += threads.x) {
      key[j] = k[keyRow + j];
      query[j] = q[keyRow + j];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);

    if (owner) {
      const float alpha = exp(-g[gate]);
      float known = 0;
      for (uint j = 0; j < keySize; ++j) {
        state[j] *= alpha;
        known += state[j] * key[j];
      }
      const float delta = v[gate * shape.valueSize + row] - known;
      const float step = beta[gate] * delta;
      float answer = 0;
      for (uint j = 0; j < keySize; ++j) {
        state[j] += step * key[j];
        answer += state[j] * query[j];
      }
      output[gate * shape.valueSize + row] = answer;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // nobody loads the next token's key over this one's
  }

  if (owner)
    for (uint j = 0; j < keySize; ++j)
      state_out[stateRow + j] = state[j];
}
