// See large_functions.h.
#include "large_functions.h"

#include "primitives.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isBitOfByte(const Instruction &instruction) {
  return isa<TruncInst>(instruction) && instruction.getType()->isIntegerTy(1) &&
         instruction.getOperand(0)->getType()->isIntegerTy(8);
}

bool isByteOfBit(const Instruction &instruction) {
  return isa<ZExtInst>(instruction) && instruction.getType()->isIntegerTy(8) &&
         instruction.getOperand(0)->getType()->isIntegerTy(1);
}

bool onlyComputes(const Instruction &instruction) {
  if (instruction.isAtomic() || instruction.isVolatile() || isBitOfByte(instruction) ||
      isByteOfBit(instruction))
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call))
    return true;
  switch (primitiveOf(*call).value_or(Primitive::Publish)) {
  case Primitive::BufferDevice:
  case Primitive::BufferConstant:
  case Primitive::ThreadgroupSlot:
  case Primitive::TensorRecord:
  case Primitive::TensorField:
  case Primitive::TensorDevice:
  case Primitive::TensorConstant:
  case Primitive::TensorScalesDevice:
  case Primitive::TensorScalesConstant:
  case Primitive::Builtin: return true;
  default: return false;
  }
}

} // namespace

bool isLeaf(const Function &function) {
  return all_of(instructions(function), onlyComputes);
}

void splitLongBlocks(Function &function) {
  constexpr size_t kLongBlock = 1000;
  SmallVector<Instruction *> places;
  for (BasicBlock &block : function) {
    size_t length = 0;
    const size_t before = places.size();
    for (Instruction &instruction : block) {
      if (isa<AllocaInst>(instruction)) { // of the entry: where it is, its memory is the function's
        places.truncate(before);
        length = 0;
      } else if (++length > kLongBlock && !isa<PHINode>(instruction)) {
        places.push_back(&instruction);
        length = 0;
      }
    }
  }
  for (Instruction *place : reverse(places)) // a split moves what follows in the block
    place->getParent()->splitBasicBlock(place);
}

void compareLowestBits(Function &leaf) {
  for (Instruction &instruction : make_early_inc_range(instructions(leaf)))
    if (isBitOfByte(instruction)) {
      IRBuilder<> b(&instruction);
      Value *lowest = b.CreateAnd(instruction.getOperand(0), 1);
      instruction.replaceAllUsesWith(b.CreateIsNotNull(lowest));
      instruction.eraseFromParent();
    }
}

} // namespace assay::lowering
