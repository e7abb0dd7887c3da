// 32 points at once, in two vectors of 16. A point that has left stays where it is and is counted no more;
// whether one is left is asked every eight steps.
#include "by_hand.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

void assay::twins::mandelbrotByHand(uint32_t width, uint32_t height, uint32_t steps, uint32_t *counts) {
  using Lanes [[gnu::vector_size(64)]] = float;
  using Words [[gnu::vector_size(64)]] = int32_t;
  tbb::parallel_for(0u, height, [=](uint32_t row) {
    const float cy = -1.5f + 3.0f * float(row) / float(height);
    for (uint32_t first = 0; first < width; first += 32) {
      Lanes cx[2], x[2] = {}, y[2] = {};
      Words count[2] = {}, inside[2] = {};
      for (int i = 0; i < 32; ++i)
        cx[i / 16][i % 16] = -2.2f + 3.2f * float(first + uint32_t(i)) / float(width);
      for (uint32_t step = 0, any = 1; step < steps && any != 0;) {
        for (const uint32_t end = std::min(step + 8, steps); step < end; ++step)
          for (int v = 0; v < 2; ++v) {
            inside[v] = x[v] * x[v] + y[v] * y[v] < 4.0f;
            count[v] -= inside[v];
            const Lanes next = x[v] * x[v] - y[v] * y[v] + cx[v];
            y[v] = inside[v] ? 2.0f * x[v] * y[v] + cy : y[v];
            x[v] = inside[v] ? next : x[v];
          }
        any = 0;
        for (int i = 0; i < 16; ++i)
          any |= uint32_t(inside[0][i] | inside[1][i]);
      }
      std::memcpy(counts + size_t(row) * width + first, count, sizeof count);
    }
  });
}
