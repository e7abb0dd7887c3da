// Alias analysis by Metal address space.
//
// Threadgroup memory, buffers and a lane's own memory never overlap, and `constant` memory does not change
// while a kernel runs. LLVM cannot know this, because x86 has no such address spaces. Without this analysis,
// every member of a `constant` struct would be loaded again after each store to a device buffer. Two device
// buffers may be the same memory.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/PassManager.h>

namespace assay::lowering {

class AddressSpaceAAResult : public llvm::AAResultBase {
public:
  AddressSpaceAAResult() = default;
  llvm::AliasResult alias(const llvm::MemoryLocation &a, const llvm::MemoryLocation &b,
                          llvm::AAQueryInfo &query, const llvm::Instruction *context);
  llvm::ModRefInfo getModRefInfoMask(const llvm::MemoryLocation &location, llvm::AAQueryInfo &query,
                                     bool ignoreLocals);
  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &,
                  llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }
};

class AddressSpaceAA : public llvm::AnalysisInfoMixin<AddressSpaceAA> {
  friend llvm::AnalysisInfoMixin<AddressSpaceAA>;
  static llvm::AnalysisKey Key;

public:
  using Result = AddressSpaceAAResult;
  Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return Result(); }
};

} // namespace assay::lowering
