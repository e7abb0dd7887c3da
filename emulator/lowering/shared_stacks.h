// One stack for all copies of a function that calls itself.
//
// Problem.  recursive_calls.h gives such a function a stack of up to kCallStackBytes, as arrays among its
//           variables. Each call from another function becomes a copy of it (inline_calls.h) with its own
//           arrays, so that 65 calls would need more memory than a thread may have.
// Choice.   The arrays are marked. When several calls are inlined into a function, the arrays with the same
//           mark become one. A thread is never in two copies at once: it would have to enter one from the
//           other, and then the call would be one of the function by itself.
// When.     Before the next pass over the caller. A pass may move a load of one copy's array past the next
//           copy, which is right only as long as that one has an array of its own.
// Rejected. LLVM's stack colouring: it comes after the size of a kernel's variables has been checked, and not
//           at all without optimisation (--debug). A real call of such functions: large_functions.h.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

namespace assay::lowering {

/// Copies of this variable, which is in a function that calls itself, may share their memory.
void markAsStack(llvm::AllocaInst &stack);

/// The arrays of the calls that are inlined into one function, between two passes over it.
class SharedStacks {
public:
  ///   inlined  the variables that one call has brought into the entry block of its caller. Those that
  ///            earlier calls have brought, too, are erased.
  void share(llvm::ArrayRef<llvm::AllocaInst *> inlined);

private:
  llvm::DenseMap<const llvm::MDNode *, llvm::SmallVector<llvm::AllocaInst *, 1>> stacks_;
};

} // namespace assay::lowering
