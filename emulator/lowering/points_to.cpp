#include "points_to.h"

#include "primitives.h"

#include "support/abi/module_info.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include <map>

namespace assay::lowering {
namespace {

using namespace llvm;

// The pointer that decides: without steps inside of an object.
Value *rootOf(Value *pointer) {
  while (auto *step = dyn_cast<GEPOperator>(pointer))
    pointer = step->getPointerOperand();
  return pointer;
}

// The answers to one question about several pointers, each an i1.
class Answers {
public:
  Answers(LLVMContext &context, unsigned space) : context_(context), space_(space) {}

  bool areKnown(Value *pointer) {
    pointer = rootOf(pointer);
    if (!seen_.insert(pointer).second)
      return true;
    if (auto *phi = dyn_cast<PHINode>(pointer))
      return all_of(phi->incoming_values(), [&](Value *from) { return areKnown(from); });
    if (auto *choice = dyn_cast<SelectInst>(pointer))
      return areKnown(choice->getTrueValue()) && areKnown(choice->getFalseValue());
    return isa<AllocaInst, GlobalVariable, ConstantPointerNull, AddrSpaceCastOperator>(pointer);
  }

  Value *of(Value *pointer) {
    pointer = rootOf(pointer);
    if (const auto found = answers_.find(pointer); found != answers_.end())
      return found->second;
    if (auto *phi = dyn_cast<PHINode>(pointer)) {
      IRBuilder<> b(phi);
      PHINode *answer = b.CreatePHI(b.getInt1Ty(), phi->getNumIncomingValues());
      answers_[pointer] = answer; // a loop leads back to it
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        answer->addIncoming(of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      return answer;
    }
    if (auto *choice = dyn_cast<SelectInst>(pointer)) {
      Value *first = of(choice->getTrueValue()), *second = of(choice->getFalseValue());
      IRBuilder<> b(choice);
      return answers_[pointer] = b.CreateSelect(choice->getCondition(), first, second);
    }
    return answers_[pointer] = ofMade(*pointer);
  }

private:
  Value *ofMade(Value &pointer) {
    if (auto *cast = dyn_cast<AddrSpaceCastOperator>(&pointer)) {
      if (cast->getSrcAddressSpace() != space_)
        return ConstantInt::getFalse(context_);
      Value *made = cast->getPointerOperand();
      if (isa<GlobalVariable>(rootOf(made)))
        return ConstantInt::getTrue(context_);
      auto *instruction = dyn_cast<Instruction>(&pointer);
      if (!instruction) // a constant other than a variable's address
        return ConstantInt::getFalse(context_);
      IRBuilder<> b(instruction);
      return b.CreateIsNotNull(made);
    }
    // Constants in the default space are variables that nothing writes.
    return ConstantInt::getBool(context_, space_ == kIrThread && !isa<ConstantPointerNull>(pointer));
  }

  LLVMContext &context_;
  const unsigned space_;
  std::map<Value *, Value *> answers_;
  SmallPtrSet<Value *, 8> seen_;
};

} // namespace

void answerPointsTo(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (primitiveOf(instruction) != Primitive::PointsTo)
      continue;
    auto &call = cast<CallBase>(instruction);
    const std::optional<uint32_t> space = constantArgument(call, 1);
    Value *pointer = call.getArgOperand(0);
    if (!space || !Answers(function.getContext(), *space).areKnown(pointer))
      continue;
    Value *answer = Answers(function.getContext(), *space).of(pointer);
    IRBuilder<> b(&call);
    call.replaceAllUsesWith(b.CreateZExt(answer, call.getType()));
    call.eraseFromParent();
  }
}

} // namespace assay::lowering
