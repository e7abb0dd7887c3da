// The compiler may add a row in any order, so it takes as many partial sums as the processor wants.
#include "by_hand.h"

#include <tbb/parallel_for.h>

void assay::twins::rowSumsByHand(uint32_t rows, uint32_t columns, const float *in, float *sums) {
  tbb::parallel_for(0u, rows, [=](uint32_t row) {
    const float *from = in + size_t(row) * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < columns; ++i)
      sum += from[i];
    sums[row] = sum;
  });
}
