// y += a x: limited by memory, so each processor takes long pieces.
#include "by_hand.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

void assay::twins::saxpyByHand(float a, size_t count, const float *x, float *y) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 16384), [=](const tbb::blocked_range<size_t> &part) {
#pragma omp simd
    for (size_t i = part.begin(); i < part.end(); ++i)
      y[i] += a * x[i];
  });
}
