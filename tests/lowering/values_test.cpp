// The reference's values: how they lie in memory, and what integers do.
#include "lowering/reference/values.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>

#include <gmock/gmock.h>

namespace assay::lowering::reference {
namespace {

using namespace llvm;

struct ReferenceValues : testing::Test {
  LLVMContext context;
  DataLayout layout{"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"};
  Type *byte = Type::getInt8Ty(context), *word = Type::getInt32Ty(context);
};

TEST_F(ReferenceValues, LieInMemoryAsLlvmHasThem) {
  uint8_t memory[8] = {};
  store(memory, {APInt(32, 0x04030201)}, word, layout);
  EXPECT_THAT(memory, testing::ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
  EXPECT_EQ(load(memory, FixedVectorType::get(byte, 3), layout),
            (Value{APInt(8, 1), APInt(8, 2), APInt(8, 3)}));
  Type *padded = StructType::get(byte, word); // the word is at its own alignment
  store(memory, {APInt(8, 9), APInt(32, 7)}, padded, layout);
  EXPECT_THAT(memory, testing::ElementsAre(9, 2, 3, 4, 7, 0, 0, 0));
  EXPECT_EQ(load(memory, padded, layout), (Value{APInt(8, 9), APInt(32, 7)}));
  EXPECT_EQ(scalarsIn(ArrayType::get(padded, 3)), 6u);
}

TEST_F(ReferenceValues, KeepTheirBitsAsAnotherType) {
  const Value bytes{APInt(8, 1), APInt(8, 2), APInt(8, 3), APInt(8, 4)};
  EXPECT_EQ(bitCast(bytes, word, layout), (Value{APInt(32, 0x04030201)}));
  EXPECT_EQ(bitCast({APInt(32, 0x04030201)}, FixedVectorType::get(byte, 4), layout), bytes);
}

TEST_F(ReferenceValues, WhatIsNotDefinedHasNoResult) {
  const APInt seven(32, 7), zero(32, 0);
  EXPECT_EQ(integerOperation(Instruction::SDiv, -seven, APInt(32, 2)), -APInt(32, 3));
  EXPECT_FALSE(integerOperation(Instruction::UDiv, seven, zero));
  EXPECT_FALSE(integerOperation(Instruction::Shl, seven, APInt(32, 32)));
  EXPECT_FALSE(integerIntrinsic(Intrinsic::donothing, {seven}));
}

TEST_F(ReferenceValues, KnowTheIntegerFunctions) {
  const auto of = [](Intrinsic::ID id, std::initializer_list<uint64_t> values) {
    SmallVector<APInt> operands;
    for (const uint64_t value : values)
      operands.push_back(APInt(8, value));
    return integerIntrinsic(id, operands)->getZExtValue();
  };
  EXPECT_EQ(of(Intrinsic::ctpop, {0xf1}), 5u);
  EXPECT_EQ(of(Intrinsic::ctlz, {0}), 8u);
  EXPECT_EQ(of(Intrinsic::fshl, {0x81, 0xc0, 1}), 0x03u);
  EXPECT_EQ(of(Intrinsic::fshr, {0x81, 0xc0, 1}), 0xe0u);
  EXPECT_EQ(of(Intrinsic::sadd_sat, {100, 100}), 127u);
  EXPECT_EQ(of(Intrinsic::smin, {0xff, 1}), 0xffu);
}

} // namespace
} // namespace assay::lowering::reference
