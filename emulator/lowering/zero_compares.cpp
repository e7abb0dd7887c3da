#include "zero_compares.h"

#include "explicit_flush.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace assay::lowering {

using namespace llvm;

namespace {

bool flushes(const Function &function) {
  return function.getDenormalMode(APFloat::IEEEsingle()).Input == DenormalMode::PreserveSign;
}

bool comparesFloats(const FCmpInst &compare) {
  return compare.getOperand(0)->getType()->getScalarType()->isFloatTy();
}

bool flushConstants(Function &function) {
  bool changed = false;
  if (!flushes(function))
    return changed;
  for (Instruction &instruction : instructions(function))
    if (auto *compare = dyn_cast<FCmpInst>(&instruction); compare && comparesFloats(*compare))
      for (Use &operand : compare->operands())
        if (auto *constant = dyn_cast<Constant>(operand)) {
          Constant *flushed = flushedConstant(constant);
          changed |= flushed != constant;
          operand.set(flushed);
        }
  return changed;
}

} // namespace

PreservedAnalyses FlushComparedConstants::run(Function &function, FunctionAnalysisManager &) {
  return flushConstants(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses TestZerosByExponent::run(Function &function, FunctionAnalysisManager &) {
  using namespace PatternMatch;
  if (!flushes(function))
    return PreservedAnalyses::all();
  bool changed = flushConstants(function);
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *compare = dyn_cast<FCmpInst>(&instruction);
    if (!compare || !comparesFloats(*compare))
      continue;
    const bool equal = compare->getPredicate() == FCmpInst::FCMP_OEQ;
    if (!equal && compare->getPredicate() != FCmpInst::FCMP_UNE)
      continue;
    const unsigned zero = match(compare->getOperand(1), m_AnyZeroFP()) ? 1 : 0;
    if (!match(compare->getOperand(zero), m_AnyZeroFP()))
      continue;
    IRBuilder<> b(compare);
    Value *value = compare->getOperand(1 - zero);
    Type *bits = value->getType()->getWithNewType(b.getInt32Ty());
    Value *exponent = b.CreateAnd(b.CreateBitCast(value, bits), ConstantInt::get(bits, 0x7f800000));
    Value *isZero = b.CreateICmpEQ(exponent, Constant::getNullValue(bits));
    compare->replaceAllUsesWith(equal ? isZero : b.CreateNot(isZero));
    compare->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace assay::lowering
