// A row of q4_0 blocks times a vector: the products of a block are added lane by lane, the lanes at the end.
#include "by_hand.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

void assay::twins::q4MatrixVectorByHand(uint32_t rows, uint32_t columns, const Q4Block *w, const float *x,
                                        float *y) {
  const uint32_t blocks = columns / 32;
  tbb::parallel_for(tbb::blocked_range<uint32_t>(0, rows, 32), [=](const tbb::blocked_range<uint32_t> &part) {
    for (uint32_t row = part.begin(); row < part.end(); ++row) {
      float sum[16] = {};
      for (uint32_t b = 0; b < blocks; ++b) {
        const Q4Block &block = w[size_t(row) * blocks + b];
        const float *at = x + 32 * b, scale = float(block.scale);
#pragma omp simd
        for (uint32_t i = 0; i < 16; ++i) {
          const float low = float((block.nibbles[i] & 15) - 8), high = float((block.nibbles[i] >> 4) - 8);
          sum[i] += scale * (low * at[i] + high * at[16 + i]);
        }
      }
      float all = 0;
      for (const float lane : sum)
        all += lane;
      y[row] = all;
    }
  });
}
