// Atomic operations: by instruction, then by lane.
#include "both.h"

#include <gmock/gmock.h>

#include <cstring>

namespace assay::vector_test {
namespace {

constexpr Shape kOneSimdgroup{{32, 1, 1}, {32, 1, 1}};
constexpr uint32_t kPoison = 0xa5a5a5a5;

std::string withAtomics(const std::string &body) {
  return "device atomic_uint *a = (device atomic_uint *)out + 64; device atomic_float *f =\n"
         "  (device atomic_float *)out + 128; threadgroup atomic_uint *s = (threadgroup atomic_uint "
         "*)shared;\n"
         "const auto relaxed = memory_order_relaxed; (void)a; (void)f; (void)s;\n" +
         body;
}

} // namespace

TEST(VectorAtomics, GiveResultsInLaneOrder) {
  const auto out =
      run(withAtomics("out[lane] = atomic_fetch_add_explicit(a, lane, relaxed);\n"
                      "if (lane % 3 == 1) out[32 + lane] = atomic_exchange_explicit(a + 1, lane, "
                      "relaxed);"),
          kOneSimdgroup);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(out[lane], kPoison + lane * (lane - 1) / 2) << lane;
    ASSERT_EQ(out[32 + lane], lane % 3 != 1 || lane == 1 ? kPoison : lane - 3) << lane;
  }
}

TEST(VectorAtomics, FinishOneInstructionBeforeTheNext) {
  const auto out = run(withAtomics("atomic_fetch_add_explicit(a, 1u, relaxed);\n"
                                   "out[lane] = atomic_fetch_sub_explicit(a, 2u, relaxed);\n"
                                   "for (uint k = 0; k < lane; ++k)\n"
                                   "  out[32 + lane] = atomic_fetch_add_explicit(a + 2, 1u, relaxed);\n"),
                       kOneSimdgroup);
  uint32_t before = kPoison;
  std::vector<uint32_t> last(32, kPoison);
  for (uint32_t k = 0; k < 32; ++k)
    for (uint32_t lane = k + 1; lane < 32; ++lane)
      last[lane] = before++;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(out[lane], kPoison + 32 - 2 * lane) << lane;
    ASSERT_EQ(out[32 + lane], last[lane]) << lane;
  }
}

TEST(VectorAtomics, CompareAndExchange) {
  const auto out =
      run(withAtomics("atomic_store_explicit(a, 40u, relaxed);\n"
                      "uint expected = lane < 4 ? 1u : 40u + lane - 4;\n"
                      "bool same = atomic_compare_exchange_weak_explicit(a, &expected, 41u + lane - 4,\n"
                      "  relaxed, relaxed);\n"
                      "out[lane] = expected; if (lane & 1) out[32 + lane] = same;"),
          kOneSimdgroup);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(out[lane], lane < 4 ? 40 : 40 + lane - 4) << lane;
    ASSERT_EQ(out[32 + lane], lane & 1 ? uint32_t(lane >= 4) : kPoison) << lane;
  }
  EXPECT_EQ(out[64], 68u);
}

TEST(VectorAtomics, LoadsAndStores) {
  const auto out = run(withAtomics("atomic_store_explicit(s + (lane & 3), lane, relaxed);\n"
                                   "out[lane] = atomic_load_explicit(s + (lane & 1), relaxed);"),
                       kOneSimdgroup);
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(out[lane], 28 + (lane & 1)) << lane;
}

TEST(VectorAtomics, FloatsInLaneOrder) {
  const auto out = run(withAtomics("float x = as_type<float>(in[lane]); if (!(abs(x) < 1e30f)) x = 1e-3f;\n"
                                   "atomic_store_explicit(f, 0.0f, relaxed);\n"
                                   "float old = atomic_fetch_add_explicit(f, x, relaxed);\n"
                                   "out[lane] = as_type<uint>(old);"),
                       kOneSimdgroup);
  float sum = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    float x, old;
    const uint32_t bits = input(lane);
    std::memcpy(&x, &bits, 4);
    std::memcpy(&old, &out[lane], 4);
    ASSERT_EQ(old, sum) << lane;
    x = x < 1e30f && x > -1e30f ? x : 1e-3f;
    sum += (bits & 0x7f800000) == 0 ? 0 : x; // subnormals count as zero
  }
}

TEST(VectorAtomics, WhoseOrderDoesNotShow) {
  const auto out =
      run("device atomic_uint *a = (device atomic_uint *)out;\n"
          "atomic_fetch_add_explicit(a + (lane & 1), lane, memory_order_relaxed);\n"
          "if (lane > 20) atomic_fetch_max_explicit(a + 2, 0xb0000000u + lane, memory_order_relaxed);");
  EXPECT_EQ(out[0], 0xa5a5a5a5u + 2 * 240);
  EXPECT_EQ(out[1], 0xa5a5a5a5u + 2 * 256);
  EXPECT_EQ(out[2], 0xb000001fu);
}

TEST(VectorAtomics, OneAddressIsChangedOnce) {
  const auto out = run(withAtomics("if (lane > 2) {\n"
                                   "  atomic_fetch_add_explicit(a, in[lane], relaxed);\n"
                                   "  atomic_fetch_sub_explicit(a + 1, lane, relaxed);\n"
                                   "  atomic_fetch_and_explicit(a + 2, in[lane] | 0xff, relaxed);\n"
                                   "  atomic_fetch_or_explicit(a + 3, in[lane], relaxed);\n"
                                   "  atomic_fetch_xor_explicit(a + 4, in[lane], relaxed);\n"
                                   "  atomic_fetch_max_explicit(a + 5, in[lane], relaxed);\n"
                                   "  atomic_fetch_min_explicit((device atomic_int *)a + 6, int(in[lane]),\n"
                                   "                            relaxed); }\n"
                                   "atomic_fetch_add_explicit(a + 7, 3u, relaxed);"),
                       kOneSimdgroup);
  std::vector<uint32_t> expected(8, kPoison);
  for (uint32_t lane = 3; lane < 32; ++lane) {
    const uint32_t x = input(lane);
    expected[0] += x;
    expected[1] -= lane;
    expected[2] &= x | 0xff;
    expected[3] |= x;
    expected[4] ^= x;
    expected[5] = std::max(expected[5], x);
    expected[6] = uint32_t(std::min(int32_t(expected[6]), int32_t(x)));
  }
  expected[7] += 96;
  EXPECT_EQ(std::vector<uint32_t>(out.begin() + 64, out.begin() + 72), expected);
}

TEST(VectorAtomics, HistogramsNeedNoMeeting) {
  const auto out = run(withAtomics("atomic_store_explicit(s + t, 0u, relaxed);\n"
                                   "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                                   "for (uint k = 0; k < 4; ++k)\n"
                                   "  atomic_fetch_add_explicit(s + (in[i + 64 * k] >> 26), 1u, relaxed);\n"
                                   "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                                   "out[t] = atomic_load_explicit(s + t, relaxed);"));
  std::vector<uint32_t> expected(64);
  for (uint32_t k = 0; k < 256; ++k)
    ++expected[input(k) >> 26];
  EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + 64), expected);
}

TEST(VectorAtomics, LoopsThatWaitStayOnFibers) {
  EXPECT_EQ(onFibers(withAtomics("while (atomic_exchange_explicit(a, 1u, relaxed) == 1u) {}\n"
                                 "out[i] += 1; atomic_store_explicit(a, 0u, relaxed);")),
            "a loop that waits for another lane");
  EXPECT_EQ(onFibers(withAtomics("for (uint k = 0; k < 9; ++k)\n"
                                 "  out[k] = atomic_fetch_add_explicit(a, 1u, relaxed);")),
            "");
}

} // namespace assay::vector_test
