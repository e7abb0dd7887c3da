// Inlines everything that the entry calls, so that one function is left.
#pragma once

#include "support/text/result.h"

#include <llvm/IR/Function.h>

#include <functional>

namespace assay::lowering {

/// What the caller of inlineCalls supplies. Those with a default may be left out.
struct InlineSteps {
  /// Runs on each function before its calls are looked at, and removes those that a function constant
  /// switches off, so that nothing is done for what they call.
  std::function<void(llvm::Function &)> prune = [](llvm::Function &) {};
  /// Runs on each function after its own calls are inlined and before it is inlined itself, so that a small
  /// operator that is called a thousand times is simplified once.
  std::function<void(llvm::Function &)> simplify;
  /// May remove calls from a function that calls itself. Those that are left become recursive_calls.h's.
  std::function<void(llvm::Function &)> loopOverTailCalls;
  /// Gives every loop of a function one entry.
  std::function<void(llvm::Function &)> makeReducible = [](llvm::Function &) {};
  /// Is called when a function has no direct call left. It may turn calls through pointers into direct calls,
  /// and returns whether it did.
  std::function<bool(llvm::Function &)> expandPointers = [](llvm::Function &) { return false; };
  /// Runs once on each leaf (large_functions.h) whose copies are about to make a function of more than
  /// `largeFunction` instructions.
  std::function<void(llvm::Function &)> optimizeLeaf = [](llvm::Function &) {};
  /// In functions that would have more instructions, calls are joined (joined_calls.h).
  size_t largeFunction = SIZE_MAX;
};

/// Inlines every direct call in `root` and in the functions that it reaches, callees first.
///   errors  "unsupported": recursion through a pointer, with the function's name; those of loopOverCalls
Result<void> inlineCalls(llvm::Function &root, const InlineSteps &steps);

/// The attribute of direct calls that expandPointers makes.
inline constexpr char kThroughPointer[] = "assay-through-pointer";

/// After simplification: calls through a pointer that could not be resolved are an error.
Result<void> refuseUnknownCalls(const llvm::Function &root);

/// A name as the user wrote it: demangled, without parameters.
std::string userName(llvm::StringRef symbol);

/// The same with the enclosing function or namespace: "fold<32>::shared".
std::string scopedName(llvm::StringRef symbol);

} // namespace assay::lowering
