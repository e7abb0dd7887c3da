// Whether an index wrapped: expected values are products and sums of whole numbers.
#include "runtime/wrapped_index.h"

#include <gmock/gmock.h>

namespace assay::runtime::test {
namespace {

constexpr IndexStep k32{IndexOp::Operand, 32, 0}, k16{IndexOp::Operand, 16, 0}, k64{IndexOp::Operand, 64, 0};
constexpr IndexStep kTimes{IndexOp::Multiply, 32, 0}, kPlus{IndexOp::Add, 32, 0},
    kMinus{IndexOp::Subtract, 32, 0}, kZero{IndexOp::ZeroExtend, 64, 0}, kSign{IndexOp::SignExtend, 64, 0};

constexpr IndexStep constant(int64_t value, uint8_t bits = 32) {
  return {IndexOp::Constant, bits, value};
}

// "bits: whole -> used", or nothing.
std::string wrapped(std::vector<IndexStep> steps, std::vector<uint64_t> operands) {
  const std::optional<WrappedIndex> found = wrappedIndex(steps, operands);
  return found ? found->text() : "";
}

TEST(WrappedIndex, AProductOfUnsignedNumbers) {
  EXPECT_EQ(wrapped({k32, k32, kTimes, kZero}, {70000, 70000}),
            "its index wrapped in 32 bits, from 4900000000 to 605032704");
  EXPECT_EQ(wrapped({k32, k32, kTimes, kZero}, {65535, 65537}), "") << "2^32 - 1";
  EXPECT_EQ(wrapped({k32, k32, kTimes, kZero}, {65536, 65536}),
            "its index wrapped in 32 bits, from 4294967296 to 0");
}

TEST(WrappedIndex, AProductOfSignedNumbers) {
  EXPECT_EQ(wrapped({k32, k32, kTimes, kSign}, {46341, 46341}),
            "its index wrapped in 32 bits, from 2147488281 to -2147479015");
  EXPECT_EQ(wrapped({k32, k32, kTimes, kSign}, {46340, 46340}), "");
  EXPECT_EQ(wrapped({k32, k32, kTimes, kSign}, {uint32_t(-3), 5}), "") << "-15";
}

TEST(WrappedIndex, ADifferenceBelowZeroWrapsOnlyAsUnsigned) {
  EXPECT_EQ(wrapped({k32, constant(-8), kPlus, kZero}, {3}),
            "its index wrapped in 32 bits, from -5 to 4294967291");
  EXPECT_EQ(wrapped({k32, k32, kMinus, kZero}, {3, 8}),
            "its index wrapped in 32 bits, from -5 to 4294967291");
  EXPECT_EQ(wrapped({k32, constant(-8), kPlus, kSign}, {3}), "");
}

// uint(-1) + 5 is meant: 4, although the sum of the unsigned numbers is 2^32 + 4.
TEST(WrappedIndex, ASignedOperandOfAnUnsignedSumIsNoWrap) {
  EXPECT_EQ(wrapped({k32, k32, kPlus, kZero}, {uint32_t(-1), 5}), "");
}

TEST(WrappedIndex, SixteenBitsInsideOfThirtyTwo) {
  const std::vector<IndexStep> steps = {
      k16, k16, {IndexOp::Multiply, 16, 0}, {IndexOp::ZeroExtend, 32, 0}, k32, kPlus, kZero};
  EXPECT_EQ(wrapped(steps, {256, 257, 7}), "its index wrapped in 16 bits, from 65792 to 256");
  EXPECT_EQ(wrapped(steps, {255, 257, 7}), "") << "65535 + 7 fits into 32 bits";
}

TEST(WrappedIndex, ANumberOf64BitsThatWasCut) {
  const std::vector<IndexStep> steps = {
      k64, constant(3, 64), {IndexOp::Multiply, 64, 0}, {IndexOp::Truncate, 32, 0}, kZero};
  EXPECT_EQ(wrapped(steps, {uint64_t(1) << 31}),
            "its index wrapped in 32 bits, from 6442450944 to 2147483648");
  EXPECT_EQ(wrapped(steps, {1 << 30}), "");
}

TEST(WrappedIndex, TheFirstOfTwoComputationsThatWrapped) {
  EXPECT_EQ(wrapped({k32, constant(1), kPlus, kZero, k32, k32, kTimes, kZero}, {5, 65536, 65537}),
            "its index wrapped in 32 bits, from 4295032832 to 65536");
}

TEST(WrappedIndex, NothingIsSaidWithoutAllOperandsOrPast128Bits) {
  EXPECT_EQ(wrapped({k32, k32, kTimes, kZero}, {70000}), "");
  EXPECT_EQ(wrapped({kTimes, kZero}, {70000}), "");
  EXPECT_EQ(wrapped({}, {}), "");
  const IndexStep times{IndexOp::Multiply, 64, 0};
  EXPECT_EQ(wrapped({k64, k64, times, k64, times, {IndexOp::Truncate, 32, 0}, kZero},
                    {~uint64_t(0) >> 1, ~uint64_t(0) >> 1, 1000}),
            "");
}

TEST(WrappedIndex, TheRemedyFollowsTheSign) {
  EXPECT_THAT(wrappedIndex(std::vector{k32, constant(-8), kPlus, kZero}, std::vector<uint64_t>{3})->remedy(),
              testing::HasSubstr("negative"));
  EXPECT_THAT(
      wrappedIndex(std::vector{k32, k32, kTimes, kZero}, std::vector<uint64_t>{70000, 70000})->remedy(),
      testing::HasSubstr("64 bits"));
}

TEST(WrappedIndex, OperandsBeyondTheMostAreNotKept) {
  IndexOperands operands;
  for (uint64_t i = 0; i <= kMostIndexOperands; ++i)
    operands.add(i);
  EXPECT_EQ(operands.values().size(), kMostIndexOperands);
}

} // namespace
} // namespace assay::runtime::test
