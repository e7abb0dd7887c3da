// The memory of a variable whose value is computed: bytes, what is undefined, and addresses.
#include "lowering/constant_memory.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <gtest/gtest.h>

namespace assay::lowering {
namespace {

using namespace llvm;

struct ConstantMemoryTest : testing::Test {
  LLVMContext context;
  Module module{"m", context};
  const DataLayout &layout = module.getDataLayout();
  Type *i8 = Type::getInt8Ty(context), *i16 = Type::getInt16Ty(context), *i32 = Type::getInt32Ty(context),
       *f32 = Type::getFloatTy(context);
  PointerType *pointer = PointerType::get(context, 0);

  Constant *word(uint32_t value) { return ConstantInt::get(i32, value); }
  uint64_t number(Constant *value) { return cast<ConstantInt>(value)->getZExtValue(); }
  GlobalVariable *variable() {
    return new GlobalVariable(module, i32, false, GlobalValue::InternalLinkage, word(0), "v");
  }
};

TEST_F(ConstantMemoryTest, IsReadAsAnotherType) {
  ConstantMemory memory(8);
  ASSERT_TRUE(memory.write(0, word(0x44332211), layout));
  EXPECT_EQ(number(memory.read(1, i16, layout)), 0x3322u);
  ASSERT_TRUE(memory.write(2, ConstantInt::get(i8, 0x99), layout));
  EXPECT_EQ(number(memory.read(0, i32, layout)), 0x44992211u);
  ASSERT_TRUE(memory.write(4, ConstantFP::get(f32, -0.0), layout));
  EXPECT_EQ(number(memory.read(4, i32, layout)), 0x80000000u);
}

TEST_F(ConstantMemoryTest, KeepsTheBitsOfNan) {
  ConstantMemory memory(4);
  ASSERT_TRUE(memory.write(0, word(0xffc12345), layout));
  const auto *nan = cast<ConstantFP>(memory.read(0, f32, layout));
  EXPECT_EQ(nan->getValueAPF().bitcastToAPInt().getZExtValue(), 0xffc12345u);
}

TEST_F(ConstantMemoryTest, SaysWhatNobodyHasDefined) {
  ConstantMemory memory(16);
  auto *three = FixedVectorType::get(f32, 3), *four = FixedVectorType::get(f32, 4);
  Constant *one = ConstantFP::get(f32, 1), *none = PoisonValue::get(f32);
  ASSERT_TRUE(memory.write(0, ConstantVector::get({one, one, one, none}), layout));
  EXPECT_TRUE(isa<PoisonValue>(memory.read(12, f32, layout)));
  EXPECT_TRUE(memory.asInitializer(three, layout)) << "the fourth is padding";
  EXPECT_FALSE(memory.asInitializer(four, layout)) << "the fourth is an element";
  memory.fill(12, 4, 0);
  EXPECT_TRUE(memory.asInitializer(four, layout));
}

TEST_F(ConstantMemoryTest, HoldsAddressesAndNoHalvesOfThem) {
  ConstantMemory memory(16), other(16);
  memory.fill(0, 16, 0);
  GlobalVariable *v = variable();
  ASSERT_TRUE(memory.write(8, v, layout));
  EXPECT_EQ(memory.read(8, pointer, layout), v);
  EXPECT_EQ(memory.read(0, pointer, layout), ConstantPointerNull::get(pointer));
  EXPECT_FALSE(memory.read(8, Type::getInt64Ty(context), layout)) << "an address is no number yet";
  EXPECT_FALSE(memory.read(4, pointer, layout));
  other.copy(0, memory, 8, 8);
  EXPECT_EQ(other.read(0, pointer, layout), v);
  other.copy(8, memory, 12, 4);
  EXPECT_TRUE(isa<PoisonValue>(other.read(8, i32, layout))) << "half an address";
  ASSERT_TRUE(memory.write(10, ConstantInt::get(i8, 1), layout));
  EXPECT_TRUE(isa<PoisonValue>(memory.read(8, pointer, layout)));
}

TEST_F(ConstantMemoryTest, RefusesAnAddressAsANumber) {
  ConstantMemory memory(8);
  EXPECT_FALSE(memory.write(0, ConstantExpr::getPtrToInt(variable(), Type::getInt64Ty(context)), layout));
}

TEST_F(ConstantMemoryTest, CopiesOverItself) {
  ConstantMemory memory(12);
  for (uint32_t i = 0; i < 3; ++i)
    ASSERT_TRUE(memory.write(4 * i, word(i + 1), layout));
  memory.copy(4, memory, 0, 8);
  EXPECT_EQ(number(memory.read(0, i32, layout)), 1u);
  EXPECT_EQ(number(memory.read(4, i32, layout)), 1u);
  EXPECT_EQ(number(memory.read(8, i32, layout)), 2u);
}

} // namespace
} // namespace assay::lowering
