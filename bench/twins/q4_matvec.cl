// y = w * x with weights of four bits in the format q4_0 of ggml: 18 bytes for 32 weights, a half as scale
// and the nibbles. A work-group of 32 computes four rows; two work-items share a block, each takes eight of
// its bytes. A tree over local memory folds the sums.
#define ROWS 4
#define BLOCK 18

__kernel void q4_matvec(__global const uchar *w, __global const float *x, __global float *y, uint columns) {
  __local float partial[ROWS][32];
  const uint item = get_local_id(0), first_row = get_group_id(0) * ROWS, blocks = columns / 32;
  const uint part = item % 2 * 8;
  float sum[ROWS] = {0};
  for (uint b = item / 2; b < blocks; b += 16) {
    __global const float *from = x + 32 * b + part;
    float low[8], high[8], all = 0;
    for (uint i = 0; i < 8; ++i) {
      low[i] = from[i];
      high[i] = from[16 + i];
      all += low[i] + high[i];
    }
    for (uint row = 0; row < ROWS; ++row) {
      __global const uchar *block = w + ((first_row + row) * blocks + b) * BLOCK;
      float products = 0;
      for (uint i = 0; i < 8; ++i) {
        const uint pair = block[2 + part + i];
        products += low[i] * (float)(pair & 15) + high[i] * (float)(pair >> 4);
      }
      sum[row] += vload_half(0, (__global const half *)block) * (products - 8 * all);
    }
  }
  for (uint row = 0; row < ROWS; ++row)
    partial[row][item] = sum[row];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint live = 16; live > 0; live /= 2) {
    if (item < live)
      for (uint row = 0; row < ROWS; ++row)
        partial[row][item] += partial[row][item + live];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < ROWS)
    y[first_row + item] = partial[item][0];
}
