// Who runs which block, and with whom.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {

TEST(VectorFlow, LanesTakeBothWaysOfABranch) {
  const auto out = run("uint v = 7; if (lane & 1) v = in[i] * 3; else v += lane; out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i & 1 ? input(i) * 3 : 7 + i % 32) << i;
}

TEST(VectorFlow, LanesLeaveALoopAtDifferentTimes) {
  const auto out = run("uint n = 0; for (uint k = 0; k < (lane & 7); ++k) n += k + i; out[i] = n;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < (i & 7); ++k)
      n += k + i;
    ASSERT_EQ(out[i], n) << i;
  }
}

TEST(VectorFlow, LanesThatReturnInALoopAreGone) {
  const auto out = run("for (uint k = 0; k < 8; ++k) { if (k == (lane & 3)) return; out[i] = k; }");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i & 3 ? (i & 3) - 1 : 0xa5a5a5a5) << i;
}

// A loop whose only other way out is a return was once taken for one that all lanes run together.
TEST(VectorFlow, ALoopThatOnlyReturnsEndLeavesLanesApart) {
  const auto out = run("uint v = 0; for (uint k = 0;; ++k) { if (k >= min(in[v % 2u], 4u)) return;\n"
                       "out[i] = k; uint j = 0; while (j++ < min(t, 4u)) v -= 1 + v; }");
  for (uint32_t i = 0; i < 2; ++i)
    ASSERT_EQ(out[i], i == 0 ? 0xa5a5a5a5 : out[1]) << "in[0] is 0, so no lane begins with k below it";
}

// Nothing comes after the loops: lanes that leave one of them are gone, while others wait for the other.
TEST(VectorFlow, BothWaysOfABranchMayEndWithALoop) {
  const auto out = run(
      "uint k = 0; const uint n = in[0] + 2; if (lane < 9) { while (k < n) { out[i] = k + 7; k += 1; } }\n"
      "else { uint q = i; while (k < n) { out[i] = in[q] + k; q ^= 1; k += 1; } }");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i % 32 < 9 ? input(0) + 1 + 7 : input(i ^ (input(0) + 1) % 2) + input(0) + 1) << i;
}

TEST(VectorFlow, SeveralWaysMayEndWithLoopsAndReturns) {
  const auto out = run("const uint n = in[0] + 3; if (lane & 1) { if (lane & 2) { for (uint k = 0; k < n; "
                       "++k) out[i] = k; return; }\n"
                       "for (uint k = 0; k < n; ++k) { if (k == lane) return; out[i] = 10 + k; } }\n"
                       "else if (lane & 4) { for (uint k = 0; k < n; ++k) out[i] = 20 + k; }\n"
                       "else if (n > 100) out[i] = 1; else for (uint k = 0; k < n; ++k) out[i] = 30 + k;");
  const uint32_t n = input(0) + 3;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t lane = i % 32;
    const uint32_t first = (lane & 3) == 3 ? 0 : lane & 1 ? 10 : lane & 4 ? 20 : 30;
    const uint32_t most = (lane & 3) == 1 ? std::min(n, lane) : n;
    ASSERT_EQ(out[i], first + most - 1) << i;
  }
}

TEST(VectorFlow, TheBodyOfABreakBelongsToItsIteration) {
  const auto out = run("float total = 0; for (uint k = 0; k < (in[i] & 7); ++k) {\n"
                       "if (k == (lane & 3)) { total = simd_sum(float(lane + k)); break; } }\n"
                       "out[i] = as_type<uint>(total);");
  for (uint32_t i = 0; i < 64; ++i) {
    float sum = 0; // of the lanes that break in the same iteration
    for (uint32_t other = i / 32 * 32; other < i / 32 * 32 + 32; ++other)
      if ((other & 3) == (i & 3) && (other & 3) < (input(other) & 7))
        sum += float(other % 32 + (i & 3));
    ASSERT_EQ(out[i], (i & 3) < (input(i) & 7) ? std::bit_cast<uint32_t>(sum) : 0) << i;
  }
}

// Both ways out of the loop lead to one place, with one value, which is another one in each iteration.
TEST(VectorFlow, LanesTakeACounterOutOfALoopByTwoWays) {
  const auto out = run("uint k = 0; while (k < min(in[5], 9u) + 2) { if (k == (lane & 3)) break; ++k; }\n"
                       "out[i] = k;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], std::min(std::min(input(5), 9u) + 2, i & 3)) << i;
}

TEST(VectorFlow, ContinueAndSwitch) {
  const auto out =
      run("uint v = 0; for (uint k = 0; k < 5; ++k) { switch ((lane + k) % 4) {\n"
          "case 0: continue; case 1: v += 10; case 2: v += simd_sum(1u); break; default: v ^= 5; }\n"
          "v = v * 3 + k; } out[i] = v;");
  EXPECT_NE(out[0], 0u);
}

// The optimiser sees that the inner loop has a third way out: a choice that is neither of two, to the end.
TEST(VectorFlow, AnInnerLoopMayBeLeftForTheOuterOneOrForGood) {
  const auto out = run("for (uint k = 0; k < min(uint2(15u, in[7])[in[4] % 2], 2u); ++k) {\n"
                       "  switch (k & 3u) { case 1: case 0: break; case 3: break;\n"
                       "  case 2: { uint j = 0; while (j++ < 4) {\n"
                       "    if (sg != 0) { if ((lane & 3u) == 2u) break; } } } break;\n"
                       "  default: break; } }\n"
                       "out[i] = 9;");
  EXPECT_EQ(out[0], 9u);
  EXPECT_EQ(out[63], 9u);
}

TEST(VectorFlow, TwoWaysOutOfALoopAreTwoTimes) {
  const auto out = run("uint v = 0, k = 0; do { v = k; simdgroup_barrier(mem_flags::mem_none); }\n"
                       "while (++k < min(in[1], 4u) && in[i] > 0x70000000u); out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], input(i) > 0x70000000u ? 3u : 0u) << i;
}

TEST(VectorFlow, TheLastSimdgroupMayLackLanes) {
  const auto out = run("out[i] = simd_sum(1u) + (i << 8);", {{40, 1, 1}, {64, 1, 1}});
  for (uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i < 32 ? 32 + (i << 8) : i < 40 ? 8 + (i << 8) : 0xa5a5a5a5) << i;
}

TEST(VectorFlow, BarriersOrderSimdgroups) {
  const auto out = run("shared[t] = in[i]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                       "uint v = shared[255 - t]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                       "shared[t] = v + t; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                       "out[i] = shared[t ^ 32];",
                       {{256, 1, 1}, {256, 1, 1}});
  for (uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], input(255 - (i ^ 32)) + (i ^ 32)) << i;
}

} // namespace assay::vector_test
