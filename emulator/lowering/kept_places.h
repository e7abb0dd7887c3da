// Keeps the places of memory accesses in the user's file while LLVM's passes move them.
//
// Problem.  What leaves a loop loses its place, so that a debugger does not step back to the loop's body.
//           What was joined from two places loses both. Then a fault has no line, as in
//           `for (..) sum += a[i];` with an i that the loop does not change.
// Choice.   Accesses are noted with their places before the passes. Those that are still there and have lost
//           their place get it back. Of accesses that were joined, the one that was kept has its own.
// Rejected. Metadata: a pass that moves an access drops kinds that it does not know, and `!annotation` joins
//           in ways that differ from pass to pass.
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/ValueHandle.h>

#include <utility>
#include <vector>

namespace assay::lowering {

class KeptPlaces {
public:
  explicit KeptPlaces(llvm::Function &function);
  /// To be called when the passes are done.
  void restore() const;

private:
  std::vector<std::pair<llvm::WeakVH, llvm::DebugLoc>> accesses_;
};

} // namespace assay::lowering
