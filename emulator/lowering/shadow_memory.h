// Emits loads and stores of shadows and origins (support/abi/shadow_abi.h).
#pragma once

#include "shadow_flow.h"
#include "shadow_rules.h"

#include <map>
#include <optional>

namespace assay::lowering {

/// A shadow and where it was born; both null: the value is defined.
struct Shadow {
  llvm::Value *bits = nullptr;
  llvm::Value *origin = nullptr; ///< i64
  explicit operator bool() const { return bits != nullptr; }
};

class ShadowMemory {
public:
  using Value = llvm::Value;
  using Builder = llvm::IRBuilder<>;
  ShadowMemory(Lowering &state, ShadowFlow &flow);

  /// The shadow of the value of this type at the pointer; null if the value is defined. `site` is the site of
  /// the load.
  Shadow load(Builder &b, Value *pointer, llvm::Type *type, uint32_t site);
  /// With a null shadow, the memory counts as defined from now on.
  void store(Builder &b, Value *pointer, uint64_t bytes, Shadow shadow);
  void fill(Builder &b, Value *pointer, Value *bytes, Shadow shadow);
  void copy(Builder &b, Value *to, Value *from, Value *bytes, uint32_t site);

  /// Pointers to the shadow and the origins of a variable at the pointer; null if it has none.
  std::pair<Value *, Value *> ofVariable(Builder &b, Value *pointer);
  /// ShadowAbi, and the LaneShadow of this thread in it.
  Value *abi() const { return abi_; }
  Value *lane(Builder &b);

private:
  struct Variable {
    llvm::AllocaInst *shadow, *origins;
  };
  Variable &variable(llvm::AllocaInst &of);
  Value *address(Builder &b, Value *pointer) { return b.CreatePtrToInt(pointer, b.getInt64Ty()); }
  Value *field(Builder &b, llvm::Type *type, uint64_t offset);
  Value *shadowPointer(Builder &b, const ShadowPlace &place, Value *pointer, bool toRead);
  Value *originPointer(Builder &b, const ShadowPlace &place, Value *pointer);
  Value *loadOrigin(Builder &b, const ShadowPlace &place, Value *pointer, Value *bits, uint64_t bytes,
                    uint32_t site);
  bool keepsShadow(const ShadowPlace &place) const;
  bool isUnknown(const ShadowPlace &place) const;

  Lowering &state_;
  ShadowFlow &flow_;
  ShadowRules rulesFor(Builder &b) { return {b, layout_}; }
  const llvm::DataLayout &layout_;
  Value *abi_ = nullptr;
  llvm::Instruction *top_ = nullptr; ///< after what is loaded for the whole function
  std::map<llvm::AllocaInst *, Variable> variables_;
  std::map<uint64_t, Value *> fields_;
};

} // namespace assay::lowering
