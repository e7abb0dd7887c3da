// See joined_circles.h.
#include "joined_circles.h"

#include "inline_calls.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace assay::lowering {
namespace {

using namespace llvm;

using Functions = SetVector<Function *>;
using Calls = MapVector<Function *, Functions>; ///< the functions that each one calls

// Those of a function and of all that it calls, callers before callees.
Calls callsFrom(Function &first) {
  Calls calls;
  SmallVector<Function *> open{&first};
  while (!open.empty()) {
    Function *caller = open.pop_back_val();
    if (calls.contains(caller))
      continue;
    Functions &called = calls[caller];
    for (Instruction &instruction : instructions(*caller)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && !call->hasFnAttr(kThroughPointer) &&
          call->getFunctionType() == callee->getFunctionType() && called.insert(callee))
        open.push_back(callee);
    }
  }
  return calls;
}

// Most programs have none. A function that no other one calls is in no circle, and so on without it.
bool hasCircle(const Calls &calls) {
  DenseMap<Function *, unsigned> callers;
  for (const auto &[caller, called] : calls)
    for (Function *callee : called)
      ++callers[callee];
  SmallVector<Function *> uncalled;
  for (const auto &[function, called] : calls)
    if (!callers.contains(function))
      uncalled.push_back(function);
  size_t left = calls.size();
  for (; !uncalled.empty(); --left)
    for (Function *callee : calls.find(uncalled.pop_back_val())->second)
      if (--callers[callee] == 0)
        uncalled.push_back(callee);
  return left > 0;
}

// The functions that are reached from one by calls, without those of `without`. It is in the list itself only
// if it is called again.
Functions reachedFrom(Function *first, const Calls &calls, const Function *without = nullptr) {
  Functions reached;
  SmallVector<Function *> open{first};
  while (!open.empty())
    for (Function *callee : calls.find(open.pop_back_val())->second)
      if (callee != without && reached.insert(callee))
        open.push_back(callee);
  return reached;
}

// The functions of all circles that are reached from one, itself first, if it is in one and these circles do
// not all pass through it; else none.
Functions circlesFrom(Function *first, const Calls &calls) {
  Functions members;
  const Functions reached = reachedFrom(first, calls);
  if (!reached.contains(first))
    return members;
  members.insert(first);
  bool isNested = false;
  for (Function *function : reached) {
    if (!reachedFrom(function, calls).contains(function))
      continue;
    members.insert(function);
    isNested |= function != first && reachedFrom(function, calls, first).contains(function);
  }
  return isNested ? members : Functions();
}

class Joined {
public:
  explicit Joined(ArrayRef<Function *> members) : members_(members.begin(), members.end()) {}

  void run() {
    Module &module = *members_[0]->getParent();
    SmallVector<Type *> parameters{Type::getInt32Ty(module.getContext())}, results;
    for (Function *member : members_) {
      firstParameter_.push_back(unsigned(parameters.size()));
      append_range(parameters, member->getFunctionType()->params());
      if (!member->getReturnType()->isVoidTy() && !is_contained(results, member->getReturnType()))
        results.push_back(member->getReturnType());
    }
    results_ = results;
    Type *result = results.empty()       ? Type::getVoidTy(module.getContext())
                   : results.size() == 1 ? results[0]
                                         : StructType::get(module.getContext(), results);
    joined_ = Function::Create(FunctionType::get(result, parameters, false), GlobalValue::InternalLinkage,
                               members_[0]->getAddressSpace(), "", &module);
    joined_->addFnAttrs(AttrBuilder(module.getContext(), members_[0]->getAttributes().getFnAttrs()));
    joined_->setName(members_[0]->getName()); // messages name the function by it
    const SmallVector<CallInst *> choices = chooseAmongMembers();
    for (size_t i = 0; i < members_.size(); ++i)
      leadCallsOf(i, choices);
    for (CallInst *choice : choices) {
      InlineFunctionInfo info;
      InlineFunction(*choice, info);
    }
  }

private:
  // The body: one call of each member.
  SmallVector<CallInst *> chooseAmongMembers() {
    LLVMContext &context = joined_->getContext();
    IRBuilder<> b(BasicBlock::Create(context, "", joined_));
    auto *none = BasicBlock::Create(context, "none", joined_);
    SwitchInst *which = b.CreateSwitch(joined_->getArg(0), none, unsigned(members_.size()));
    b.SetInsertPoint(none);
    b.CreateUnreachable();
    SmallVector<CallInst *> calls;
    for (size_t i = 0; i < members_.size(); ++i) {
      auto *block = BasicBlock::Create(context, "member", joined_, none);
      which->addCase(b.getInt32(uint32_t(i)), block);
      b.SetInsertPoint(block);
      SmallVector<Value *> arguments;
      for (unsigned k = 0; k < members_[i]->arg_size(); ++k)
        arguments.push_back(joined_->getArg(firstParameter_[i] + k));
      CallInst *call = b.CreateCall(members_[i], arguments);
      call->setCallingConv(members_[i]->getCallingConv());
      call->setAttributes(members_[i]->getAttributes());
      calls.push_back(call);
      if (call->getType()->isVoidTy() && results_.empty())
        b.CreateRetVoid();
      else if (call->getType()->isVoidTy())
        b.CreateRet(Constant::getNullValue(joined_->getReturnType()));
      else if (results_.size() == 1)
        b.CreateRet(call);
      else
        b.CreateRet(b.CreateInsertValue(Constant::getNullValue(joined_->getReturnType()), call,
                                        {resultOf(call->getType())}));
    }
    return calls;
  }

  unsigned resultOf(Type *type) const { return unsigned(find(results_, type) - results_.begin()); }

  void leadCallsOf(size_t i, ArrayRef<CallInst *> choices) {
    for (User *user : to_vector(members_[i]->users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != members_[i] || call == choices[i] ||
          call->hasFnAttr(kThroughPointer))
        continue;
      SmallVector<Value *> arguments;
      for (Type *type : joined_->getFunctionType()->params())
        arguments.push_back(Constant::getNullValue(type));
      IRBuilder<> b(call);
      arguments[0] = b.getInt32(uint32_t(i));
      for (unsigned k = 0; k < call->arg_size(); ++k)
        arguments[firstParameter_[i] + k] = call->getArgOperand(k);
      Value *result = b.CreateCall(joined_, arguments);
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(
            results_.size() == 1 ? result : b.CreateExtractValue(result, {resultOf(call->getType())}));
      call->eraseFromParent();
    }
  }

  SmallVector<Function *> members_;
  SmallVector<unsigned> firstParameter_;
  SmallVector<Type *> results_; ///< different ones
  Function *joined_ = nullptr;
};

} // namespace

void joinCircles(Function &kernel) {
  for (bool joined = true; joined;) {
    joined = false;
    const Calls calls = callsFrom(kernel);
    if (!hasCircle(calls))
      return;
    for (const auto &[function, called] : calls)
      if (const Functions members = circlesFrom(function, calls); !members.empty()) {
        Joined(members.getArrayRef()).run();
        joined = true;
        break;
      }
  }
}

} // namespace assay::lowering
