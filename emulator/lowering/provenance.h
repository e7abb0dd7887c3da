// Finds the object into which a pointer points.
#pragma once

#include "lowering_state.h"
#include "stored_pointers.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <map>

namespace assay::lowering {

/// The memory that a pointer points into: where it begins and how long it is.
struct Bounds {
  llvm::Value *base = nullptr;   ///< i64, or null if nothing is known
  llvm::Value *bytes = nullptr;  ///< i64
  llvm::Value *root = nullptr;   ///< the object's own pointer, or one into it that was kept in memory; null
                                 ///< where several objects are possible
  llvm::Value *before = nullptr; ///< i64: from the base to the root; null if they are the same
  MemoryKind memory = MemoryKind::Unknown;
  uint32_t slot = 0;
  std::string name;
  uint64_t memoryBytes = 0;  ///< 0 if only known at run time
  uint32_t memoryOffset = 0; ///< of a threadgroup variable in the arena
  bool stored = false;    ///< the pointer, or its root, was kept in memory, where it may never have been set
  bool maybeNone = false; ///< of several stored pointers: it may point into no object, then `bytes` is 0
  bool known() const { return base != nullptr; }
};

/// Follows pointers through GEPs, casts, phis and selects to their roots: buffer and threadgroup slots,
/// threadgroup variables, allocas, constants. Where several roots meet, it adds a phi or select of bases and
/// sizes beside the pointer's own.
///
/// On request, it also follows pointers through private variables that hold pointers into one argument, or
/// into a few variables. If there are several, the value of a loaded pointer tells which variable it points
/// into: the address is in that variable or at its end. If one variable ends where the next one begins, an
/// address there counts as in both.
class Provenance {
public:
  /// Moves the calls that fetch slots to the top of the entry, where they dominate everything.
  ///   throughMemory   follow pointers that are kept in private variables. The bounds of such a pointer are
  ///                   right only if the pointer has been set (Bounds::stored).
  explicit Provenance(Lowering &state, bool throughMemory = false);
  const Bounds &of(llvm::Value *pointer);

private:
  Bounds compute(llvm::Value *pointer);
  bool isRoot(llvm::Value *value);
  using Roots = llvm::SmallVector<llvm::Value *, 4>;
  const Roots &rootsOf(llvm::LoadInst &load);
  Bounds ofRoot(llvm::Value *root);
  Bounds ofSlot(llvm::CallBase &call);
  Bounds ofLoad(llvm::LoadInst &load);
  Bounds ofAlloca(llvm::AllocaInst &variable);
  Bounds ofVariable(llvm::GlobalVariable &variable);
  Bounds ofPhi(llvm::PHINode &phi);
  Bounds ofSelect(llvm::SelectInst &select);
  bool collectRoots(llvm::Value *pointer, llvm::SmallPtrSetImpl<llvm::Value *> &seen,
                    llvm::SmallPtrSetImpl<llvm::Value *> &roots);

  Lowering &state_;
  llvm::Instruction *top_ = nullptr; ///< where loads that depend on nothing go
  std::map<llvm::Value *, Bounds> bounds_;
  std::optional<StoredPointers> variables_;
  std::map<const llvm::LoadInst *, Roots> roots_; ///< rootsOf
};

} // namespace assay::lowering
