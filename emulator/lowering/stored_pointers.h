// Which pointers a private variable may hold.
//
// Problem.  A pointer that was kept in an array of pointers has left the values that provenance.h follows.
// Choice.   A variable whose address goes nowhere holds what is stored into it: a pointer that is loaded from
//           it is one of those, or null if nothing was stored there yet (total_operations.h). A load that
//           takes halves of two elements gives no pointer to anything; whoever uses this list has to expect
//           an address that belongs to none of them.
// Not here. Variables that are filled in parts or as numbers, or copied from memory that is not private.
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>

namespace assay::lowering {

class StoredPointers {
public:
  /// Looks at all variables of the function as it is now.
  explicit StoredPointers(llvm::Function &function);
  /// The pointers other than constants that the load may give; null if that is not known.
  const llvm::SmallVector<llvm::Value *> *of(const llvm::LoadInst &load) const;

private:
  std::map<const llvm::AllocaInst *, llvm::SmallVector<llvm::Value *>> stored_; ///< of those that are known
};

} // namespace assay::lowering
