// Products of square matrices: eight rows and 32 columns of the result stay in registers while the common
// index goes by. Halves become floats first, once.
#include "by_hand.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstring>
#include <vector>

namespace assay::twins {

void productByHand(uint32_t n, const float *a, const float *b, float *c) {
  constexpr uint32_t kRows = 8;
  using Lanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float; // 16 columns, anywhere
  tbb::parallel_for(0u, n / kRows, [=](uint32_t block) {
    const float *rows = a + size_t(block) * kRows * n;
    float *to = c + size_t(block) * kRows * n;
    for (uint32_t column = 0; column < n; column += 32) {
      Lanes sum[kRows][2] = {};
      for (uint32_t k = 0; k < n; ++k) {
        const Lanes *right = reinterpret_cast<const Lanes *>(b + size_t(k) * n + column);
        for (uint32_t r = 0; r < kRows; ++r) {
          const float left = rows[size_t(r) * n + k];
          sum[r][0] += left * right[0];
          sum[r][1] += left * right[1];
        }
      }
      for (uint32_t r = 0; r < kRows; ++r)
        std::memcpy(to + size_t(r) * n + column, sum[r], sizeof sum[r]);
    }
  });
}

void halfProductByHand(uint32_t n, const half *a, const half *b, float *c) {
  std::vector<float> wide(size_t(2) * n * n);
  float *left = wide.data(), *right = left + size_t(n) * n;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, size_t(n) * n, 16384),
                    [=](const tbb::blocked_range<size_t> &part) {
#pragma omp simd
                      for (size_t i = part.begin(); i < part.end(); ++i) {
                        left[i] = float(a[i]);
                        right[i] = float(b[i]);
                      }
                    });
  productByHand(n, left, right, c);
}

} // namespace assay::twins
