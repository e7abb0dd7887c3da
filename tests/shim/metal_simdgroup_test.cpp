// What simdgroup functions ask of the engine: one primitive call each, with the numbers of the tables.
// source: MSL specification, tables 6.14 and 6.15; msl_shim/detail/primitives.h.
#include "engine.h"
#include "signatures.h"

#include <gmock/gmock.h>

using namespace assay::test;

extern "C" {
float shim_simd_sum(float);
void shim_simd_max3(const _Float16 *, _Float16 *);
int shim_shuffle_and_fill(int, int);
int shim_shuffle_and_fill_whole(int, int);
unsigned char shim_shuffle_xor(unsigned char);
bool shim_all(bool);
bool shim_any(bool);
unsigned long shim_ballot(bool);
bool shim_vote_all(bool);
bool shim_is_first();
}

namespace {

using ::testing::ElementsAre;

class SimdFunctions : public ::testing::Test {
protected:
  void SetUp() override { calls.clear(); }
};

TEST_F(SimdFunctions, AReductionIsOneCallWithItsTypeAndValue) {
  answerWith({42.0f});
  EXPECT_EQ(shim_simd_sum(1.5f), 42.0f);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kSum);
  EXPECT_EQ(calls[0].type, kFloatType);
  EXPECT_EQ(calls[0].count, 1u);
  EXPECT_THAT(brought<float>(calls[0]), ElementsAre(1.5f));
}

TEST_F(SimdFunctions, AVectorOfThreeIsOneCallOfThreeElements) {
  alignas(8) _Float16 in[4] = {1, 2, 3, 99}, out[4] = {};
  answerWith<_Float16>({7, 8, 9});
  shim_simd_max3(in, out);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kMax);
  EXPECT_EQ(calls[0].type, kHalfType);
  EXPECT_EQ(calls[0].count, 3u);
  EXPECT_THAT(std::vector<float>(out, out + 3), ElementsAre(7, 8, 9));
}

TEST_F(SimdFunctions, FillFormsBringBothValuesAndPackTheModulo) {
  answerWith({5});
  EXPECT_EQ(shim_shuffle_and_fill(11, 22), 5);
  EXPECT_EQ(shim_shuffle_and_fill_whole(33, 44), 5);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].operation, kShuffleAndFillUp);
  EXPECT_THAT(brought<int>(calls[0]), ElementsAre(11, 22));
  EXPECT_EQ(calls[0].operand, 3u | 8u << 16);
  EXPECT_EQ(calls[1].operation, kShuffleAndFillDown);
  EXPECT_EQ(calls[1].operand, 1u | 32u << 16) << "without a modulo: the width of the simdgroup";
}

TEST_F(SimdFunctions, APermuteBringsItsOperand) {
  answerWith<unsigned char>({9});
  EXPECT_EQ(shim_shuffle_xor(200), 9);
  EXPECT_EQ(calls[0].operation, kShuffleXor);
  EXPECT_EQ(calls[0].type, kUCharType);
  EXPECT_EQ(calls[0].operand, 16u);
}

TEST_F(SimdFunctions, AllIsABallotOfTheContraryThatFindsNobody) {
  answerWith<uint64_t>({0});
  EXPECT_TRUE(shim_all(true));
  EXPECT_FALSE(shim_any(true));
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].operation, kBallot);
  EXPECT_EQ(calls[0].operand, 0u);
  EXPECT_EQ(calls[1].operand, 1u);
  answerWith<uint64_t>({1ull << 31});
  EXPECT_FALSE(shim_all(false));
  EXPECT_TRUE(shim_any(false));
}

TEST_F(SimdFunctions, ABallotIsA64BitMask) {
  answerWith<uint64_t>({0x80000001ull});
  EXPECT_EQ(shim_ballot(true), 0x80000001ull);
  EXPECT_TRUE(shim_vote_all(true)) << "the same mask as the active lanes";
}

TEST_F(SimdFunctions, TheFirstLaneIsTheLowestActiveOne) {
  answerWith<uint64_t>({0xf0});
  lane = 4;
  EXPECT_TRUE(shim_is_first());
  lane = 5;
  EXPECT_FALSE(shim_is_first());
  EXPECT_EQ(calls[0].operation, kActiveMask);
}

TEST(SimdgroupHeader, DeclaresEveryFunctionForEveryType) {
  expectSignatures(
      "metal_simdgroup",
      {
          {kSimdTypes,
           "T",
           {"simd_broadcast(x, 1)",
            "simd_broadcast_first(x)",
            "simd_max(x)",
            "simd_min(x)",
            "simd_prefix_exclusive_product(x)",
            "simd_prefix_exclusive_sum(x)",
            "simd_prefix_inclusive_product(x)",
            "simd_prefix_inclusive_sum(x)",
            "simd_product(x)",
            "simd_shuffle_and_fill_down(x, y, 1)",
            "simd_shuffle_and_fill_down(x, y, 1, 4)",
            "simd_shuffle_and_fill_up(x, y, 1)",
            "simd_shuffle_and_fill_up(x, y, 1, 4)",
            "simd_sum(x)",
            "simd_shuffle(x, 1)",
            "simd_shuffle_down(x, 1)",
            "simd_shuffle_rotate_down(x, 1)",
            "simd_shuffle_rotate_up(x, 1)",
            "simd_shuffle_up(x, 1)",
            "simd_shuffle_xor(x, 1)"}},
          {kSimdIntegers, "T", {"simd_and(x)", "simd_or(x)", "simd_xor(x)"}},
          {kOnce,
           "bool",
           {"simd_all(true)", "simd_any(true)", "simd_is_first()", "simd_is_helper_thread()",
            "simd_ballot(true).all()", "simd_ballot(true).any()"}},
          {kOnce,
           "simd_vote",
           {"simd_ballot(true)", "simd_active_threads_mask()", "simd_vote(simd_vote::vote_t(1))"}},
          {kOnce, "simd_vote::vote_t", {"static_cast<simd_vote::vote_t>(simd_ballot(true))"}},
      });
}

} // namespace
