// The reference's floating point against the processor's, on numbers of all kinds.
#include "lowering/reference/float_arithmetic.h"

#include "support/numbers/split_mix.h"

#include <llvm/IR/LLVMContext.h>

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <xmmintrin.h>

namespace assay::lowering::reference {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Type;

struct FloatArithmeticTest : testing::Test {
  llvm::LLVMContext context;
  Type *single = Type::getFloatTy(context), *half = Type::getHalfTy(context);
  FloatArithmetic apple{kAppleNumerics}, ieee{kIeeeNumerics};

  static float made(std::optional<APInt> bits) {
    return std::bit_cast<float>(uint32_t(bits->getZExtValue()));
  }
  static APInt bitsOf(float value) { return APInt(32, std::bit_cast<uint32_t>(value)); }
};

// Volatile, so that the processor computes it when it is told to.
float onTheProcessor(unsigned opcode, float left, float right) {
  volatile float a = left, b = right, r = 0;
  switch (opcode) {
  case Instruction::FAdd: r = a + b; break;
  case Instruction::FSub: r = a - b; break;
  case Instruction::FMul: r = a * b; break;
  default: r = a / b; break;
  }
  return r;
}

uint32_t canonical(float value) {
  return std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value);
}

TEST_F(FloatArithmeticTest, ComputesWhatTheProcessorDoesThatFlushes) {
  constexpr uint32_t kSpecial[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
                                   0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0x3f800001, 0xbf800000};
  SplitMix64 random(1);
  const auto next = [&] {
    return std::bit_cast<float>(random.below(3) ? uint32_t(random.next()) : kSpecial[random.below(12)]);
  };
  const unsigned before = _mm_getcsr();
  for (int i = 0; i < 20'000; ++i) {
    const float a = next(), b = next();
    for (const unsigned opcode :
         {Instruction::FAdd, Instruction::FSub, Instruction::FMul, Instruction::FDiv}) {
      _mm_setcsr(before | 0x8040);
      const float flushed = onTheProcessor(opcode, a, b);
      _mm_setcsr(before);
      EXPECT_EQ(apple.operation(opcode, single, bitsOf(a), bitsOf(b))->getZExtValue(), canonical(flushed))
          << a << ' ' << opcode << ' ' << b;
      EXPECT_EQ(ieee.operation(opcode, single, bitsOf(a), bitsOf(b))->getZExtValue(),
                canonical(onTheProcessor(opcode, a, b)));
    }
  }
}

TEST_F(FloatArithmeticTest, JudgesTheSmallestNormalNumberAsTheProcessorDoes) {
  const unsigned before = _mm_getcsr();
  unsigned flushed = 0, kept = 0;
  for (uint32_t i = 0; i < 40; ++i)
    for (uint32_t j = 0; j < 40; ++j) {
      const float a = std::bit_cast<float>(0x00800000 + i), b = std::bit_cast<float>(0x3f800000 - j);
      for (const unsigned opcode : {Instruction::FMul, Instruction::FDiv}) {
        const float by = opcode == Instruction::FMul ? b : std::bit_cast<float>(0x3f800000 + j);
        _mm_setcsr(before | 0x8040);
        const float expected = onTheProcessor(opcode, a, by);
        _mm_setcsr(before);
        EXPECT_EQ(apple.operation(opcode, single, bitsOf(a), bitsOf(by))->getZExtValue(), canonical(expected))
            << i << ' ' << opcode << ' ' << j;
        flushed += expected == 0;
        kept += expected == 0x1p-126f;
      }
    }
  EXPECT_GT(flushed, 100u);
  EXPECT_GT(kept, 50u);
  // The same digits in a double that is rounded, and in a fused product.
  const double below = 0x1p-126 - 0x1p-150, half = 0x1p-126 - 0x1p-151;
  const auto rounded = [&](double value) {
    return made(apple.cast(Instruction::FPTrunc, Type::getDoubleTy(context), single,
                           APInt(64, std::bit_cast<uint64_t>(value)), 32));
  };
  EXPECT_EQ(rounded(below), 0);
  EXPECT_EQ(rounded(half), 0x1p-126f);
  const llvm::SmallVector<APInt> fused = {bitsOf(0x1.fffffep-126f), bitsOf(0.5f), bitsOf(0)};
  EXPECT_EQ(made(apple.intrinsic(llvm::Intrinsic::fma, single, fused)), 0);
}

TEST_F(FloatArithmeticTest, KeepsSubnormalsOfHalf) {
  EXPECT_EQ(apple.operation(Instruction::FAdd, half, APInt(16, 1), APInt(16, 2)), APInt(16, 3));
}

TEST_F(FloatArithmeticTest, ComparesSubnormalsAsZero) {
  EXPECT_TRUE(apple.compare(llvm::CmpInst::FCMP_OEQ, single, bitsOf(1e-40f), bitsOf(-0.0f)));
  EXPECT_FALSE(ieee.compare(llvm::CmpInst::FCMP_OEQ, single, bitsOf(1e-40f), bitsOf(-0.0f)));
}

TEST_F(FloatArithmeticTest, ConvertsToIntegersBySaturating) {
  const auto to = [&](unsigned opcode, float value, unsigned bits) {
    return apple.cast(opcode, single, nullptr, bitsOf(value), bits)->getSExtValue();
  };
  EXPECT_EQ(to(Instruction::FPToSI, -1.9f, 32), -1);
  EXPECT_EQ(to(Instruction::FPToSI, 300.0f, 8), 127);
  EXPECT_EQ(to(Instruction::FPToUI, -5.0f, 32), 0);
  EXPECT_EQ(to(Instruction::FPToSI, NAN, 32), 0);
}

TEST_F(FloatArithmeticTest, KnowsRootsRoundingsAndFusedProducts) {
  using namespace llvm;
  const auto of = [&](Intrinsic::ID id, std::initializer_list<float> values) {
    SmallVector<APInt> bits;
    for (const float value : values)
      bits.push_back(bitsOf(value));
    return made(apple.intrinsic(id, single, bits));
  };
  EXPECT_EQ(of(Intrinsic::sqrt, {2}), std::sqrt(2.0f));
  EXPECT_EQ(of(Intrinsic::rint, {2.5f}), 2);
  EXPECT_EQ(of(Intrinsic::round, {2.5f}), 3);
  EXPECT_EQ(of(Intrinsic::fma, {1 + 0x1p-23f, 1 + 0x1p-23f, -1}), 0x1p-22f + 0x1p-46f);
  EXPECT_EQ(of(Intrinsic::maxnum, {NAN, 3}), 3);
  EXPECT_FALSE(apple.intrinsic(Intrinsic::sin, single, {bitsOf(1)}));
}

} // namespace
} // namespace assay::lowering::reference
