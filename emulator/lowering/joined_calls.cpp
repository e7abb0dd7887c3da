// See joined_calls.h.
#include "joined_calls.h"

#include "loop_ends.h"
#include "primitives.h"
#include "support/abi/module_info.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool hasConstantOperands(const CallBase &call) {
  return all_of(call.args(), [](const Value *operand) { return isa<Constant>(operand); });
}

// A thread's own variable, which no other lane reaches. Programs that must not branch on secrets pass values
// through volatile variables, so that no compiler knows them.
bool isOfOwnVariable(const Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  return pointer && isa<AllocaInst>(getUnderlyingObject(pointer));
}

bool keepsItsMeaning(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call))
    return true;
  const Function *callee = call->getCalledFunction();
  if (callee && (!callee->isDeclaration() || isLoopEndMark(*call)))
    return true;
  switch (primitiveOf(*call).value_or(Primitive::Publish)) {
  case Primitive::BufferDevice:
  case Primitive::BufferConstant:
  case Primitive::ThreadgroupSlot:
  case Primitive::Builtin:
  case Primitive::FunctionConstant:
  case Primitive::FunctionConstantDefined:
  case Primitive::UnwrittenValue: return hasConstantOperands(*call);
  case Primitive::Access: return true;
  default: return false;
  }
}

class Join {
public:
  Join(Function &function, Function &callee)
      : function_(function), callee_(callee), b_(function.getContext()) {}

  CallBase &run() {
    SmallVector<CallBase *> calls;
    for (Instruction &instruction : instructions(function_))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->getCalledFunction() == &callee_)
        calls.push_back(call);
    if (calls.size() == 1)
      return *calls.front();
    moveVariablesUp();
    makePlace(unsigned(calls.size()));
    for (CallBase *call : calls)
      lead(*call);
    keepValuesInVariables();
    return *joined_;
  }

private:
  // A split of the entry must not leave variables in another block.
  void moveVariablesUp() {
    BasicBlock &entry = function_.getEntryBlock();
    SmallVector<AllocaInst *> variables;
    for (Instruction &instruction : entry)
      if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && variable->isStaticAlloca())
        variables.push_back(variable);
    for (AllocaInst *variable : reverse(variables))
      variable->moveBefore(entry, entry.begin());
  }

  void makePlace(unsigned calls) {
    place_ = BasicBlock::Create(function_.getContext(), "joined", &function_);
    b_.SetInsertPoint(place_);
    number_ = b_.CreatePHI(b_.getInt32Ty(), calls, "call");
    SmallVector<Value *> operands;
    for (Argument &argument : callee_.args())
      operands.push_back(b_.CreatePHI(argument.getType(), calls, argument.getName()));
    joined_ = b_.CreateCall(&callee_, operands);
    joined_->setCallingConv(callee_.getCallingConv());
    joined_->setAttributes(callee_.getAttributes()); // what all calls have in common
    if (DISubprogram *program = function_.getSubprogram())
      joined_->setDebugLoc(DILocation::get(function_.getContext(), 0, 0, program));
    back_ = b_.CreateSwitch(number_, place_, calls); // the first call becomes the default
  }

  void lead(CallBase &call) {
    BasicBlock *before = call.getParent();
    BasicBlock *after = before->splitBasicBlock(&call, "returned");
    before->getTerminator()->setSuccessor(0, place_);
    const unsigned index = number_->getNumIncomingValues();
    if (index == 0)
      back_->setDefaultDest(after);
    else
      back_->addCase(b_.getInt32(index), after);
    number_->addIncoming(b_.getInt32(index), before);
    for (unsigned i = 0; i < call.arg_size(); ++i)
      cast<PHINode>(joined_->getArgOperand(i))->addIncoming(call.getArgOperand(i), before);
    if (!call.use_empty()) {
      // The result of this call alone: the next one gives the joined call another.
      b_.SetInsertPoint(after, after->begin());
      PHINode *result = b_.CreatePHI(call.getType(), 1);
      result->addIncoming(joined_, place_);
      call.replaceAllUsesWith(result);
    }
    call.eraseFromParent();
  }

  // Those values that no longer come before all of their uses, because other calls lead there, too.
  void keepValuesInVariables() {
    const DominatorTree dominators(function_);
    SmallVector<Instruction *> values;
    for (Instruction &value : instructions(function_))
      if (any_of(value.uses(), [&](const Use &use) { return !dominators.dominates(&value, use); }))
        values.push_back(&value);
    for (Instruction *value : values)
      DemoteRegToStack(*value, /*VolatileLoads=*/false, function_.getEntryBlock().begin());
  }

  Function &function_, &callee_;
  IRBuilder<> b_;
  BasicBlock *place_ = nullptr;
  PHINode *number_ = nullptr;
  CallInst *joined_ = nullptr;
  SwitchInst *back_ = nullptr;
};

} // namespace

bool mayJoinCalls(const Function &function) {
  return none_of(instructions(function), [](const Instruction &instruction) {
    return instruction.isAtomic() || (instruction.isVolatile() && !isOfOwnVariable(instruction)) ||
           isSite(instruction) || primitiveOf(instruction) == Primitive::TextureAtomic;
  });
}

bool mayBeJoined(const Function &callee) {
  return !callee.hasFnAttribute(kShimFunction) && mayJoinCalls(callee) &&
         all_of(instructions(callee), keepsItsMeaning);
}

CallBase &joinCalls(Function &function, Function &callee) {
  return Join(function, callee).run();
}

} // namespace assay::lowering
