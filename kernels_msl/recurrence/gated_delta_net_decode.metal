// The gated delta rule for decoding: the recurrence of gated_delta_net.metal with the same buffers, but a row
// of the state lies across one simdgroup, so that a token needs two simd_sums and no barrier.
//
// Entry points gated_delta_net_decode_f32_{1,2,4}: N numbers of a row for each lane, so D_k is 32, 64 or 128,
// and N rows for each threadgroup, so N divides D_v. Lane l holds elements l*N .. l*N + N-1.
//
// Buffers: as gated_delta_net.metal, 0 to 8; no threadgroup memory.
// Grid: threadgroups (D_v / N, n_v, seqs) of (32, N) threads: simdgroup y has row x * N + y. More than one
// token is a loop.
//
// Order: a lane sums its N products in ascending order from 0 by `sum += a * b`, simd_sum adds the lanes; the
// missing part is (v - known) * beta, rounded twice; the write is `s += missing * k`.
// source: buffers, grid and what a lane holds are those of gated_delta_net_decode.metal of mlx-native.
#include <metal_stdlib>
using namespace metal;

struct Shape {
  uint keySize, valueSize, keyHeads, valueHeads, tokens, sequences, unused0, unused1;
};

template <uint N>
kernel void gated_delta_net_decode(device const float *q [[buffer(0)]], device const float *k [[buffer(1)]],
                                   device const float *v [[buffer(2)]], device const float *g [[buffer(3)]],
                                   device const float *beta [[buffer(4)]],
                                   device const float *state_in [[buffer(5)]],
                                   device float *output [[buffer(6)]], device float *state_out [[buffer(7)]],
                                   device const Shape &shape [[buffer(8)]],
                                   uint3 position [[thread_position_in_threadgroup]],
                                   uint3 group [[threadgroup_position_in_grid]]) {
  const uint lane = position.x, row = group.x * N + position.y, head = group.y, sequence = group.z;
  if (row >= shape.valueSize || head >= shape.valueHeads || sequence >= shape.sequences)
    return; // the whole simdgroup

  const ulong stateAt =
      ((ulong(sequence) * shape.valueHeads + head) * shape.valueSize + row) * shape.keySize + lane * N;
  float state[N];
  for (uint j = 0; j < N; ++j)
    state[j] = state_in[stateAt + j];

  for (uint t = 0; t < shape.tokens; ++t) {
    const ulong token = ulong(sequence) * shape.tokens + t;
    const ulong keyAt = (token * shape.keyHeads + head % shape.keyHeads) * shape.keySize + lane * N;
    const ulong gate = token * shape.valueHeads + head;
    const float alpha = exp(-g[gate]);
    float part = 0;
    for (uint j = 0; j < N; ++j) {
      state[j] *= alpha;
      part += state[j] * k[keyAt + j];
    }
    const float known = simd_sum(part);
    const float delta = v[gate * shape.valueSize + row] - known;
    const float missing = delta * beta[gate];
    part = 0;
    for (uint j = 0; j < N; ++j) {
      state[j] += missing * k[keyAt + j];
      part += state[j] * q[keyAt + j];
    }
    const float answer = simd_sum(part);
    if (lane == 0)
      output[gate * shape.valueSize + row] = answer;
  }

  for (uint j = 0; j < N; ++j)
    state_out[stateAt + j] = state[j];
}

template [[host_name("gated_delta_net_decode_f32_1")]] [[kernel]] decltype(gated_delta_net_decode<1>)
    gated_delta_net_decode<1>;
template [[host_name("gated_delta_net_decode_f32_2")]] [[kernel]] decltype(gated_delta_net_decode<2>)
    gated_delta_net_decode<2>;
template [[host_name("gated_delta_net_decode_f32_4")]] [[kernel]] decltype(gated_delta_net_decode<4>)
    gated_delta_net_decode<4>;
