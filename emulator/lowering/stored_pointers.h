// Finds which pointers a private variable may hold.
//
// Problem.  provenance.h follows values. It cannot follow a pointer that is kept in an array of pointers.
// Choice.   A variable whose address does not escape holds only what is stored into it. So a pointer that is
//           loaded from it is one of the stored ones, or null if nothing has been stored there yet
//           (total_operations.h). A load that takes halves of two elements returns a pointer to no object, so
//           users of this list have to expect an address that belongs to none of the pointers.
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
  /// The pointers, other than constants, that the load may return; null if they are not known.
  const llvm::SmallVector<llvm::Value *> *of(const llvm::LoadInst &load) const;

private:
  std::map<const llvm::AllocaInst *, llvm::SmallVector<llvm::Value *>> stored_; ///< of those that are known
};

} // namespace assay::lowering
