// Finds what the lanes of a simdgroup have in common: how a value differs between them, and which blocks they
// run together.
//
// Problem.  One program for 32 lanes is fast if lanes have the same value, or values at fixed distances
//           (consecutive addresses), and if they run a block together. If either is assumed wrongly, results
//           are wrong without an error.
// Choice.   One fixpoint over three shapes of values and two kinds of blocks (lane_flow.h). It begins with
//           the best shapes and only goes down from there:
//             uniform   one value for all lanes that are in the block
//             affine    the value of lane 0 plus a constant for each lane. Exact in the type's own
//                       arithmetic, modulo 2^bits. `conditional`: this holds only if no lane's value wraps
//                       where it was extended to a wider type, or divided by a constant. An access that uses
//                       the distances has to test that.
//             varying   anything
//           A phi at which lanes from different blocks meet varies. The phi of a loop's header need not vary,
//           because lanes enter a loop together and go round it together. If lanes leave a loop in different
//           iterations, its values vary outside of it; they get out through the phis of LCSSA form.
// Rejected. lowering/uniformity.h: it decides whether lanes may be missing, and for that purpose lets every
//           induction variable vary if lanes may leave the loop at different times. LLVM's analysis: it
//           called a value uniform that was not.
#pragma once

#include "lane_flow.h"

#include "lowering/lowering_state.h"

#include "support/abi/group_shape.h"
#include "support/abi/runtime_call.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <array>

namespace assay::lowering::vector {

inline constexpr unsigned kLanes = 32;
using Distances = std::array<int64_t, kLanes>; ///< from lane 0, whose own is 0

enum class ShapeKind : uint8_t { Unknown, Uniform, Affine, Varying };

struct Shape {
  ShapeKind kind = ShapeKind::Unknown;
  Distances distances = {}; ///< Affine, as signed numbers of the type's width
  unsigned lowZeros = 0;    ///< Affine: the number of low bits of lane 0's value that are zero
  bool conditional = false; ///< Affine
  bool operator==(const Shape &) const = default;
};

class LaneShapes {
public:
  /// The function is in LCSSA form, its loops are simple, and it has no switches.
  ///   order   of the function's blocks
  LaneShapes(Lowering &state, llvm::Function &function, const llvm::LoopInfo &loops,
             const Reconvergence &order, GroupShape group);

  const Shape &of(const llvm::Value &value) const;
  bool isUniform(const llvm::Value &value) const { return of(value).kind == ShapeKind::Uniform; }
  bool isVarying(const llvm::Value &value) const { return of(value).kind == ShapeKind::Varying; }
  /// Whether all living lanes run the block at the same time.
  bool together(const llvm::BasicBlock &block) const { return flow_.together(block); }
  /// From here a lane only reports a fault.
  bool doomed(const llvm::BasicBlock &block) const { return flow_.doomed(block); }
  /// The private variable that a pointer points into; null for any other value, and if there may be several
  /// variables.
  llvm::AllocaInst *variableOf(const llvm::Value &pointer) const { return variables_.lookup(&pointer); }
  bool isLoopHeader(const llvm::BasicBlock &block) const { return loops_.isLoopHeader(&block); }
  /// Empty, or why the analysis cannot be trusted with the function.
  const std::string &refusal() const { return flow_.refusal().empty() ? refusal_ : flow_.refusal(); }

private:
  void findVariables();
  bool isHeaderPhi(const llvm::PHINode &phi) const;
  Shape shapeOf(const llvm::Instruction &instruction) const;
  Shape ofPhi(const llvm::PHINode &phi) const;
  Shape ofOperands(const llvm::User &user) const;
  Shape ofCall(const llvm::CallBase &call) const;
  Shape ofLoad(const llvm::LoadInst &load) const;
  Shape ofBinary(const llvm::BinaryOperator &operation) const;
  Shape ofQuotient(const llvm::BinaryOperator &operation) const;
  Shape ofCast(const llvm::CastInst &cast) const;
  Shape ofAddress(const llvm::GetElementPtrInst &address) const;
  Shape ofBuiltin(Builtin builtin, unsigned component) const;
  Shape ofPosition(unsigned component, bool inGrid) const;

  Lowering &state_;
  llvm::Function &function_;
  const llvm::LoopInfo &loops_;
  const Reconvergence &order_;
  const GroupShape group_;
  llvm::DenseMap<const llvm::Value *, Shape> shapes_;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> variables_;
  LaneFlow flow_;
  std::string refusal_;
};

/// What is added to an address, in bytes: a constant, and indices with their factors. nullopt if it has
/// another form, which refusals.h refuses.
struct AddressTerms {
  llvm::MapVector<llvm::Value *, llvm::APInt> scaled = {};
  llvm::APInt constant = llvm::APInt(64, 0);
};
std::optional<AddressTerms> termsOf(const llvm::GetElementPtrInst &address);

/// What a division or a shift to the right divides by, if that is a constant above zero; else 0.
uint64_t constantDivisor(const llvm::Instruction &instruction);
/// An `or` that is a sum.
bool isDisjointOr(const llvm::Instruction &instruction);
/// The site of a call of the runtime.
uint32_t siteOfCall(const llvm::CallBase &call);
/// Which call of the runtime it is; nullopt for any other.
std::optional<RuntimeCall> runtimeCallOf(const llvm::Value &value);

} // namespace assay::lowering::vector
