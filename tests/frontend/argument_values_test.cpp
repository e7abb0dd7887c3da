#include "frontend/argument_values.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

// The IR of a function in which `write` puts calls.
template <typename Write> std::string irOf(Write write) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::IRBuilder<> builder(context);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), false),
                                          llvm::GlobalValue::ExternalLinkage, "f", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  ArgumentValues values(module, builder);
  write(values, builder);
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

TEST(ArgumentValues, AnAddressIsOneOfItsSpace) {
  ArgumentInfo argument;
  argument.index = 7;
  for (const auto &[space, call] :
       {std::pair(AddressSpace::Device, "call ptr addrspace(5) @__assay_buffer_device(i32 7)"),
        std::pair(AddressSpace::Constant, "call ptr addrspace(6) @__assay_buffer_constant(i32 7)"),
        std::pair(AddressSpace::Threadgroup, "call ptr addrspace(3) @__assay_threadgroup_slot(i32 7)")}) {
    argument.space = space;
    EXPECT_THAT(irOf([&](ArgumentValues &values, auto &) { values.pointer(argument); }), HasSubstr(call));
  }
}

TEST(ArgumentValues, ABuiltinHasAsManyComponentsAsItsTypeHolds) {
  ArgumentInfo argument;
  argument.builtin = findBuiltin("thread_position_in_grid");
  argument.element = ScalarType::UShort;
  const std::string text = irOf([&](ArgumentValues &values, llvm::IRBuilder<> &builder) {
    values.storeBuiltin(argument, builder.CreateAlloca(builder.getInt32Ty()), 4);
  });
  const std::string number = std::to_string(uint32_t(*argument.builtin));
  EXPECT_THAT(text, HasSubstr("@__assay_builtin(i32 " + number + ", i32 0)"));
  EXPECT_THAT(text, HasSubstr("@__assay_builtin(i32 " + number + ", i32 1)"));
  EXPECT_THAT(text, Not(HasSubstr("i32 2)")));
  EXPECT_THAT(text, HasSubstr("store i16"));
}

TEST(ArgumentValues, HandlesCountFromOne) {
  EXPECT_EQ(ArgumentValues::handle(0, 0), 1u);
  EXPECT_EQ(ArgumentValues::handle(5, 2), 8u);
}

} // namespace
