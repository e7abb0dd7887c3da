// The pipelines of LLVM's own passes.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace assay::lowering {

class Optimizer {
public:
  Optimizer(llvm::TargetMachine &machine, bool debug, size_t largeFunction);

  /// Before a function is inlined: variables become registers, and simple folding is done.
  void simplifyCallee(llvm::Function &function);
  /// Before copies of it make a large function: all that optimizeStructure does. Not for the debugger.
  ///   leaf   isLeaf says so (large_functions.h)
  void optimizeLeaf(llvm::Function &leaf);
  /// Tail calls of the function to itself become jumps to its start.
  void loopOverTailCalls(llvm::Function &function);
  /// The same as simplifyCallee for code that runs at compile time, and never for the debugger.
  void simplifyInitializer(llvm::Function &function);
  /// Before optimizeStructure, where operands of simd operations lie in memory that loops index: unrolls
  /// loops of constant length, turns what they indexed into values, and moves nothing. Not for the debugger.
  void unrollOperands(llvm::Function &function);
  /// Before sites are numbered. Keeps the meaning of convergent calls.
  void optimizeStructure(llvm::Function &function);
  /// After primitives have become calls and checks are in place.
  void optimizeCode(llvm::Function &function);
  /// The same for code that is vectors already.
  ///   wholeThreadgroups   it has loops over simdgroups and threadgroups (vector/whole_groups.cpp)
  void optimizeVectorCode(llvm::Function &function, bool wholeThreadgroups);

  const llvm::TargetLibraryInfo &libraryInfo();
  llvm::FunctionAnalysisManager &analyses() { return functions_; }
  /// After changes made by hand.
  void forget(llvm::Function &function);
  /// Before a function with a body is created. Results are kept by the address of their function, and the
  /// new function may lie where an erased one lay.
  void forgetAll() { functions_.clear(); }

private:
  void simplifyForDebug(llvm::Function &function);
  void unroll(llvm::Function &function);
  void simplifyStructure(llvm::Function &function);
  bool isLarge(const llvm::Function &function) const;
  void run(llvm::FunctionPassManager &passes, llvm::Function &function);

  bool debug_;
  const size_t largeFunction_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
  std::unique_ptr<llvm::TargetLibraryInfoImpl> libraryImpl_;
  std::unique_ptr<llvm::TargetLibraryInfo> library_;
};

} // namespace assay::lowering
