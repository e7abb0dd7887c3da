// Finds where lanes must meet so that their accesses to threadgroup memory are in lockstep; see lockstep.h.
#include "lockstep.h"

#include "memory_accesses.h"
#include "primitives.h"

#include "support/abi/module_info.h"
#include "support/abi/scalar_type.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace assay::lowering {
namespace {

using namespace llvm;

/// What a lane may have done to threadgroup memory since it last met the others, in ascending order.
enum class Since : uint8_t { Nothing, Loads, Stores };

/// What an instruction does to threadgroup memory itself.
Since accessOf(Instruction &instruction) {
  Since since = Since::Nothing;
  for (const MemoryAccess &access : memoryAccesses(instruction, instruction.getDataLayout()))
    if (access.pointer->getType()->getPointerAddressSpace() == kIrThreadgroup)
      since = std::max(since, access.kind == AccessKind::Read || isa<LoadInst>(instruction) ? Since::Loads
                                                                                            : Since::Stores);
  return since;
}

bool mustMeetBetween(Since before, Since access) {
  return access == Since::Stores ? before != Since::Nothing
                                 : access == Since::Loads && before == Since::Stores;
}

Since after(Since before, Instruction &instruction) {
  if (isSite(instruction))
    return Since::Nothing;
  const Since access = accessOf(instruction);
  return mustMeetBetween(before, access) ? access : std::max(before, access);
}

} // namespace

void meetBefore(Instruction &instruction) {
  IRBuilder<> b(&instruction);
  Type *word = b.getInt32Ty(), *pointer = b.getPtrTy();
  FunctionCallee primitive = instruction.getModule()->getOrInsertFunction(
      kSimdOp, FunctionType::get(b.getVoidTy(), {word, word, word, pointer, pointer, word}, false));
  Value *none = ConstantPointerNull::get(b.getPtrTy());
  CallInst *call = b.CreateCall(primitive, {b.getInt32(uint32_t(SimdOp::Lockstep)), b.getInt32(0),
                                            b.getInt32(0), none, none, b.getInt32(0)});
  for (auto kind : {Attribute::Convergent, Attribute::NoMerge, Attribute::NoUnwind})
    call->addFnAttr(kind);
  DISubprogram *subprogram = instruction.getFunction()->getSubprogram();
  if (subprogram && !call->getDebugLoc())
    call->setDebugLoc(DILocation::get(instruction.getContext(), 0, 0, subprogram));
}

void insertLockstep(Function &function) {
  const ReversePostOrderTraversal<Function *> blocks(&function);
  DenseMap<const BasicBlock *, Since> atEnd;
  const auto atBegin = [&](const BasicBlock *block) {
    Since since = Since::Nothing;
    for (const BasicBlock *from : predecessors(block))
      since = std::max(since, atEnd.lookup(from)); // not seen yet: Nothing
    return since;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *block : blocks) {
      Since since = atBegin(block);
      for (Instruction &instruction : *block)
        since = after(since, instruction);
      Since &known = atEnd[block];
      changed |= known != since;
      known = since;
    }
  }
  SmallVector<Instruction *> meet;
  for (BasicBlock *block : blocks) {
    Since since = atBegin(block);
    for (Instruction &instruction : *block) {
      if (mustMeetBetween(since, accessOf(instruction)))
        meet.push_back(&instruction);
      since = after(since, instruction);
    }
  }
  for (Instruction *instruction : meet)
    meetBefore(*instruction);
}

} // namespace assay::lowering
