// Calls through pointers become switches. See function_tables.h.
#include "function_tables.h"

#include "inline_calls.h"
#include "primitives.h"
#include "read_module.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isThroughPointer(const CallInst &call) {
  return !call.getCalledFunction() && !call.isInlineAsm();
}

// Whether a direct call of the function does what the call's site expects.
bool isCase(const CallBase &call, const Function &function) {
  if (function.getFunctionType() != call.getFunctionType() ||
      function.getCallingConv() != call.getCallingConv())
    return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (function.getParamByValType(i) != call.getParamByValType(i) ||
        function.getParamStructRetType(i) != call.getParamStructRetType(i))
      return false;
  return true;
}

} // namespace

FunctionTables::FunctionTables(Lowering &state) : state_(state) {
  // Who links functions may reach a table through pointers that reflection does not follow.
  hasTables_ = state.kernel.takesFunctionTables() || !state.options.linkedFunctions.empty();
  for (const uint32_t handle : state.options.linkedFunctions)
    if (Function *function = state.module->getFunction(state.moduleInfo.otherFunctions[handle - 1].symbol)) {
      linked_.push_back(function);
      numbers_[function] = handle;
    }
}

void FunctionTables::number() {
  for (Function &function : *state_.module) {
    if (numbers_.contains(&function) || function.isDeclaration() || !function.hasAddressTaken())
      continue;
    uint64_t number = state_.moduleInfo.otherFunctions.size() + numbers_.size() + 1;
    for (const OtherFunctionInfo &other : state_.moduleInfo.otherFunctions)
      if (other.symbol == function.getName())
        number = state_.moduleInfo.handleOf(other);
    numbers_[&function] = number;
  }
}

bool FunctionTables::hasCase(const CallBase &call) const {
  return any_of(numbers_, [&](const auto &entry) { return isCase(call, *entry.first); });
}

bool FunctionTables::expandCalls(Function &function) {
  if (&function != state_.entry && !numbers_.contains(&function))
    return false;
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&instruction); call && isThroughPointer(*call))
      if (hasTables_ || hasCase(*call))
        calls.push_back(call);
  for (CallInst *call : calls)
    expand(*call);
  if (!calls.empty()) {
    describe();
    replaceAddresses(function);
  }
  return !calls.empty();
}

// The names by which the runtime tells what a pointer held.
void FunctionTables::describe() {
  std::vector<PointedFunction> &functions = state_.info.pointedFunctions;
  if (!functions.empty())
    return;
  for (const OtherFunctionInfo &other : state_.moduleInfo.otherFunctions)
    functions.push_back({other.name, other.type});
  for (const auto &[function, number] : numbers_)
    if (number > functions.size()) {
      functions.resize(number);
      functions.back().name = userName(function->getName());
    }
}

void FunctionTables::expand(CallInst &call) {
  Module &module = *state_.module;
  Function &function = *call.getFunction();
  LLVMContext &context = module.getContext();
  const DebugLoc place = call.getDebugLoc();
  BasicBlock *before = call.getParent(), *after = before->splitBasicBlock(&call, "called");

  IRBuilder<> b(before->getTerminator());
  b.SetCurrentDebugLocation(place);
  Value *number = b.CreatePtrToInt(call.getCalledOperand(), b.getInt64Ty());
  BasicBlock *none = BasicBlock::Create(context, "no.function", &function, after);
  SwitchInst *choice = b.CreateSwitch(number, none);
  before->getTerminator()->eraseFromParent();

  PHINode *result = nullptr;
  if (!call.getType()->isVoidTy())
    result = PHINode::Create(call.getType(), 0, "", after->begin());
  for (const auto &[callee, handle] : numbers_) {
    if (!isCase(call, *callee))
      continue;
    BasicBlock *block = BasicBlock::Create(context, "function", &function, after);
    choice->addCase(b.getInt64(handle), block);
    b.SetInsertPoint(block);
    auto *direct = cast<CallInst>(call.clone());
    direct->setCalledFunction(callee);
    direct->addFnAttr(Attribute::get(context, kThroughPointer));
    b.Insert(direct);
    b.CreateBr(after);
    if (result)
      result->addIncoming(direct, block);
  }

  b.SetInsertPoint(none);
  FunctionCallee end = module.getOrInsertFunction(kNoFunction, b.getVoidTy(), b.getInt64Ty());
  declareEnd(*cast<Function>(end.getCallee()));
  b.CreateCall(end, {number});
  b.CreateBr(after);
  if (result) {
    result->addIncoming(Constant::getNullValue(call.getType()), none);
    call.replaceAllUsesWith(result);
  }
  call.eraseFromParent();
}

void FunctionTables::replaceAddresses(Function &inside) {
  Type *word = Type::getInt64Ty(inside.getContext());
  for (const auto &[function, number] : numbers_) {
    const Function *target = function;
    Constant *pointer = ConstantExpr::getIntToPtr(ConstantInt::get(word, number), function->getType());
    function->replaceUsesWithIf(pointer, [&](Use &use) {
      const auto *call = dyn_cast<CallBase>(use.getUser());
      if (call && call->getCalledFunction() == target && call->isCallee(&use))
        return false;
      const auto *instruction = dyn_cast<Instruction>(use.getUser());
      return !instruction || instruction->getFunction() == &inside;
    });
  }
}

void FunctionTables::finish() {
  if (numbers_.empty())
    return;
  // Inlining has removed those that nothing uses.
  SmallPtrSet<const Function *, 32> left;
  for (const Function &function : *state_.module)
    left.insert(&function);
  numbers_.remove_if([&](const auto &entry) { return !left.contains(entry.first); });
  replaceAddresses(*state_.entry);
  // Of the entry's calls none is left, so nothing needs another body.
  removeUnusedFunctions(*state_.module, [&](const Function &function) {
    return &function != state_.entry && !function.isDeclaration();
  });
}

} // namespace assay::lowering
