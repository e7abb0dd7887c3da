// See outside_accesses.h.
#include "outside_accesses.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace assay::lowering {
namespace {

using namespace llvm;

/// i64 (i64): its argument.
constexpr StringLiteral kHidden = "__assay_hidden_place";

FunctionCallee hiddenPlace(Module &module) {
  Type *place = Type::getInt64Ty(module.getContext());
  FunctionCallee callee = module.getOrInsertFunction(kHidden, place, place);
  auto *function = cast<Function>(callee.getCallee());
  for (auto kind : {Attribute::NoUnwind, Attribute::NoFree, Attribute::WillReturn, Attribute::NoCallback})
    function->addFnAttr(kind);
  function->setDoesNotAccessMemory();
  return callee;
}

// One pointer of an instruction, and how many bytes it accesses there.
struct AccessOperand {
  Use *pointer = nullptr;
  uint64_t bytes = 0;
};

SmallVector<AccessOperand, 2> operandsOf(Instruction &instruction, const DataLayout &layout) {
  SmallVector<AccessOperand, 2> operands;
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    operands.push_back({&load->getOperandUse(0), layout.getTypeStoreSize(load->getType()).getFixedValue()});
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    const TypeSize bytes = layout.getTypeStoreSize(store->getValueOperand()->getType());
    operands.push_back({&store->getOperandUse(1), bytes.getFixedValue()});
  } else if (auto *copy = dyn_cast<MemIntrinsic>(&instruction)) {
    if (const auto *length = dyn_cast<ConstantInt>(copy->getLength()); length && !length->isZero()) {
      operands.push_back({&copy->getRawDestUse(), length->getZExtValue()});
      if (auto *transfer = dyn_cast<MemTransferInst>(copy))
        operands.push_back({&transfer->getRawSourceUse(), length->getZExtValue()});
    }
  }
  return operands;
}

// The variable, if the access lies outside of it or goes past its end.
struct Outside {
  AllocaInst *variable = nullptr;
  int64_t place = 0;
};

std::optional<Outside> outside(const AccessOperand &operand, const DataLayout &layout) {
  Value *pointer = operand.pointer->get();
  if (layout.getIndexTypeSizeInBits(pointer->getType()) != 64)
    return std::nullopt;
  APInt place(64, 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, place, /*AllowNonInbounds=*/true);
  auto *variable = dyn_cast<AllocaInst>(base);
  const std::optional<TypeSize> size = variable ? variable->getAllocationSize(layout) : std::nullopt;
  if (!size || !size->isFixed())
    return std::nullopt;
  const uint64_t bytes = size->getFixedValue();
  if (operand.bytes <= bytes && place.ule(bytes - operand.bytes))
    return std::nullopt;
  return Outside{variable, place.getSExtValue()};
}

void setVolatile(Instruction &instruction, bool isVolatile) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    load->setVolatile(isVolatile);
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    store->setVolatile(isVolatile);
  else
    cast<MemIntrinsic>(instruction).setVolatile(ConstantInt::getBool(instruction.getContext(), isVolatile));
}

void hide(Instruction &instruction, const AccessOperand &operand, const Outside &outside) {
  AllocaInst &variable = *outside.variable;
  IRBuilder<> b(&variable);
  auto *other = cast<AllocaInst>(variable.clone());
  b.Insert(other, variable.getName() + ".outside");
  b.SetInsertPoint(&instruction);
  Value *place = b.CreateCall(hiddenPlace(*instruction.getModule()), {b.getInt64(uint64_t(outside.place))});
  Value *pointer = b.CreatePtrAdd(other, place);
  operand.pointer->set(b.CreateAddrSpaceCast(pointer, operand.pointer->get()->getType()));
  setVolatile(instruction, true);
}

bool isHidden(const Value *value) {
  const auto *call = dyn_cast<CallInst>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kHidden;
}

bool leadsToHidden(const Value *pointer) {
  pointer = pointer->stripPointerCasts();
  const auto *step = dyn_cast<GetElementPtrInst>(pointer);
  return step && step->getNumIndices() == 1 && isHidden(step->getOperand(1));
}

} // namespace

PreservedAnalyses KeepOutsideAccesses::run(Function &function, FunctionAnalysisManager &) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    for (const AccessOperand &operand : operandsOf(instruction, layout))
      if (const std::optional<Outside> found = outside(operand, layout)) {
        hide(instruction, operand, *found);
        changed = true;
      }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

void showOutsideAccesses(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : instructions(function))
    for (const AccessOperand &operand : operandsOf(instruction, layout))
      if (leadsToHidden(operand.pointer->get()))
        setVolatile(instruction, false);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isHidden(&instruction)) {
      instruction.replaceAllUsesWith(instruction.getOperand(0));
      instruction.eraseFromParent();
    }
  if (Function *hidden = function.getParent()->getFunction(kHidden); hidden && hidden->use_empty())
    hidden->eraseFromParent();
}

} // namespace assay::lowering
