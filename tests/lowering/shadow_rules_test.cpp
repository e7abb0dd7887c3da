// The rules of shadows against an enumeration: a bit of a result depends on undefined bits of the operands
// iff two completions of these give different bits. What a rule calls defined must not depend on them; where
// the header calls a rule exact, it calls nothing else undefined.
#include "lowering/shadow_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace assay::lowering::test {
namespace {

using namespace llvm;

struct Folder {
  LLVMContext context;
  DataLayout layout{""};
  IRBuilder<> b{context};
  ShadowRules rules{b, layout};

  Constant *number(unsigned width, uint64_t value) { return ConstantInt::get(b.getIntNTy(width), value); }
  // Null for a shadow that is known to be zero, half of the time: both forms must do.
  Value *shadow(unsigned width, uint64_t bits, bool mayBeNull) {
    return bits || !mayBeNull ? number(width, bits) : nullptr;
  }
  static uint64_t valueOf(Value *folded) {
    if (!folded)
      return 0;
    auto *constant = dyn_cast<ConstantInt>(folded);
    EXPECT_TRUE(constant) << "the rule does not fold";
    return constant ? constant->getZExtValue() : 0;
  }
};

// Calls visit for each value that agrees with `value` outside of the undefined bits.
void forEachCompletion(uint64_t value, uint64_t undefined, const std::function<void(uint64_t)> &visit) {
  for (uint64_t part = undefined;; part = (part - 1) & undefined) {
    visit((value & ~undefined) | part);
    if (!part)
      return;
  }
}

struct Operation {
  const char *name;
  unsigned opcode;
  bool exact;
  std::function<uint64_t(uint64_t, uint64_t)> compute; // of 4 bits
};

constexpr unsigned kWidth = 4;
constexpr uint64_t kAll = 15;

uint64_t dependentBits(const Operation &operation, uint64_t x, uint64_t sx, uint64_t y, uint64_t sy) {
  std::optional<uint64_t> first;
  uint64_t bits = 0;
  forEachCompletion(x, sx, [&](uint64_t a) {
    forEachCompletion(y, sy, [&](uint64_t c) {
      const uint64_t result = operation.compute(a, c) & kAll;
      bits |= result ^ first.value_or(result);
      if (!first)
        first = result;
    });
  });
  return bits;
}

void judge(const Operation &operation, uint64_t limitY) {
  Folder f;
  uint64_t open = 0;
  for (uint64_t x = 0; x <= kAll; ++x)
    for (uint64_t sx = 0; sx <= kAll; ++sx)
      for (uint64_t y = 0; y < limitY; ++y)
        for (uint64_t sy = 0; sy < limitY; ++sy) {
          const uint64_t truth = dependentBits(operation, x, sx, y, sy);
          const bool null = (x + y) % 2;
          const uint64_t rule =
              Folder::valueOf(f.rules.binary(operation.opcode, f.number(kWidth, x), f.number(kWidth, y),
                                             f.shadow(kWidth, sx, null), f.shadow(kWidth, sy, null)));
          ASSERT_EQ(truth & ~rule, 0u) << operation.name << ": " << x << '/' << sx << ", " << y << '/' << sy;
          if (operation.exact) {
            ASSERT_EQ(rule, truth) << operation.name << ": " << x << '/' << sx << ", " << y << '/' << sy;
          }
          open += truth != 0;
        }
  EXPECT_GT(open, 100u);
}

TEST(ShadowRules, AreExactForBitwiseOperationsAndSums) {
  for (const Operation &operation : {
           Operation{"and", Instruction::And, true, [](uint64_t a, uint64_t c) { return a & c; }},
           Operation{"or", Instruction::Or, true, [](uint64_t a, uint64_t c) { return a | c; }},
           Operation{"xor", Instruction::Xor, true, [](uint64_t a, uint64_t c) { return a ^ c; }},
           Operation{"add", Instruction::Add, true, [](uint64_t a, uint64_t c) { return a + c; }},
           Operation{"sub", Instruction::Sub, true, [](uint64_t a, uint64_t c) { return a - c; }},
       })
    judge(operation, kAll + 1);
}

TEST(ShadowRules, AreSoundForProductsAndQuotients) {
  judge({"mul", Instruction::Mul, false, [](uint64_t a, uint64_t c) { return a * c; }}, kAll + 1);
  judge({"udiv", Instruction::UDiv, false, [](uint64_t a, uint64_t c) { return c ? a / c : kAll; }},
        kAll + 1);
  judge({"urem", Instruction::URem, false, [](uint64_t a, uint64_t c) { return c ? a % c : a; }}, kAll + 1);
}

TEST(ShadowRules, AZeroFactorMakesAProductDefined) {
  Folder f;
  EXPECT_EQ(Folder::valueOf(f.rules.binary(Instruction::Mul, f.number(8, 0x55), f.number(8, 0),
                                           f.number(8, 0xff), nullptr)),
            0u);
  EXPECT_EQ(Folder::valueOf(f.rules.binary(Instruction::Mul, f.number(8, 0x50), f.number(8, 3),
                                           f.number(8, 0x10), nullptr)),
            0xf0u);
}

TEST(ShadowRules, AreSoundForShifts) {
  const auto left = [](uint64_t a, uint64_t n) { return a << n; };
  const auto right = [](uint64_t a, uint64_t n) { return a >> n; };
  const auto arithmetic = [](uint64_t a, uint64_t n) { return uint64_t(int64_t(a << 60) >> 60 >> n); };
  // Amounts are below the width.
  judge({"shl", Instruction::Shl, false, left}, kWidth);
  judge({"lshr", Instruction::LShr, false, right}, kWidth);
  judge({"ashr", Instruction::AShr, false, arithmetic}, kWidth);
}

TEST(ShadowRules, AreExactForShiftsByADefinedAmount) {
  Folder f;
  for (uint64_t s = 0; s <= kAll; ++s)
    for (uint64_t n = 0; n < kWidth; ++n) {
      const auto shadow = [&](unsigned opcode) {
        return Folder::valueOf(
            f.rules.binary(opcode, f.number(kWidth, 5), f.number(kWidth, n), f.number(kWidth, s), nullptr));
      };
      EXPECT_EQ(shadow(Instruction::Shl), s << n & kAll);
      EXPECT_EQ(shadow(Instruction::LShr), s >> n);
      EXPECT_EQ(shadow(Instruction::AShr), uint64_t(int64_t(s << 60) >> 60 >> n) & kAll);
    }
}

TEST(ShadowRules, AreExactForComparisonsOfIntegers) {
  using P = CmpInst::Predicate;
  const auto asSigned = [](uint64_t a) { return int64_t(a << 61) >> 61; };
  const std::pair<P, std::function<bool(uint64_t, uint64_t)>> all[] = {
      {P::ICMP_EQ, [](uint64_t a, uint64_t c) { return a == c; }},
      {P::ICMP_NE, [](uint64_t a, uint64_t c) { return a != c; }},
      {P::ICMP_ULT, [](uint64_t a, uint64_t c) { return a < c; }},
      {P::ICMP_ULE, [](uint64_t a, uint64_t c) { return a <= c; }},
      {P::ICMP_UGT, [](uint64_t a, uint64_t c) { return a > c; }},
      {P::ICMP_UGE, [](uint64_t a, uint64_t c) { return a >= c; }},
      {P::ICMP_SLT, [&](uint64_t a, uint64_t c) { return asSigned(a) < asSigned(c); }},
      {P::ICMP_SLE, [&](uint64_t a, uint64_t c) { return asSigned(a) <= asSigned(c); }},
      {P::ICMP_SGT, [&](uint64_t a, uint64_t c) { return asSigned(a) > asSigned(c); }},
      {P::ICMP_SGE, [&](uint64_t a, uint64_t c) { return asSigned(a) >= asSigned(c); }},
  };
  Folder f;
  constexpr unsigned kBits = 3;
  for (const auto &[predicate, compute] : all)
    for (uint64_t x = 0; x < 8; ++x)
      for (uint64_t sx = 0; sx < 8; ++sx)
        for (uint64_t y = 0; y < 8; ++y)
          for (uint64_t sy = 0; sy < 8; ++sy) {
            bool seen[2] = {};
            forEachCompletion(x, sx, [&](uint64_t a) {
              forEachCompletion(y, sy, [&](uint64_t c) { seen[compute(a, c)] = true; });
            });
            const uint64_t rule = Folder::valueOf(f.rules.compare(
                predicate, f.number(kBits, x), f.number(kBits, y), f.number(kBits, sx), f.number(kBits, sy)));
            ASSERT_EQ(rule, uint64_t(seen[0] && seen[1]))
                << int(predicate) << ": " << x << '/' << sx << ", " << y << '/' << sy;
          }
}

TEST(ShadowRules, AreExactForAChoice) {
  Folder f;
  constexpr unsigned kBits = 2;
  for (uint64_t c = 0; c < 2; ++c)
    for (uint64_t sc = 0; sc < 2; ++sc)
      for (uint64_t x = 0; x < 4; ++x)
        for (uint64_t sx = 0; sx < 4; ++sx)
          for (uint64_t y = 0; y < 4; ++y)
            for (uint64_t sy = 0; sy < 4; ++sy) {
              std::optional<uint64_t> first;
              uint64_t truth = 0;
              forEachCompletion(c, sc, [&](uint64_t condition) {
                forEachCompletion(x, sx, [&](uint64_t yes) {
                  forEachCompletion(y, sy, [&](uint64_t no) {
                    const uint64_t result = condition ? yes : no;
                    truth |= result ^ first.value_or(result);
                    if (!first)
                      first = result;
                  });
                });
              });
              const uint64_t rule = Folder::valueOf(f.rules.select(
                  f.number(1, c), f.number(kBits, x), f.number(kBits, y), f.shadow(1, sc, x % 2),
                  f.shadow(kBits, sx, y % 2), f.shadow(kBits, sy, true)));
              ASSERT_EQ(rule, truth);
            }
}

TEST(ShadowRules, CastsMoveBits) {
  Folder f;
  for (uint64_t s = 0; s < 16; ++s) {
    const auto cast = [&](unsigned opcode, unsigned width) {
      return Folder::valueOf(f.rules.cast(opcode, f.b.getIntNTy(width), f.number(4, s)));
    };
    EXPECT_EQ(cast(Instruction::Trunc, 2), s & 3);
    EXPECT_EQ(cast(Instruction::ZExt, 8), s);
    EXPECT_EQ(cast(Instruction::SExt, 8), s & 8 ? s | 0xf0 : s); // copies of the sign are undefined with it
    EXPECT_EQ(cast(Instruction::UIToFP, 32), s ? 0xffffffffu : 0u);
  }
}

TEST(ShadowRules, FloatingPointIsUndefinedAsAWhole) {
  Folder f;
  Type *type = f.b.getFloatTy();
  EXPECT_EQ(Folder::valueOf(f.rules.any(type, {nullptr, f.number(32, 1)})), 0xffffffffu);
  EXPECT_EQ(Folder::valueOf(f.rules.any(type, {f.number(32, 0), nullptr})), 0u);
  EXPECT_EQ(f.rules.any(type, {nullptr, nullptr}), nullptr);
}

TEST(ShadowRules, HaveTypesAsWideAsValues) {
  Folder f;
  EXPECT_EQ(shadowType(f.b.getHalfTy(), f.layout), f.b.getInt16Ty());
  EXPECT_EQ(shadowType(f.b.getPtrTy(), f.layout), f.b.getInt64Ty());
  EXPECT_EQ(shadowType(FixedVectorType::get(f.b.getFloatTy(), 4), f.layout),
            FixedVectorType::get(f.b.getInt32Ty(), 4));
  EXPECT_EQ(shadowType(ArrayType::get(f.b.getInt8Ty(), 4), f.layout), nullptr);
}

} // namespace
} // namespace assay::lowering::test
