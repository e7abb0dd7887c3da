// Loads of neighbouring elements in one block, which are done at once.
//
// Problem.  A lane that reads eight bytes, or the four halves of a half4, one by one costs a gather for each
//           of them, and gathers of bytes and halves are slow or loops over the lanes.
// Choice.   Loads at constant distances from each other, with nothing between them that writes memory, are
//           one access of a vector at the first of them. Where lanes lie side by side, each load is one
//           access already, and is left alone.
// Rejected. LLVM's load-store vectorizer (it does not know how the lanes lie, and merges stores, whose order
//           between lanes is seen where lanes race).
#pragma once

#include "lane_shapes.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <memory>

namespace assay::lowering::vector {

/// `count` elements of `type`, the first of them `offset` bytes from where `first` loads.
struct LoadGroup {
  const llvm::LoadInst *first = nullptr; ///< of the block
  int64_t offset = 0;
  unsigned count = 0;
};

class LoadGroups {
public:
  struct Member {
    const LoadGroup *group = nullptr;
    unsigned element = 0;
  };

  ///   mostElements   how many of `count` elements are loaded at once from where the load loads; a power of
  ///                  two, less than two if loads stay alone
  LoadGroups(const llvm::Function &function, llvm::function_ref<bool(const llvm::LoadInst &)> takesPart,
             llvm::function_ref<unsigned(const llvm::LoadInst &, unsigned count)> mostElements);

  /// Without a group, nothing.
  Member of(const llvm::LoadInst &load) const { return members_.lookup(&load); }

private:
  llvm::DenseMap<const llvm::LoadInst *, Member> members_;
  std::vector<std::unique_ptr<LoadGroup>> groups_;
};

} // namespace assay::lowering::vector
