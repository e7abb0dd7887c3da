// What the shim asks of the engine: one primitive call per function, with the numbers of the tables.
// source: MSL specification, tables 6.14 and 6.15; msl_shim/detail/primitives.h.
#include "engine.h"

#include "support/builtins.h"

#include <gmock/gmock.h>

using namespace assay::test;

extern "C" {
void __assay_threadgroup_barrier(unsigned flags) {
  barrierFlags = flags;
}
void __assay_simd_op(unsigned operation, unsigned type, unsigned count, const void *in, void *out,
                     unsigned operand) {
  const size_t bytes = size_t(kInputs[operation]) * count * kBytes[type];
  const auto *from = static_cast<const unsigned char *>(in);
  calls.push_back({operation, type, count, operand, std::vector<unsigned char>(from, from + bytes)});
  if (out)
    std::memcpy(out, answer.data(), answer.size());
}
unsigned __assay_builtin(unsigned builtin, unsigned component) {
  return builtin == unsigned(assay::Builtin::ThreadIndexInSimdgroup) && component == 0 ? lane : ~0u;
}
// This runs before main, for the constants of simd_functions.cpp: nothing dynamic.
unsigned long __assay_function_constant(unsigned index, unsigned component) {
  switch (index) {
  case 7:
    return 0xfffffffful; // -1
  case 8:
    return 0x3c00; // 1.0h
  case 9:
    return 1;
  case 10:
    return component == 0 ? 0x3f800000 : component == 1 ? 0x40000000 : 0x40400000; // 1, 2, 3
  }
  return 0;
}
bool __assay_is_function_constant_defined(const void *) {
  return false;
}

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
unsigned shim_quad_prefix(unsigned);
void shim_barriers();
void shim_constants(int *, float *, bool *, float *);
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

TEST_F(SimdFunctions, QuadFunctionsHaveTheirOwnNumbers) {
  answerWith({6u});
  EXPECT_EQ(shim_quad_prefix(1), 6u);
  EXPECT_EQ(calls[0].operation, kQuadPrefixExclusiveSum);
}

TEST_F(SimdFunctions, BarriersPassTheirFlags) {
  shim_barriers();
  EXPECT_EQ(barrierFlags, 3u);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kBarrier);
}

TEST(FunctionConstants, AreTheLowBitsOfThePrimitive) {
  int i;
  float h;
  bool b;
  alignas(16) float v[4];
  shim_constants(&i, &h, &b, v);
  EXPECT_EQ(i, -1);
  EXPECT_EQ(h, 1.0f);
  EXPECT_TRUE(b);
  EXPECT_THAT(v, ElementsAre(1, 2, 3, 32)) << "the last is a default";
}

// The shim has no access to the emulator's table and repeats three of its numbers.
TEST(Builtins, TheShimsNumbersAreTheTables) {
  EXPECT_EQ(unsigned(assay::Builtin::ThreadIndexInSimdgroup), 3u);
  EXPECT_EQ(unsigned(assay::Builtin::ThreadIndexInQuadgroup), 4u);
  EXPECT_EQ(unsigned(assay::Builtin::SimdgroupIndexInThreadgroup), 5u);
  EXPECT_EQ(unsigned(assay::Builtin::ThreadsPerSimdgroup), 11u);
}

} // namespace
