// See scalar_arithmetic.h.
#include "scalar_arithmetic.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Analysis.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isArithmeticOfVectors(const Instruction &instruction) {
  if (!isa<FixedVectorType>(instruction.getType()) || !instruction.getType()->isFPOrFPVectorTy())
    return false;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return isa<BinaryOperator, UnaryOperator, FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst>(instruction) ||
         (call && isTriviallyVectorizable(call->getIntrinsicID()));
}

// A product that a sum may be contracted with stays in sight: no extraction of what was just inserted.
Value *component(IRBuilder<> &b, Value *vector, unsigned index) {
  if (Value *known = findScalarElement(vector, index))
    return known;
  return b.CreateExtractElement(vector, index);
}

void split(Instruction &operation) {
  IRBuilder<> b(&operation);
  b.setFastMathFlags(operation.getFastMathFlags());
  const auto *call = dyn_cast<IntrinsicInst>(&operation);
  const unsigned operandCount = call ? call->arg_size() : operation.getNumOperands();
  Type *type = operation.getType()->getScalarType();
  Value *whole = PoisonValue::get(operation.getType());
  for (unsigned i = 0; i < cast<FixedVectorType>(operation.getType())->getNumElements(); ++i) {
    SmallVector<Value *, 3> operands;
    for (unsigned operand = 0; operand < operandCount; ++operand)
      operands.push_back(isa<VectorType>(operation.getOperand(operand)->getType())
                             ? component(b, operation.getOperand(operand), i)
                             : operation.getOperand(operand));
    Value *result = nullptr;
    if (call)
      result = b.CreateIntrinsic(type, call->getIntrinsicID(), operands);
    else if (const auto *cast = dyn_cast<CastInst>(&operation))
      result = b.CreateCast(cast->getOpcode(), operands[0], type);
    else if (const auto *unary = dyn_cast<UnaryOperator>(&operation))
      result = b.CreateUnOp(unary->getOpcode(), operands[0]);
    else
      result = b.CreateBinOp(Instruction::BinaryOps(operation.getOpcode()), operands[0], operands[1]);
    whole = b.CreateInsertElement(whole, result, i);
  }
  operation.replaceAllUsesWith(whole);
  operation.eraseFromParent();
}

} // namespace

bool splitVectorArithmetic(Function &function) {
  SmallVector<Instruction *> operations;
  for (Instruction &instruction : instructions(function))
    if (isArithmeticOfVectors(instruction))
      operations.push_back(&instruction);
  for (Instruction *operation : operations)
    split(*operation);
  return !operations.empty();
}

PreservedAnalyses SplitVectorArithmetic::run(Function &function, FunctionAnalysisManager &) {
  if (!splitVectorArithmetic(function))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace assay::lowering
