// The entry that the fiber engine gives a kernel.
#include "lowering/fiber_entry.h"
#include "lowering/host_target.h"

#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

// Allocators give a freed address again, so that this cannot be seen from the new function.
TEST(FiberEntry, NothingIsKnownOfFunctionsThatWereErased) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "define void @helper() {\n  ret void\n}\ndefine void @k() {\n  ret void\n}\n", error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  auto machine = makeHostTarget({}, /*debug=*/false);
  ASSERT_TRUE(machine);
  const ModuleInfo info;
  const KernelInfo kernel;
  const std::map<uint32_t, ConstantValue> constants;
  const LoweringOptions options;
  Lowering state{info, kernel, constants, options};
  state.module = module.get();
  state.entry = module->getFunction("k");
  Optimizer optimizer(**machine, /*debug=*/false, kLargeFunction);
  llvm::Function &helper = *module->getFunction("helper");
  optimizer.analyses().getResult<llvm::LoopAnalysis>(helper);
  helper.eraseFromParent();

  giveLaneArgument(state, optimizer);
  EXPECT_TRUE(optimizer.analyses().empty());
  EXPECT_EQ(state.entry->arg_size(), 1u);
}

} // namespace
} // namespace assay::lowering::test
