// The layout of private variables in memory for 32 lanes: element by element, and within an element lane by
// lane. So an access with a uniform index is an access to one vector.
//
// An element (granule) is as large as the smallest access to the variable. A larger access takes several
// elements, one after the other, and every access begins at a multiple of an element.
#pragma once

#include "lane_shapes.h"

#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering::vector {

class PrivateMemory {
public:
  PrivateMemory(const LaneShapes &shapes, const Lowering &state, llvm::Function &function);

  /// Empty, or why some variable cannot be laid out like this.
  const std::string &refusal() const { return refusal_; }
  /// Bytes of an element.
  unsigned granule(const llvm::AllocaInst &variable) const { return granules_.lookup(&variable); }

private:
  void spreadGranules();
  void use(const llvm::Value &pointer, uint64_t bytes);
  void visit(const llvm::Instruction &instruction, const Lowering &state);
  bool isMultiple(const llvm::Value &pointer, uint64_t granule) const;
  bool onlyCompared(const llvm::Value &number) const;

  const LaneShapes &shapes_;
  llvm::Function &function_;
  llvm::DenseMap<const llvm::AllocaInst *, unsigned> granules_;
  std::vector<const llvm::Value *> accessed_;
  std::vector<std::pair<const llvm::Value *, uint64_t>> wholes_; ///< copied and filled, with the bytes
  std::vector<std::pair<const llvm::Value *, uint64_t>>
      matrices_; ///< of tensors, with the bytes of an element
  std::vector<const llvm::MemTransferInst *> copies_;
  std::string refusal_;
};

} // namespace assay::lowering::vector
