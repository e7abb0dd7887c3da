// Attention training, before the backward pass: D_vec = rowsum(O dO), which is sum_k P_ik dP_ik without
// another walk over the keys.
//
//   buffer 0   O       [B, H, qL, D]  bf16, O_strides
//          1   dO      [B, H, qL, D]  bf16, O_strides
//          2   D_vec   [B, H, qL]     f32
//          3   params  AttnParams, 160 bytes: H, qL and O_strides are read
//   grid       threadgroups (ceil(qL/4), H, B) of (32, 4, 1) threads: a simdgroup for each row
//   memory     none
//
// Lane l sums the elements l, l + 32, l + 64, ... in this order, each with one fma;
// simd_sum adds the lanes up.
#include "../attention/tile_walk.h"

constant constexpr int kSimdgroups = 4;

template <typename T, int D>
[[kernel, max_total_threads_per_threadgroup(kSimdgroups * 32)]] void flash_attn_train_bwd_compute_d(
    const device T *O [[buffer(0)]],
    const device T *dO [[buffer(1)]],
    device float *D_vec [[buffer(2)]],
    constant AttnParams &params [[buffer(3)]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  const int64_t batch = group.z, head = group.y;
  const int query = int(group.x) * kSimdgroups + simdgroup_;
  if (query >= params.qL)
    return;
  const int64_t row = batch * params.O_strides[0] + head * params.O_strides[1] + query * params.O_strides[2];
  float sum = 0;
  for (int d = lane; d < D; d += 32)
    sum += float(O[row + d]) * float(dO[row + d]);
  sum = simd_sum(sum);
  if (lane == 0)
    D_vec[(batch * params.H + head) * params.qL + query] = sum;
}

#define instantiate_compute_d(name, d)                                                                       \
  template [[host_name("flash_attn_train_bwd_compute_d_bf16_" name)]] [[kernel]]                             \
  decltype(flash_attn_train_bwd_compute_d<bfloat, d>) flash_attn_train_bwd_compute_d<bfloat, d>;

instantiate_compute_d("d64", 64)
instantiate_compute_d("d256", 256)

// The same dots with the arguments of mlx-native's pre-pass, for hosts that bind those: packed tensors of any
// head size.
//
//   buffer 0   O       [B, H, qL, D]  bf16
//          1   dO      [B, H, qL, D]  bf16
//          2   D_vec   [B, H, qL]     f32
//          3   params  ComputeDParams, 16 bytes
//   grid       threadgroups (qL, 1, B H) of N threads, N = min(256, the power of two from D on)
//   memory     32 bytes of its own
//   source:    docs.rs/mlx-native 0.9.0, ops::flash_attn_train
//
// Thread t sums the elements t, t + N, ... with fmas; simd_sum adds a simdgroup's threads up, then the first
// simdgroup adds the simdgroups up.
struct ComputeDParams {
  uint batch, n_q_heads, q_seq_len, head_dim;
};

constant constexpr int kMostSimdgroups = 8;

[[kernel, max_total_threads_per_threadgroup(kMostSimdgroups * 32)]] void flash_attn_train_bwd_compute_d_bf16(
    const device bfloat *O [[buffer(0)]],
    const device bfloat *dO [[buffer(1)]],
    device float *D_vec [[buffer(2)]],
    constant ComputeDParams &params [[buffer(3)]],
    uint thread_ [[thread_index_in_threadgroup]],
    uint3 threads [[threads_per_threadgroup]],
    ushort lane [[thread_index_in_simdgroup]],
    ushort simdgroup_ [[simdgroup_index_in_threadgroup]],
    ushort simdgroups [[simdgroups_per_threadgroup]],
    uint3 group [[threadgroup_position_in_grid]]) {
  threadgroup float sums[kMostSimdgroups];
  const ulong row = ulong(group.z) * params.q_seq_len + group.x;
  float sum = 0;
  for (uint d = thread_; d < params.head_dim; d += threads.x)
    sum += float(O[row * params.head_dim + d]) * float(dO[row * params.head_dim + d]);
  sum = simd_sum(sum);
  if (lane == 0)
    sums[simdgroup_] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup_ > 0)
    return;
  sum = simd_sum(lane < simdgroups ? sums[lane] : 0.0f);
  if (lane == 0)
    D_vec[row] = sum;
}
