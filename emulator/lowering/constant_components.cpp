// See constant_components.h.
#include "constant_components.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/Analysis.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isOfVectors(const Instruction &instruction) {
  if (!isa<FixedVectorType>(instruction.getType()) || !instruction.getType()->isFPOrFPVectorTy())
    return false;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return isa<BinaryOperator>(instruction) || (call && call->getIntrinsicID() == Intrinsic::fma);
}

bool hasConstant(const Instruction &instruction) {
  return any_of(instruction.operands(),
                [](const Use &use) { return isa<Constant>(use) && !isa<Function>(use); });
}

// What LLVM makes of the operation for one component; null if it is still the operation.
Value *simplified(const Instruction &operation, ArrayRef<Value *> operands) {
  const SimplifyQuery query(operation.getDataLayout());
  const FastMathFlags flags = operation.getFastMathFlags();
  if (isa<BinaryOperator>(operation))
    return simplifyBinOp(operation.getOpcode(), operands[0], operands[1], flags, query);
  for (unsigned factor : {0u, 1u})
    if (const auto *one = dyn_cast<ConstantFP>(operands[1 - factor]); one && one->isExactlyValue(1.0))
      if (Value *sum = simplifyFAddInst(operands[factor], operands[2], flags, query))
        return sum;
  return nullptr;
}

bool simplify(Instruction &operation) {
  IRBuilder<> b(&operation);
  b.setFastMathFlags(operation.getFastMathFlags());
  const unsigned count = cast<FixedVectorType>(operation.getType())->getNumElements();
  const unsigned operandCount = isa<CallBase>(operation) ? 3 : 2;
  SmallVector<SmallVector<Value *, 3>> operands(count);
  SmallVector<Value *> results;
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned operand = 0; operand < operandCount; ++operand)
      operands[i].push_back(b.CreateExtractElement(operation.getOperand(operand), i));
    results.push_back(simplified(operation, operands[i]));
  }
  if (none_of(results, [](const Value *result) { return result; })) {
    for (const auto &unused : operands)
      for (Value *operand : unused)
        if (auto *made = dyn_cast<ExtractElementInst>(operand))
          made->eraseFromParent();
    return false;
  }
  Value *whole = PoisonValue::get(operation.getType());
  for (unsigned i = 0; i < count; ++i) {
    Value *result = results[i];
    if (!result && isa<CallBase>(operation))
      result = b.CreateIntrinsic(Intrinsic::fma, {operation.getType()->getScalarType()}, operands[i]);
    else if (!result)
      result = b.CreateBinOp(Instruction::BinaryOps(operation.getOpcode()), operands[i][0], operands[i][1]);
    whole = b.CreateInsertElement(whole, result, i);
  }
  operation.replaceAllUsesWith(whole);
  operation.eraseFromParent();
  return true;
}

} // namespace

bool simplifyConstantComponents(Function &function) {
  SmallVector<Instruction *> operations;
  for (Instruction &instruction : instructions(function))
    if (isOfVectors(instruction) && hasConstant(instruction))
      operations.push_back(&instruction);
  bool changed = false;
  for (Instruction *operation : operations)
    changed |= simplify(*operation);
  return changed;
}

PreservedAnalyses SimplifyConstantComponents::run(Function &function, FunctionAnalysisManager &) {
  if (!simplifyConstantComponents(function))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace assay::lowering
