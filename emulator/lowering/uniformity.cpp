// See uniformity.h.
#include "uniformity.h"

#include "primitives.h"

#include "support/abi/builtins.h"
#include "support/abi/module_info.h"
#include "support/abi/scalar_type.h"
#include "support/abi/simd_op.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool sameInSimdgroup(Builtin builtin) {
  return builtinInfo(builtin).scope == BuiltinScope::Group ||
         builtin == Builtin::SimdgroupIndexInThreadgroup || builtin == Builtin::ThreadsPerSimdgroup ||
         builtin == Builtin::ThreadExecutionWidth;
}

// Operations that give the same value to every lane that takes part.
bool givesAllTheSame(SimdOp op) {
  return op == SimdOp::BroadcastFirst || (op >= SimdOp::Sum && op <= SimdOp::Xor) || op == SimdOp::Ballot ||
         op == SimdOp::ActiveMask;
}

// Private memory that only such operations write: calls leave their results there.
bool isSameResult(const AllocaInst &memory) {
  SmallVector<const Value *> work{&memory};
  while (!work.empty()) {
    const Value *pointer = work.pop_back_val();
    for (const User *user : pointer->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user)) {
        work.push_back(user);
        continue;
      }
      if (isa<LoadInst>(user))
        continue;
      if (const auto *set = dyn_cast<MemSetInst>(user);
          set &&
          (isa<Constant>(set->getValue()) || primitiveOf(*set->getValue()) == Primitive::UnwrittenValue))
        continue; // as every variable is to begin with
      if (const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
          intrinsic && intrinsic->isLifetimeStartOrEnd())
        continue;
      if (primitiveOf(*user) != Primitive::SimdOp)
        return false;
      const auto &call = cast<CallBase>(*user);
      const std::optional<uint32_t> op = constantArgument(call, 0);
      if (call.getArgOperand(3) == pointer || !op || *op >= kSimdOps.size() || !givesAllTheSame(SimdOp(*op)))
        return false;
    }
  }
  return true;
}

} // namespace

Uniformity::Uniformity(Function &function, const LoopInfo &loops, const PostDominatorTree &postDominators)
    : loops_(loops), postDominators_(postDominators) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &instruction : instructions(function))
      if (!varying_.contains(&instruction) && computeVaries(instruction))
        changed |= varying_.insert(&instruction).second;
    for (const BasicBlock &block : function) {
      const Instruction &end = *block.getTerminator();
      if (end.getNumSuccessors() > 1 && !divergent_.contains(&block) && anyOperandVaries(end))
        changed |= divergent_.insert(&block).second;
    }
    const size_t before = missing_.size();
    for (bool more = true; more;) {
      const size_t known = missing_.size();
      for (const BasicBlock &block : function)
        if (divergent_.contains(&block) || missing_.contains(&block))
          markDependents(block);
      more = missing_.size() != known;
    }
    changed |= missing_.size() != before;
  }
}

bool Uniformity::varies(const Value &value) const {
  return varying_.contains(&value);
}

// The blocks that run or not depending on where this block branches.
void Uniformity::markDependents(const BasicBlock &block) {
  if (block.getTerminator()->getNumSuccessors() < 2 || !marked_.insert(&block).second)
    return;
  const auto *node = postDominators_.getNode(&block);
  const auto *end = node ? node->getIDom() : nullptr;
  for (const BasicBlock *successor : successors(&block))
    for (const auto *at = postDominators_.getNode(successor); at && at != end; at = at->getIDom())
      if (at->getBlock())
        missing_.insert(at->getBlock());
}

bool Uniformity::leavesAtDifferentTimes(const Loop &loop) const {
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](const BasicBlock *block) {
    return divergent_.contains(block) || missing_.contains(block);
  });
}

// As the user sees it: what a loop computed last differs if lanes left it in different iterations.
bool Uniformity::variesAt(const Value &value, const Instruction &user) const {
  if (varying_.contains(&value))
    return true;
  const auto *made = dyn_cast<Instruction>(&value);
  if (!made)
    return false;
  const BasicBlock *at = user.getParent();
  for (const Loop *loop = loops_.getLoopFor(made->getParent()); loop && !loop->contains(at);
       loop = loop->getParentLoop())
    if (leavesAtDifferentTimes(*loop))
      return true;
  return false;
}

bool Uniformity::anyOperandVaries(const Instruction &instruction) const {
  return any_of(instruction.operands(), [&](const Use &use) { return variesAt(*use, instruction); });
}

bool Uniformity::callVaries(const CallBase &call) const {
  const std::optional<Primitive> primitive = primitiveOf(call);
  if (primitive == Primitive::Builtin) {
    const std::optional<uint32_t> builtin = constantArgument(call, 0);
    return !builtin || *builtin >= kBuiltinCount || !sameInSimdgroup(Builtin(*builtin));
  }
  if (primitive == Primitive::UnwrittenValue || primitive == Primitive::FunctionConstant ||
      primitive == Primitive::FunctionConstantDefined)
    return false;
  if (primitive == Primitive::BufferDevice || primitive == Primitive::BufferConstant ||
      primitive == Primitive::ThreadgroupSlot || primitive == Primitive::TextureQuery ||
      primitive == Primitive::TensorRecord)
    return anyOperandVaries(call);
  return !call.doesNotAccessMemory() || !isa<IntrinsicInst>(call) || anyOperandVaries(call);
}

bool Uniformity::loadVaries(const LoadInst &load) const {
  if (!load.isSimple())
    return true;
  const Value *object = getUnderlyingObject(load.getPointerOperand(), /*MaxLookup=*/0);
  if (const auto *memory = dyn_cast<AllocaInst>(object))
    return !isSameResult(*memory) || variesAt(*load.getPointerOperand(), load);
  const unsigned space = object->getType()->getPointerAddressSpace();
  const bool shared =
      isa<GlobalVariable>(object) || space == kIrThreadgroup || space == kIrDevice || space == kIrConstant;
  return !shared || variesAt(*load.getPointerOperand(), load);
}

bool Uniformity::computeVaries(const Instruction &instruction) const {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return loadVaries(*load);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return callVaries(*call);
  if (isa<AllocaInst>(instruction))
    return false; // an address in it is the same place in each lane's own memory
  if (instruction.mayReadOrWriteMemory())
    return true;
  if (const auto *phi = dyn_cast<PHINode>(&instruction); phi && !phi->hasConstantOrUndefValue())
    if (any_of(phi->blocks(), [&](const BasicBlock *from) { return missing_.contains(from); }))
      return true;
  return anyOperandVaries(instruction);
}

} // namespace assay::lowering
