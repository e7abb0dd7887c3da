// Problem.  Apple's compiler fuses t = a*b; t + c where its build says contract fast (measured). Clang's own
//           contraction ends with the expression, and LLVM would leave the rest to the code generator, which
//           fuses on CPUs that have the instruction.
// Choice.   Clang marks what may be fused, and this pass fuses it once variables are values: in the whole
//           kernel for float and half, in each function for bfloat, whose operations are expanded early.
//           Every sum of a marked product is fused, the left operand first, even if the product is used
//           elsewhere. Which product Apple's compiler takes where there are two is not published (assumed).
// Limit.    Vectors of bfloat are fused within one expression only (frontend/vector_contraction.h). A kernel
//           built for the debugger keeps its variables in memory, so its statements stay apart.
#include "contract_statements.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace assay::lowering {
namespace {

using namespace llvm;

struct Product {
  Value *a = nullptr, *b = nullptr;
  bool negated = false;
};

Product productOf(Value *value) {
  Product product;
  auto *operation = dyn_cast<Instruction>(value);
  if (operation && operation->getOpcode() == Instruction::FNeg) {
    product.negated = true;
    operation = dyn_cast<Instruction>(operation->getOperand(0));
  }
  if (operation && operation->getOpcode() == Instruction::FMul && operation->hasAllowContract()) {
    product.a = operation->getOperand(0);
    product.b = operation->getOperand(1);
  }
  return product;
}

Value *fused(BinaryOperator &sum) {
  IRBuilder<> b(&sum);
  const bool subtracts = sum.getOpcode() == Instruction::FSub;
  for (unsigned side : {0u, 1u}) {
    const Product product = productOf(sum.getOperand(side));
    if (!product.a)
      continue;
    Value *other = sum.getOperand(1 - side);
    const bool negateProduct = product.negated != (subtracts && side == 1);
    Value *a = negateProduct ? b.CreateFNeg(product.a) : product.a;
    if (subtracts && side == 0)
      other = b.CreateFNeg(other);
    return b.CreateIntrinsic(Intrinsic::fma, {sum.getType()}, {a, product.b, other});
  }
  return nullptr;
}

void promoteAll(Function &function) {
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && isAllocaPromotable(variable))
      variables.push_back(variable);
  DominatorTree dominators(function);
  PromoteMemToReg(variables, dominators);
}

bool isFlagged(const Instruction &instruction) {
  return isa<FPMathOperator>(instruction) && instruction.hasAllowContract();
}

} // namespace

bool hasContractFlags(const Function &function) {
  return any_of(instructions(function), isFlagged);
}

void contractStatements(Function &function, bool bfloatOnly) {
  const auto isBfloat = [](const Instruction &i) { return i.getType()->getScalarType()->isBFloatTy(); };
  const auto wanted = [&](const Instruction &i) { return isFlagged(i) && (!bfloatOnly || isBfloat(i)); };
  if (none_of(instructions(function), wanted))
    return;
  if (bfloatOnly)
    promoteAll(function);
  SmallVector<Instruction *> products;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (!wanted(instruction))
      continue;
    if (instruction.getOpcode() == Instruction::FMul)
      products.push_back(&instruction);
    if (instruction.getOpcode() != Instruction::FAdd && instruction.getOpcode() != Instruction::FSub)
      continue;
    if (Value *value = fused(cast<BinaryOperator>(instruction))) {
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
  }
  for (Instruction *product : products)
    if (product->use_empty())
      product->eraseFromParent();
  for (Instruction &instruction : instructions(function))
    if (wanted(instruction))
      instruction.setFastMathFlags(FastMathFlags());
}

} // namespace assay::lowering
