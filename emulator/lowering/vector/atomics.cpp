// Atomic operations for 32 lanes: one lane after the other, in ascending order (lowering/atomic_order.h). See
// vectorize.h.
#include "vectorizer.h"

#include <llvm/IR/Constants.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// What changes no value, for operations that commute and that a vector can be reduced by.
std::optional<APInt> neutralFor(AtomicRMWInst::BinOp operation, unsigned bits) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax: return APInt(bits, 0);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin: return APInt::getAllOnes(bits);
  case AtomicRMWInst::Max: return APInt::getSignedMinValue(bits);
  case AtomicRMWInst::Min: return APInt::getSignedMaxValue(bits);
  default: return std::nullopt;
  }
}

Value *reduce(IRBuilder<> &b, AtomicRMWInst::BinOp operation, Value *lanes) {
  switch (operation) {
  case AtomicRMWInst::Or: return b.CreateOrReduce(lanes);
  case AtomicRMWInst::Xor: return b.CreateXorReduce(lanes);
  case AtomicRMWInst::And: return b.CreateAndReduce(lanes);
  case AtomicRMWInst::UMax: return b.CreateIntMaxReduce(lanes, /*IsSigned=*/false);
  case AtomicRMWInst::UMin: return b.CreateIntMinReduce(lanes, /*IsSigned=*/false);
  case AtomicRMWInst::Max: return b.CreateIntMaxReduce(lanes, /*IsSigned=*/true);
  case AtomicRMWInst::Min: return b.CreateIntMinReduce(lanes, /*IsSigned=*/true);
  default: return b.CreateAddReduce(lanes); // of Sub, too: what is subtracted adds up
  }
}

} // namespace

// All lanes change the same integer, and none asks what it was: they change it once.
bool Vectorizer::reduced(const AtomicRMWInst &update) {
  const Value &pointer = *update.getPointerOperand(), &value = *update.getValOperand();
  if (!update.use_empty() || !shapes_.isUniform(pointer) || !value.getType()->isIntegerTy())
    return false;
  const std::optional<APInt> neutral =
      neutralFor(update.getOperation(), value.getType()->getIntegerBitWidth());
  if (!neutral)
    return false;
  Value *lanes = values_.lane(value);
  lanes = b_.CreateSelect(mask_, lanes, ConstantInt::get(lanes->getType(), *neutral));
  cloned(b_, update, {values_.scalar(pointer), reduce(b_, update.getOperation(), lanes)});
  return true;
}

void Vectorizer::atomic(const Instruction &operation) {
  if (const auto *update = dyn_cast<AtomicRMWInst>(&operation); update && reduced(*update))
    return;
  SmallVector<Value *, 3> operands; // of all lanes, where they differ
  for (const Use &operand : operation.operands())
    operands.push_back(shapes_.isUniform(*operand) ? values_.scalar(*operand) : values_.lane(*operand));
  SmallVector<AllocaInst *, 2> results;
  const bool isAsked = !operation.use_empty();
  for (unsigned i = 0; isAsked && i < componentsOf(operation.getType()); ++i)
    results.push_back(values_.newSlot(wide(values_.componentTypeOf(operation, i)), "atomic"));
  forEachLane(mask_, [&](Value *lane) {
    SmallVector<Value *, 3> own;
    for (unsigned i = 0; i < operands.size(); ++i)
      own.push_back(shapes_.isUniform(*operation.getOperand(i)) ? operands[i]
                                                                : b_.CreateExtractElement(operands[i], lane));
    Value *made = cloned(b_, operation, own);
    for (unsigned i = 0; i < results.size(); ++i) {
      Value *part = made->getType()->isStructTy() ? b_.CreateExtractValue(made, i) : made;
      Value *lanes = b_.CreateLoad(results[i]->getAllocatedType(), results[i]);
      b_.CreateStore(b_.CreateInsertElement(lanes, part, lane), results[i]);
    }
  });
  Components made;
  for (AllocaInst *result : results)
    made.push_back(b_.CreateLoad(result->getAllocatedType(), result));
  if (isAsked)
    values_.setLanes(operation, std::move(made));
}

} // namespace assay::lowering::vector
