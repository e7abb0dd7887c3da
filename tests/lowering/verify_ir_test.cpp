// A module that breaks LLVM's rules is found, with the pass that left it so.
#include "lowering/verify_ir.h"

#include <gmock/gmock.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>

namespace assay::lowering {
namespace {

using testing::HasSubstr;

struct Module {
  llvm::LLVMContext context;
  llvm::Module module{"m", context};
  llvm::BasicBlock *block = nullptr;

  Module() {
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false);
    auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", module);
    block = llvm::BasicBlock::Create(context, "entry", function);
  }
};

TEST(VerifyIr, FindsABlockWithoutAnEnd) {
  const Module broken;
  const std::optional<Error> error = verifyAfter("some-pass", broken.module);
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is("internal"));
  EXPECT_THAT(error->message(), HasSubstr("pass some-pass left a broken module"));
  EXPECT_THAT(error->message(), HasSubstr("entry"));
}

TEST(VerifyIr, FindsNothingInAWholeModule) {
  Module whole;
  llvm::IRBuilder<>(whole.block).CreateRetVoid();
  EXPECT_FALSE(verifyAfter("some-pass", whole.module));
}

} // namespace
} // namespace assay::lowering
