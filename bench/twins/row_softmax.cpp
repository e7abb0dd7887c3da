// Three passes over a row that stays in the first-level cache. The exponentials are those of the C library
// for vectors (-fveclib=libmvec).
#include "by_hand.h"

#include <tbb/parallel_for.h>

#include <cmath>

void assay::twins::rowSoftmaxByHand(uint32_t rows, uint32_t columns, const float *in, float *out) {
  tbb::parallel_for(0u, rows, [=](uint32_t row) {
    const float *from = in + size_t(row) * columns;
    float *to = out + size_t(row) * columns;
    float largest = from[0], sum = 0;
#pragma omp simd reduction(max : largest)
    for (uint32_t i = 0; i < columns; ++i)
      largest = from[i] > largest ? from[i] : largest;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < columns; ++i) {
      to[i] = std::exp(from[i] - largest);
      sum += to[i];
    }
    const float scale = 1 / sum;
#pragma omp simd
    for (uint32_t i = 0; i < columns; ++i)
      to[i] *= scale;
  });
}
