// Which dispatches run as vectors.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

TEST(Vectorize, ShapesThatDoNotFillSimdgroupsGoToFibersWithTheSameResult) {
  for (const Shape &shape :
       {Shape{{64, 1, 1}, {64, 1, 1}}, Shape{{64, 2, 1}, {32, 2, 1}}, Shape{{10, 9, 1}, {5, 3, 1}},
        Shape{{96, 1, 1}, {48, 1, 1}}, Shape{{65, 3, 1}, {32, 2, 1}}, Shape{{1, 64, 1}, {1, 64, 1}}}) {
    const auto out = run("if (t < 200 && i < 64) out[i] = in[i] + 1;", shape);
    for (uint32_t i = 0; i < std::min<uint32_t>(64, uint32_t(shape.grid.width)); ++i)
      ASSERT_EQ(out[i], input(i) + 1) << i;
  }
}

TEST(Vectorize, ManyThreadgroups) {
  const auto out =
      run("uint s = simd_sum(in[i & 255]); if (lane == 0) out[group] = s;", {{4096, 1, 1}, {32, 1, 1}});
  for (uint32_t g = 0; g < 128; ++g) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 32; ++k)
      sum += input((g * 32 + k) & 255);
    ASSERT_EQ(out[g], sum) << g;
  }
}

} // namespace assay::vector_test
