// Variables of a thread that stay in memory.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

TEST(VectorPrivate, EachLaneHasItsOwnArray) {
  const auto out = run("uint a[9]; for (uint k = 0; k < 9; ++k) a[k] = in[(i + k) & 255];\n"
                       "a[lane % 9] += 1000; out[i] = a[(lane * 5) % 9] ^ a[in[i] % 9];");
  for (uint32_t i = 0; i < 64; ++i) {
    const auto at = [&](uint32_t k) { return input((i + k) & 255) + (k == i % 32 % 9 ? 1000 : 0); };
    ASSERT_EQ(out[i], at(i % 32 * 5 % 9) ^ at(input(i) % 9)) << i;
  }
}

TEST(VectorPrivate, ElementsOfSeveralSizes) {
  const auto out = run("ushort a[8]; for (uint k = 0; k < 8; ++k) a[k] = ushort(in[k] >> (lane & 7));\n"
                       "thread uint *w = (thread uint *)a; w[lane & 3] ^= 0x10001u;\n"
                       "out[i] = a[(lane >> 2) & 7] + w[1];");
  EXPECT_NE(out[0], 0xa5a5a5a5u);
}

TEST(VectorPrivate, OnlyLanesInTheBranchStore) {
  const auto out = run("uint a[4] = {1, 2, 3, 4}; uint k = in[i] & 3; if (lane > 10) a[k] = lane;\n"
                       "out[i] = a[0] + 100 * a[1] + 10000 * a[2] + 1000000 * a[3];");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t a[4] = {1, 2, 3, 4};
    if (i % 32 > 10)
      a[input(i) & 3] = i % 32;
    ASSERT_EQ(out[i], a[0] + 100 * a[1] + 10000 * a[2] + 1000000 * a[3]) << i;
  }
}

// LLVM reads one bool of a vector in memory as an element of <16 x i1>.
TEST(VectorPrivate, BoolsOfAVectorThatIsIndexed) {
  const auto out = run("bool2 b = bool2(false); b[in[i] % 2] = (ushort2(0) == ushort2(b)).y;\n"
                       "b[i % 2] = (ushort2(0) == ushort2(b)).y; out[i] = uint2(b).x * 2 + uint2(b).y;");
  for (uint32_t i = 0; i < 64; ++i) {
    bool b[2] = {false, false};
    b[input(i) % 2] = true;
    b[i % 2] = !b[1];
    ASSERT_EQ(out[i], b[0] * 2u + b[1]) << i;
  }
}

} // namespace assay::vector_test
