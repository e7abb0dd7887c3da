// The pipelines of LLVM's own passes.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace assay::lowering {

class Optimizer {
public:
  Optimizer(llvm::TargetMachine &machine, bool debug, size_t largeFunction);

  /// Removes what known numbers switch off (known_numbers.h), such as function constants. Does nothing for
  /// the debugger.
  ///   knowsCalls   all calls of the function are in its module
  void pruneByConstants(llvm::Function &function, bool knowsCalls);
  /// Runs before a function is inlined: variables become values, and simple folding is done.
  void simplifyCallee(llvm::Function &function);
  /// Does all that optimizeStructure does, before copies of the leaf make a large function. Does nothing for
  /// the debugger.
  ///   leaf   a function of which isLeaf is true (large_functions.h)
  void optimizeLeaf(llvm::Function &leaf);
  /// Tail calls of the function to itself become jumps to its start.
  void loopOverTailCalls(llvm::Function &function);
  /// Gives every loop one entry. A loop around a call that recursive_calls.h removed is also entered after
  /// the call.
  void makeReducible(llvm::Function &function);
  /// The same as simplifyCallee for code that runs at compile time. The debugger never sees such code, so it
  /// is always simplified.
  void simplifyInitializer(llvm::Function &function);
  /// Runs before optimizeStructure, for operands of simd operations that lie in memory that loops index.
  /// Unrolls loops of constant length, turns the indexed elements into values, and moves nothing. Does
  /// nothing for the debugger.
  void unrollOperands(llvm::Function &function);
  /// Runs before sites are numbered. Keeps the meaning of convergent calls.
  void optimizeStructure(llvm::Function &function);
  /// Runs after primitives have become calls and checks are in place.
  void optimizeCode(llvm::Function &function);
  /// The same for code that the vector engine has made.
  ///   wholeThreadgroups   it has loops over simdgroups and threadgroups (vector/whole_groups.cpp)
  void optimizeVectorCode(llvm::Function &function, bool wholeThreadgroups);

  const llvm::TargetLibraryInfo &libraryInfo();
  llvm::FunctionAnalysisManager &analyses() { return functions_; }
  /// To be called after a function was changed without a pass manager.
  void forget(llvm::Function &function);
  /// To be called before a function with a body is created. Results are kept by the address of their
  /// function, and the new function may get the address of an erased one.
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
