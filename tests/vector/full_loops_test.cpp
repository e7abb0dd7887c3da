// Loops in which all lanes are there for a while.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {
namespace {

constexpr Shape kPartial{{45, 1, 1}, {64, 1, 1}};

uint32_t pass(uint32_t v, uint32_t k) {
  return v * 3 + input(k & 255) % 1000;
}

} // namespace

TEST(VectorFullLoops, LanesStayUntilTheLastRound) {
  // 200 is no multiple of 32: the last round is of some lanes.
  const auto out =
      run("uint v = i; for (uint k = lane; k < 200; k += 32) v = v * 3 + in[k] % 1000; out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = i;
    for (uint32_t k = i % 32; k < 200; k += 32)
      v = pass(v, k);
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorFullLoops, AllLeaveInTheSameRound) {
  for (const char *loop :
       {"for (uint k = lane; k < 192; k += 32)", "for (int k = int(lane) - 40; k < 120; k += 32)",
        "for (uint k = 191 - lane; k < 192; k -= 32)"})
    run(std::string("uint v = i; ") + loop + " v = v * 3 + in[k & 255]; out[i] = v;");
}

TEST(VectorFullLoops, IndicesThatWrap) {
  const auto out =
      run("uint v = 0; for (uint k = lane - 48; k + 16 < 80; k += 32) v += in[k & 255] + k; out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = 0;
    for (uint32_t k = i % 32 - 48; k + 16 < 80; k += 32)
      v += input(k & 255) + k;
    ASSERT_EQ(out[i], v) << i;
  }
  for (const char *loop :
       {"for (uint k = lane + 0xffffff00u; k > 100u; k += 32)",
        "for (int k = int(lane) + 0x7fffff00; k > 100; k += 32)",
        "for (uint k = 70 - lane; k < 100; k -= 24)", "for (uint k = lane * 3; k != 93; ++k)"})
    run(std::string("uint v = 0, n = 0; ") + loop + " { v = v * 5 + k; if (++n > 40) break; } out[i] = v;");
}

TEST(VectorFullLoops, LanesPartAndMeetAgainInARound) {
  const auto out = run("uint v = i; for (uint k = lane; k < 150; k += 32) {\n"
                       "  if (in[k] & 1) v += in[(v + k) & 255]; else v ^= k;\n"
                       "  v = v * 3 + simd_sum(lane) + simd_sum(1u); } out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = i;
    for (uint32_t k = i % 32; k < 150; k += 32) {
      v = input(k) & 1 ? v + input((v + k) & 255) : v ^ k;
      // 150 - 128 lanes are left in the fifth round.
      v = v * 3 + (k < 128 ? 496 + 32 : 231 + 22);
    }
    ASSERT_EQ(out[i], v) << i;
  }
}

// All take one way, then all the other, then some each.
TEST(VectorFullLoops, BranchesThatLanesMayTakeAlike) {
  const auto out = run("uint v = i; for (uint k = lane; k < 256; k += 32) {\n"
                       "  if (k < 64) v += in[k]; else if (k < 120) v ^= in[k] * 7; else v -= in[255 - k];\n"
                       "} out[i] = v;");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = i;
    for (uint32_t k = i % 32; k < 256; k += 32)
      v = k < 64 ? v + input(k) : k < 120 ? v ^ input(k) * 7 : v - input(255 - k);
    ASSERT_EQ(out[i], v) << i;
  }
}

TEST(VectorFullLoops, BreakContinueAndReturn) {
  for (const char *body :
       {"if (in[k] % 7 == 3) break; v += k;", "if (in[k] & 1) continue; v += k;",
        "if (in[k] % 11 == 3) return; v += k; out[i] = v;",
        "if (k > 96) { v += simd_sum(k); break; } v ^= k;",
        "if (in[k] % 5 == 1) { v += simd_sum(k); break; } v ^= k;",
        "if (k < 64) continue; if (k >= 160) break; v = v * 5 + in[k];",
        "switch (in[k] % 4) { case 0: v += 1; break; case 1: continue; case 2: v ^= 9; default: v *= 3; }"})
    for (const Shape &shape : {Shape{}, kPartial}) {
      SCOPED_TRACE(body);
      run("uint v = i; for (uint k = lane; k < 250; k += 32) {" + std::string(body) + "} out[i] = v;", shape);
    }
}

TEST(VectorFullLoops, OneAfterAndInsideOfAnother) {
  run("uint v = i; for (uint j = 0; j < in[i] % 3 + 1; ++j) { for (uint k = lane; k < 100; k += 32) v = v * "
      "3 + in[k];\n"
      "for (uint k = 31 - lane; k < 70; k += 16) { v += in[k + j]; } } out[i] = v;");
  run("uint v = i; if (i < 60) for (uint k = 0; k < 5; ++k) v = v * 3 + in[k * 32 + lane]; out[i] = v;");
  run("uint v = i; if (in[0] == 0) for (uint k = 0; k < 5; ++k) v = v * 3 + in[k * 32 + lane]; out[i] = v;");
}

TEST(VectorFullLoops, ArraysVectorsAndStores) {
  run("uint a[8] = {0}; for (uint k = lane; k < 120; k += 16) { a[k / 16] = in[k]; a[in[k] & 7] += k; }\n"
      "uint v = 0; for (uint k = 0; k < 8; ++k) v = v * 7 + a[k]; out[i] = v;");
  run("float4 v = 0; for (uint k = lane; k < 60; k += 16) { half4 h = ((const device half4 *)in)[k]; "
      "v += float4(h); }\n out[i] = as_type<uint>(v.x) ^ as_type<uint4>(v).w;");
  run("for (uint k = i; k < 250; k += 64) out[k] = in[k] + 1;");
  run("for (uint k = t; k < 256; k += 64) shared[k] = in[k];\n"
      "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
      "for (uint k = 255 - t; k < 256; k -= 64) out[k] = shared[k ^ 3];");
}

TEST(VectorFullLoops, FaultsNameTheThread) {
  for (const char *body :
       {"uint v = 0; for (uint k = lane; k < 300; k += 32) v += in[k]; out[i] = v;",
        "for (uint k = lane; k < 80; k += 32) { uint a[4]; a[k & 3] = k; out[i] = a[k == 40 ? 4 : 0]; }"})
    EXPECT_EQ(failure(body, Engine::Vector), failure(body, Engine::Fiber)) << body;
}

} // namespace assay::vector_test
