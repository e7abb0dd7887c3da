// What loops forget between two iterations, and what they must not.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

// Lanes skip the inner loop in some rounds: what an earlier round left there is not what they get.
TEST(VectorStaleSlots, AreNotReadByLanesThatSkipALoop) {
  const auto out = run("uint total = 0; for (uint r = 0; r < 6; ++r) { uint v = r;\n"
                       "  if ((lane + r) % 3 != 0) for (uint k = 0; k < (in[i] + r) % 5; ++k) {\n"
                       "    uint w = in[(i + k) & 255]; if (w & 1) { w = w * 5 + k; if (w & 2) w ^= r; }\n"
                       "    v = v * 7 + w; }\n"
                       "  total = total * 3 + v; }\n"
                       "out[i] = total;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t total = 0;
    for (uint32_t r = 0; r < 6; ++r) {
      uint32_t v = r;
      if ((i % 32 + r) % 3 != 0)
        for (uint32_t k = 0; k < (input(i) + r) % 5; ++k) {
          uint32_t w = input((i + k) & 255);
          if (w & 1) {
            w = w * 5 + k;
            if (w & 2)
              w ^= r;
          }
          v = v * 7 + w;
        }
      total = total * 3 + v;
    }
    ASSERT_EQ(out[i], total) << i;
  }
}

// Carried from round to round, once from the end of the loop and once over an inner loop's end.
TEST(VectorStaleSlots, OfWhatTheRoundBeforeHasComputedAreKept) {
  const auto out =
      run("uint before = 1, most = 0; for (uint r = 0; r < in[i] % 7; ++r) {\n"
          "  uint n = 0; while (n < (before & 3)) { ++n; if (in[n + r] % 3 == 0) break; most += n; }\n"
          "  before = before * 5 + n + lane; }\n"
          "out[i] = before; out[64 + i] = most;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t before = 1, most = 0;
    for (uint32_t r = 0; r < input(i) % 7; ++r) {
      uint32_t n = 0;
      while (n < (before & 3)) {
        ++n;
        if (input(n + r) % 3 == 0)
          break;
        most += n;
      }
      before = before * 5 + n + i % 32;
    }
    ASSERT_EQ(out[i], before) << i;
    ASSERT_EQ(out[64 + i], most) << i;
  }
}

// The end of the loop's variable is the body of a `break`, which belongs to the loop. Lane 0 never enters the
// loop and waits there.
TEST(VectorStaleSlots, OfLanesThatGoAroundTheLoopAreKept) {
  const auto out = run("for (uint k = 0; k < min(lane, 5u) && bool4(false)[lane % 4u]; ++k) {\n"
                       "  }\n"
                       "out[i] = i + 1;");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i + 1) << i;
  // Lanes go around, leave in the first round, or in a later one.
  const auto rounds = run("uint k = 0;\n"
                          "for (; k < lane % 5u && bool4(true, true, true, false)[(in[i] + k) % 4u]; ++k) {\n"
                          "  }\n"
                          "out[i] = k + 1;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t k = 0;
    while (k < i % 32 % 5 && (input(i) + k) % 4 != 3)
      ++k;
    EXPECT_EQ(rounds[i], k + 1) << i;
  }
}

} // namespace assay::vector_test
