// Groups loads of neighbouring elements in one block into one access.
//
// Problem.  If a lane reads eight bytes, or the four halves of a half4, one by one, each read is a gather.
//           Gathers of bytes and halves are slow, or are loops over the lanes.
// Choice.   Loads at constant distances from each other, without a write to memory between them, become one
//           access of a vector at the first of them. If the lanes are adjacent in memory, each load already
//           is one access, and is left alone.
//           A vector of 4 or 8 bytes counts as one word: a lane that reads four half4, 32 bytes in all, reads
//           four words.
// Rejected. LLVM's load-store vectorizer: it does not know how the lanes lie in memory, and it merges stores,
//           whose order between lanes matters if lanes race.
#pragma once

#include "lane_shapes.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <memory>

namespace assay::lowering::vector {

/// The type that a load has in a group: a word if it loads a vector of 4 or 8 bytes, else its own type.
llvm::Type *elementOfGroup(const llvm::LoadInst &load);

/// `count` elements of one type. The first element is `offset` bytes from the address of `first`.
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

  ///   mostElements   how many of `count` elements, from the load's address on, are loaded at once: a power
  ///                  of two, or less than two if these loads are not grouped
  LoadGroups(const llvm::Function &function, llvm::function_ref<bool(const llvm::LoadInst &)> takesPart,
             llvm::function_ref<unsigned(const llvm::LoadInst &, unsigned count)> mostElements);

  /// Its group is null if the load is in none.
  Member of(const llvm::LoadInst &load) const { return members_.lookup(&load); }

private:
  llvm::DenseMap<const llvm::LoadInst *, Member> members_;
  std::vector<std::unique_ptr<LoadGroup>> groups_;
};

} // namespace assay::lowering::vector
