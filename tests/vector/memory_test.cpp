// Accesses: consecutive, at fixed distances, anywhere, and one for all.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

TEST(VectorMemory, ConsecutiveAndStridedAndAnywhere) {
  const auto out = run("out[i] = in[i] + in[i * 3] + in[(i * 37) & 255] + in[7];");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], input(i) + input(i * 3) + input(i * 37 & 255) + input(7)) << i;
}

TEST(VectorMemory, AnIndexThatWrapsIsNotConsecutive) {
  // 2^32 - 16 + lane: lanes from 16 on begin anew at 0.
  const auto out = run("uint base = in[0] - 16u; uint k = base + lane;\n"
                       "if (k < 16u) out[i] = in[k]; else out[i] = k;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i % 32 < 16 ? 0xfffffff0u + i % 32 : input(i % 32 - 16)) << i;
}

TEST(VectorMemory, SmallTypesAndVectors) {
  const auto out = run("const device uchar *bytes = (const device uchar *)in;\n"
                       "const device half *halves = (const device half *)in;\n"
                       "uint4 four = ((const device uint4 *)in)[i & 15];\n"
                       "packed_short3 three = ((const device packed_short3 *)in)[i & 31];\n"
                       "out[i] = bytes[i * 3] + as_type<ushort>(halves[i]) * 256u + four.z * 5 + four.x +\n"
                       "  uint(three.y); ((device ushort *)(out + 64))[i] = ushort(four.w);\n"
                       "((device uint2 *)(out + 128))[i] = four.yw;");
  EXPECT_EQ(out[128], input(1));
}

TEST(VectorMemory, TheLastLaneWins) {
  const auto out = run("out[0] = lane + 100 * sg; out[1 + (lane & 3)] = lane; if (lane < 9) out[9] = i;",
                       {{32, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(out[0], 31u);
  for (uint32_t k = 0; k < 4; ++k)
    ASSERT_EQ(out[1 + k], 28 + k);
  EXPECT_EQ(out[9], 8u);
}

} // namespace assay::vector_test
