// Rows of a head's state do not depend on one another. Sixteen of them go through all tokens together: they
// stay in the first-level cache, and while one waits for its sum the processor has others.
#include "by_hand.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace assay::twins {
namespace {

constexpr uint32_t kRows = 16, kMostColumns = 128;

void someRows(const DeltaNetByHand &w, uint32_t head, uint32_t first) {
  const uint32_t size = w.keySize;
  const size_t at = (size_t(head) * w.valueSize + first) * size;
  float states[kRows][kMostColumns];
  for (uint32_t r = 0; r < kRows; ++r)
    std::copy_n(w.stateIn + at + r * size, size, states[r]);
  for (uint32_t t = 0; t < w.tokens; ++t) {
    const size_t gate = size_t(t) * w.heads + head;
    const float *key = w.k + gate * size, *query = w.q + gate * size;
    const float alpha = std::exp(-w.g[gate]);
    for (uint32_t r = 0; r < kRows; ++r) {
      float *state = states[r], known = 0, answer = 0;
#pragma omp simd reduction(+ : known)
      for (uint32_t j = 0; j < size; ++j) {
        state[j] *= alpha;
        known += state[j] * key[j];
      }
      const float step = w.beta[gate] * (w.v[gate * w.valueSize + first + r] - known);
#pragma omp simd reduction(+ : answer)
      for (uint32_t j = 0; j < size; ++j) {
        state[j] += step * key[j];
        answer += state[j] * query[j];
      }
      w.output[gate * w.valueSize + first + r] = answer;
    }
  }
  for (uint32_t r = 0; r < kRows; ++r)
    std::copy_n(states[r], size, w.stateOut + at + r * size);
}

} // namespace

void deltaNetByHand(const DeltaNetByHand &work) {
  const uint32_t blocks = work.valueSize / kRows;
  tbb::parallel_for(0u, work.heads * blocks,
                    [&](uint32_t i) { someRows(work, i / blocks, i % blocks * kRows); });
}

} // namespace assay::twins
