// y = w * x with weights of four bits in the format q4_0 of ggml. A simdgroup computes four rows, so that
// what a lane has of x serves four times. Two lanes share a block of 32 weights; each takes eight of its
// bytes.
#include <metal_stdlib>
using namespace metal;

struct Block {
  half scale;
  uchar nibbles[16]; // low nibbles: weights 0 to 15; high nibbles: 16 to 31
};

constexpr constant uint kRows = 4;

kernel void q4_matvec(device const Block *w [[buffer(0)]], device const float *x [[buffer(1)]],
                      device float *y [[buffer(2)]], constant uint &columns [[buffer(3)]],
                      uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                      uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint simdgroups [[simdgroups_per_threadgroup]]) {
  const uint blocks = columns / 32, first_row = (group * simdgroups + simdgroup) * kRows;
  const uint part = lane % 2 * 8;
  float sum[kRows] = {0};
  for (uint b = lane / 2; b < blocks; b += 16) {
    device const float *from = x + 32 * b + part;
    float low[8], high[8], all = 0;
    for (uint i = 0; i < 8; ++i) {
      low[i] = from[i];
      high[i] = from[16 + i];
      all += low[i] + high[i];
    }
    for (uint row = 0; row < kRows; ++row) {
      device const Block &block = w[(first_row + row) * blocks + b];
      float products = 0;
      for (uint i = 0; i < 8; ++i) {
        const uint pair = block.nibbles[part + i];
        products += low[i] * float(pair & 15) + high[i] * float(pair >> 4);
      }
      sum[row] += float(block.scale) * (products - 8 * all);
    }
  }
  for (uint row = 0; row < kRows; ++row) {
    const float total = simd_sum(sum[row]);
    if (lane == 0)
      y[first_row + row] = total;
  }
}
