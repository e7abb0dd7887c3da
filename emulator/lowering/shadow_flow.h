// Finds which values and which memory of a kernel can be undefined at all.
//
// Most values of a kernel do not depend on anything that could be unwritten. A value that cannot be undefined
// has no shadow, and costs nothing. A value can be undefined if it comes from __assay_unwritten, from
// threadgroup memory, from device memory that is tracked, or from another such value. A variable in memory
// can be undefined if such a value is stored there.
//
// Some variables are reached in a way that is not followed: through a choice of pointers, or through an
// address that is kept as a number. These have no shadow, and their values count as defined.
#pragma once

#include "provenance.h"
#include "quiet_branches.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {

/// Where a pointer leads to, as far as shadows are concerned.
struct ShadowPlace {
  enum Kind {
    None,        ///< memory without a shadow: its values are defined
    Thread,      ///< a variable
    Threadgroup, ///< any threadgroup memory
    Device,      ///< a buffer, perhaps an unknown one
    Anything     ///< unknown
  };
  Kind kind = None;
  llvm::AllocaInst *variable = nullptr; ///< Thread
  uint32_t slot = 0;                    ///< Device; kBufferSlots: unknown
};

class ShadowFlow {
public:
  ShadowFlow(Lowering &state, Provenance &provenance, const QuietBranches &quiet);

  /// Whether a value has a shadow.
  bool mayBeUndefined(const llvm::Value *value) const { return values_.contains(value); }
  /// Whether a variable has a shadow.
  bool mayBeUndefined(const llvm::AllocaInst &variable) const { return variables_.contains(&variable); }
  ShadowPlace placeOf(llvm::Value *pointer);
  /// Whether a load from there has a shadow.
  bool mayLoadUndefined(const ShadowPlace &place) const;

private:
  bool canFollow(llvm::AllocaInst &variable);
  bool computeMayBeUndefined(llvm::Instruction &instruction);
  bool spreadToMemory(llvm::Instruction &instruction);
  bool open(llvm::Value *pointer);

  Lowering &state_;
  Provenance &provenance_;
  const QuietBranches &quiet_;
  llvm::DenseSet<const llvm::Value *> values_;
  llvm::DenseSet<const llvm::AllocaInst *> variables_;
  llvm::DenseMap<const llvm::AllocaInst *, bool> followed_;
};

} // namespace assay::lowering
