#include "zero_compares.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace assay::lowering {

using namespace llvm;

PreservedAnalyses TestZerosByExponent::run(Function &function, FunctionAnalysisManager &) {
  using namespace PatternMatch;
  if (function.getDenormalMode(APFloat::IEEEsingle()).Input != DenormalMode::PreserveSign)
    return PreservedAnalyses::all();
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *compare = dyn_cast<FCmpInst>(&instruction);
    if (!compare || !compare->getOperand(0)->getType()->getScalarType()->isFloatTy())
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
