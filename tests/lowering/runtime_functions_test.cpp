// LLVM's declarations of the runtime's calls say what the table says.
#include "lowering/runtime_functions.h"

#include <gmock/gmock.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering {
namespace {

std::string typeOf(RuntimeCall call) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  std::string text;
  llvm::raw_string_ostream(text) << *runtimeFunction(module, call).getFunctionType();
  return text;
}

TEST(RuntimeFunctions, HaveTheTypesOfTheCFunctions) {
  EXPECT_EQ(typeOf(RuntimeCall::ThreadgroupBarrier), "void (ptr, i32, i32)");
  EXPECT_EQ(typeOf(RuntimeCall::SimdOp), "void (ptr, i32, ptr, ptr, i32)");
  EXPECT_EQ(typeOf(RuntimeCall::CheckAccess), "void (ptr, i32, i64, i64)");
  EXPECT_EQ(typeOf(RuntimeCall::KnownMemory), "i32 (ptr, i32, i64, i64)");
  EXPECT_EQ(typeOf(RuntimeCall::TextureSample), "void (ptr, i32, i64, i64, ptr, ptr)");
  EXPECT_EQ(typeOf(RuntimeCall::TextureQuery), "i32 (ptr, i64, i32, i32)");
}

TEST(RuntimeFunctions, HaveTheEffectsOfTheTable) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  for (const RuntimeCallInfo &info : kRuntimeCalls) {
    auto *function = llvm::cast<llvm::Function>(runtimeFunction(module, info.call).getCallee());
    EXPECT_EQ(function->getName(), info.symbol);
    EXPECT_TRUE(function->doesNotThrow()) << info.symbol;
    EXPECT_EQ(function->doesNotReturn(), info.end == CallEnd::Never) << info.symbol;
    EXPECT_EQ(function->willReturn(), info.end == CallEnd::Returns) << info.symbol;
    EXPECT_EQ(function->doesNotAccessMemory(), info.memory == CallMemory::Nothing) << info.symbol;
    // Nothing of the kernel's memory may move over a call at which other lanes run.
    if (info.waits == CallWaits::Waits)
      EXPECT_EQ(info.memory, CallMemory::Everything) << info.symbol;
  }
}

TEST(RuntimeFunctions, AreDeclaredOnce) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  EXPECT_EQ(runtimeFunction(module, RuntimeCall::Spin).getCallee(),
            runtimeFunction(module, RuntimeCall::Spin).getCallee());
}

} // namespace
} // namespace assay::lowering
