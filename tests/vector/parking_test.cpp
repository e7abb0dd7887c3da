// Threadgroup barriers that lanes come to apart. `run` compares with fibers, where a barrier opens once every
// living thread waits at one.
#include "both.h"

#include <gmock/gmock.h>

namespace assay::vector_test {
namespace {

const std::string kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";

std::string withBarriers(std::string body) {
  for (size_t at; (at = body.find('|')) != std::string::npos;)
    body.replace(at, 1, kBarrier);
  return body;
}

} // namespace

// What one side stored before its barrier, the other one reads after its own.
TEST(VectorParking, LanesOfBothSidesWaitForEachOther) {
  const auto out = run(withBarriers("uint v; if (lane & 1) { shared[t] = in[i]; | v = shared[t - 1] + 1; }\n"
                                    "else { shared[t] = in[i] * 2; | v = shared[t + 1] * 5; } out[i] = v;"));
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i & 1 ? input(i - 1) * 2 + 1 : input(i + 1) * 5) << i;
}

// flash_attn_train_bwd does this.
TEST(VectorParking, ALoopThatContinuesAfterABarrierOfItsOwn) {
  const auto out = run(withBarriers("uint v = 0; for (uint k = 0; k < 6; ++k) {\n"
                                    "if (((t + k) & 3) == 0) { shared[t] = k; | | continue; }\n"
                                    "shared[t] = i * 8 + k; | v += shared[63 - t] + simd_sum(1u); | }\n"
                                    "out[i] = v;"));
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t k = 0; k < 6; ++k)
      if ((i + k) & 3)
        v += ((63 - i + k) & 3 ? (63 - i) * 8 + k : k) + 24;
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorParking, LanesThatPassWithoutABarrierMayEnd) {
  const auto out =
      run(withBarriers("shared[t] = i; if (lane < 4) { | shared[t + 4] = lane + 100; } out[i] = i + 1;"
                       "if (lane < 8) out[i + 64] = shared[t];"));
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], i + 1);
}

// rwkv_wkv6 does this: the analysis cannot see that all lanes leave the loop together.
TEST(VectorParking, ALoopWithBarriersThatLanesMayLeaveAtDifferentTimes) {
  const auto out = run(withBarriers("uint v = 0, first = in[0] + t, end = first + 7 * 64;\n"
                                    "for (uint k = first; k < end; k += 64) { | shared[t] = k; |\n"
                                    "v = v * 3 + shared[63 - t]; } out[i] = v;"));
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t k = 0; k < 7; ++k)
      v = v * 3 + input(0) + 63 - i + k * 64;
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorParking, LanesLeaveTheLoopWhileOthersWait) {
  const auto out =
      run(withBarriers("uint v = 0; for (uint k = 0; k <= (t & 7); ++k) { | v += simd_sum(1u); }\n"
                       "out[i] = v;"));
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t k = 0; k <= (i & 7); ++k)
      v += 4 * (8 - k);
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorParking, PrivateValuesAndPartsOfSimdgroupsAreKept) {
  const auto out = run(
      withBarriers("uint a[4]; for (uint k = 0; k < 4; ++k) a[k] = in[i] + k;\n"
                   "uint u = in[3]; if (t % 3 == 0) { a[t & 3] += u; | u += 1; | } else { | a[1] ^= u; | }\n"
                   "out[i] = a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + u;"),
      {{90, 1, 1}, {50, 1, 1}});
  EXPECT_NE(out[0], out[1]);
}

TEST(VectorParking, WhatRunsOutOfStepStaysOnFibers) {
  using testing::HasSubstr;
  for (const char *body :
       {"if (lane < 4) { | } shared[t] = i; | out[i] = shared[63 - t];",
        "for (uint k = 0; k < 4; ++k) { if (t & 1) { | } shared[t] = k; | out[i] = shared[t ^ 1]; }",
        "for (uint k = 0; k < (t & 7); ++k) { | } | out[i] = 1;"})
    EXPECT_THAT(onFibers(withBarriers(body)), HasSubstr("a threadgroup barrier that lanes may come to apart"))
        << body;
}

} // namespace assay::vector_test
