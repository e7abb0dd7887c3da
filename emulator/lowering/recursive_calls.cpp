// See recursive_calls.h. The names of blocks and values say which step made them.
#include "recursive_calls.h"

#include "inline_calls.h"
#include "primitives.h"
#include "shared_stacks.h"
#include "source_place.h"
#include "support/abi/call_depth.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isCallOf(const Instruction &instruction, const Function &function) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->getCalledFunction() == &function;
}

// Where a call of the function goes on when it has returned.
struct CallSite {
  CallInst *call;
  BasicBlock *after;
};

class StackedFunction {
public:
  explicit StackedFunction(Function &function)
      : function_(function), layout_(function.getParent()->getDataLayout()), b_(function.getContext()) {}

  Result<void> run() {
    if (Result<void> possible = check(); !possible)
      return possible;
    splitAtCalls();
    keepValuesInVariables();
    findArguments();
    if (Result<void> made = makeStack(); !made)
      return made;
    enter();
    replaceCalls();
    replaceReturns();
    stackVariables();
    return {};
  }

private:
  struct Variable {
    AllocaInst *one; ///< of the function as it was
    Type *element;   ///< of which the stack has an array, with padding up to the alignment
    AllocaInst *all = nullptr;
  };
  struct Parameter {
    Argument *argument;
    AllocaInst *variable;
    Type *copied; ///< of an argument that is passed as a copy in memory; else null
  };

  Result<void> check() {
    for (Instruction &instruction : instructions(function_)) {
      if (isSite(instruction))
        return Error::kernel("unsupported",
                             fmt::format("{} calls itself and has a barrier or a simdgroup operation",
                                         userName(function_.getName())),
                             placeOf(instruction), "move the operation out of the function, or write a loop");
      const auto *variable = dyn_cast<AllocaInst>(&instruction);
      if (variable && !variable->isStaticAlloca())
        return Error::kernel("unsupported",
                             fmt::format("{} calls itself and has a variable whose size is not constant",
                                         userName(function_.getName())),
                             placeOf(instruction), "");
    }
    return {};
  }

  // What follows a call gets a block of its own, and so do the variables.
  void splitAtCalls() {
    BasicBlock &entry = function_.getEntryBlock();
    SmallVector<AllocaInst *> variables;
    for (Instruction &instruction : entry)
      if (auto *variable = dyn_cast<AllocaInst>(&instruction))
        variables.push_back(variable);
    for (AllocaInst *variable : reverse(variables))
      variable->moveBefore(entry, entry.begin());
    auto first = entry.begin();
    while (isa<AllocaInst>(*first))
      ++first;
    start_ = entry.splitBasicBlock(first, "start");

    result_ = nullptr;
    if (!function_.getReturnType()->isVoidTy())
      result_ = variable(function_.getReturnType(), "result");
    SmallVector<CallInst *> calls;
    for (Instruction &instruction : instructions(function_))
      if (isCallOf(instruction, function_))
        calls.push_back(cast<CallInst>(&instruction));
    for (CallInst *call : calls) {
      BasicBlock *after = call->getParent()->splitBasicBlock(std::next(call->getIterator()), "returned");
      if (result_ && !call->use_empty()) {
        b_.SetInsertPoint(after, after->begin());
        call->replaceAllUsesWith(b_.CreateLoad(call->getType(), result_));
      }
      calls_.push_back({call, after});
    }
  }

  // No value is left that a block takes from another one.
  void keepValuesInVariables() {
    const auto leaves = [](const Instruction &instruction) {
      return any_of(instruction.users(), [&](const User *user) {
        return cast<Instruction>(user)->getParent() != instruction.getParent() || isa<PHINode>(user);
      });
    };
    const auto place = start_->getSinglePredecessor()->getTerminator()->getIterator();
    SmallVector<Instruction *> values;
    for (BasicBlock &block : function_)
      for (Instruction &instruction : block)
        if (!isa<AllocaInst>(instruction) && leaves(instruction))
          values.push_back(&instruction);
    for (Instruction *value : values)
      DemoteRegToStack(*value, /*VolatileLoads=*/false, place);
    SmallVector<PHINode *> choices;
    for (BasicBlock &block : function_)
      for (PHINode &choice : block.phis())
        choices.push_back(&choice);
    for (PHINode *choice : choices)
      DemotePHIToStack(choice, place);
  }

  // Those that a call changes. The others are the same at every depth.
  void findArguments() {
    for (Argument &argument : function_.args()) {
      const unsigned n = argument.getArgNo();
      if (all_of(calls_, [&](const CallSite &site) { return site.call->getArgOperand(n) == &argument; }))
        continue;
      Type *copied = argument.hasByValAttr() ? argument.getParamByValType() : nullptr;
      AllocaInst *own = variable(copied ? copied : argument.getType(), argument.getName());
      if (copied)
        own->setAlignment(std::max(own->getAlign(), argument.getParamAlign().valueOrOne()));
      parameters_.push_back({&argument, own, copied});
    }
  }

  AllocaInst *variable(Type *type, const Twine &name) {
    BasicBlock &entry = function_.getEntryBlock();
    return new AllocaInst(type, layout_.getAllocaAddrSpace(), name, entry.begin());
  }

  Result<void> makeStack() {
    uint64_t bytes = sizeof(uint32_t);
    for (Instruction &instruction : function_.getEntryBlock()) {
      auto *one = dyn_cast<AllocaInst>(&instruction);
      if (!one || one == result_)
        continue;
      Type *type = one->getAllocatedType();
      if (one->isArrayAllocation())
        type = ArrayType::get(type, cast<ConstantInt>(one->getArraySize())->getZExtValue());
      const uint64_t size = layout_.getTypeAllocSize(type), padded = alignTo(size, one->getAlign());
      if (padded != size)
        type = StructType::get(type, ArrayType::get(b_.getInt8Ty(), padded - size));
      if (layout_.getTypeAllocSize(type) != padded) // its own alignment adds more
        type = ArrayType::get(b_.getInt8Ty(), padded);
      variables_.push_back({one, type});
      bytes += padded;
    }
    depths_ = std::min<uint64_t>(kCallStackBytes / bytes, kMaxCallDepth);
    if (depths_ < kMinCallDepth)
      return Error::kernel(
          "unsupported",
          fmt::format("{} calls itself, and each call takes {} bytes", userName(function_.getName()), bytes),
          placeOf(*calls_[0].call),
          fmt::format("at most {} are possible: make its variables smaller",
                      kCallStackBytes / kMinCallDepth));
    for (Variable &each : variables_) {
      each.all = variable(ArrayType::get(each.element, depths_), each.one->getName() + ".stack");
      each.all->setAlignment(each.one->getAlign());
      markAsStack(*each.all);
    }
    returns_ = variable(ArrayType::get(b_.getInt32Ty(), depths_), "returns");
    markAsStack(*returns_);
    depth_ = variable(b_.getInt32Ty(), "depth");
    return {};
  }

  Value *depth() { return b_.CreateLoad(b_.getInt32Ty(), depth_); }
  Value *elementOf(AllocaInst *all, Value *at) {
    return b_.CreateInBoundsGEP(all->getAllocatedType(), all, {b_.getInt32(0), at});
  }
  AllocaInst *stackOf(const AllocaInst *one) const {
    return find_if(variables_, [&](const Variable &each) { return each.one == one; })->all;
  }

  void give(const Parameter &parameter, Value *value, Value *at) {
    Value *element = elementOf(stackOf(parameter.variable), at);
    if (!parameter.copied) {
      b_.CreateStore(value, element);
      return;
    }
    const Align align = parameter.argument->getParamAlign().valueOrOne();
    b_.CreateMemCpy(element, parameter.variable->getAlign(), value, align,
                    layout_.getTypeAllocSize(parameter.copied));
  }

  // The first call comes from outside.
  void enter() {
    for (const Parameter &parameter : parameters_)
      replaceUses(parameter);
    b_.SetInsertPoint(function_.getEntryBlock().getTerminator());
    b_.CreateStore(b_.getInt32(0), depth_);
    for (const Parameter &parameter : parameters_)
      give(parameter, parameter.argument, b_.getInt32(0));
  }

  // In the function it is a variable.
  void replaceUses(const Parameter &parameter) {
    SmallVector<Use *> uses;
    for (Use &use : parameter.argument->uses())
      uses.push_back(&use);
    for (Use *use : uses) {
      if (parameter.copied) {
        use->set(parameter.variable);
        continue;
      }
      b_.SetInsertPoint(cast<Instruction>(use->getUser()));
      use->set(b_.CreateLoad(parameter.argument->getType(), parameter.variable));
    }
  }

  void replaceCalls() {
    LLVMContext &context = function_.getContext();
    pop_ = BasicBlock::Create(context, "pop", &function_);
    leave_ = BasicBlock::Create(context, "leave", &function_);
    for (size_t i = 0; i < calls_.size(); ++i) {
      CallInst *call = calls_[i].call;
      BasicBlock *before = call->getParent();
      BasicBlock *push = BasicBlock::Create(context, "push", &function_);
      BasicBlock *full = BasicBlock::Create(context, "full", &function_);
      b_.SetInsertPoint(before->getTerminator());
      b_.SetCurrentDebugLocation(call->getDebugLoc());
      Value *next = b_.CreateAdd(depth(), b_.getInt32(1));
      b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(depths_)), push, full);
      before->getTerminator()->eraseFromParent();

      b_.SetInsertPoint(push);
      for (const Parameter &parameter : parameters_)
        give(parameter, call->getArgOperand(parameter.argument->getArgNo()), next);
      b_.CreateStore(b_.getInt32(i), elementOf(returns_, next));
      b_.CreateStore(next, depth_);
      b_.CreateBr(start_);

      b_.SetInsertPoint(full);
      FunctionCallee end =
          function_.getParent()->getOrInsertFunction(kCallsTooDeep, b_.getVoidTy(), b_.getInt32Ty());
      declareEnd(*cast<Function>(end.getCallee()));
      b_.CreateCall(end, {b_.getInt32(depths_)});
      if (result_)
        b_.CreateStore(Constant::getNullValue(result_->getAllocatedType()), result_);
      b_.CreateBr(leave_);
      call->eraseFromParent();
    }
  }

  void replaceReturns() {
    SmallVector<ReturnInst *> ends;
    for (Instruction &instruction : instructions(function_))
      if (auto *end = dyn_cast<ReturnInst>(&instruction))
        ends.push_back(end);
    for (ReturnInst *end : ends) {
      b_.SetInsertPoint(end);
      if (result_)
        b_.CreateStore(end->getReturnValue(), result_);
      b_.CreateBr(leave_);
      end->eraseFromParent();
    }
    BasicBlock *done = BasicBlock::Create(function_.getContext(), "done", &function_);
    b_.SetInsertPoint(leave_);
    Value *from = depth();
    b_.CreateCondBr(b_.CreateICmpEQ(from, b_.getInt32(0)), done, pop_);
    b_.SetInsertPoint(pop_);
    Value *deep = depth();
    Value *place = b_.CreateLoad(b_.getInt32Ty(), elementOf(returns_, deep));
    b_.CreateStore(b_.CreateSub(deep, b_.getInt32(1)), depth_);
    SwitchInst *back = b_.CreateSwitch(place, calls_[0].after);
    for (size_t i = 1; i < calls_.size(); ++i)
      back->addCase(b_.getInt32(i), calls_[i].after);
    b_.SetInsertPoint(done);
    if (result_)
      b_.CreateRet(b_.CreateLoad(result_->getAllocatedType(), result_));
    else
      b_.CreateRetVoid();
  }

  void stackVariables() {
    for (const Variable &each : variables_) {
      SmallVector<Use *> uses;
      for (Use &use : each.one->uses())
        uses.push_back(&use);
      for (Use *use : uses) {
        auto *user = cast<Instruction>(use->getUser());
        if (user->isLifetimeStartOrEnd()) {
          user->eraseFromParent();
          continue;
        }
        b_.SetInsertPoint(user);
        use->set(elementOf(each.all, depth()));
      }
      each.one->eraseFromParent();
    }
  }

  Function &function_;
  const DataLayout &layout_;
  IRBuilder<> b_;
  BasicBlock *start_ = nullptr, *pop_ = nullptr, *leave_ = nullptr;
  AllocaInst *result_ = nullptr, *returns_ = nullptr, *depth_ = nullptr;
  uint32_t depths_ = 0;
  SmallVector<CallSite> calls_;
  SmallVector<Parameter> parameters_;
  SmallVector<Variable> variables_;
};

} // namespace

bool callsItself(const Function &function) {
  return any_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return call && call->getCalledFunction() == &function && call->getFunction() == &function;
  });
}

Result<void> loopOverCalls(Function &function) {
  return StackedFunction(function).run();
}

} // namespace assay::lowering
