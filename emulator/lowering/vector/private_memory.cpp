// See private_memory.h.
#include "private_memory.h"

#include "support/abi/kernel_code.h"
#include "support/abi/scalar_type.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace assay::lowering::vector {

using namespace llvm;

PrivateMemory::PrivateMemory(const LaneShapes &shapes, const Lowering &state, Function &function)
    : shapes_(shapes), function_(function) {
  for (const Instruction &instruction : instructions(function))
    if (refusal_.empty() && !shapes.doomed(*instruction.getParent()))
      visit(instruction, state);
  spreadGranules();
  for (const Value *pointer : accessed_)
    if (!isMultiple(*pointer, granule(*shapes_.variableOf(*pointer))))
      refusal_ = "a private variable whose elements are accessed in parts";
  for (const auto &[pointer, bytes] : matrices_)
    if (refusal_.empty() && granule(*shapes_.variableOf(*pointer)) != bytes)
      refusal_ = "products of tensors whose elements are accessed in parts";
  for (const auto &[pointer, bytes] : wholes_) {
    const AllocaInst *variable = shapes_.variableOf(*pointer);
    const unsigned size = variable ? granule(*variable) : 0;
    if (size && (!isMultiple(*pointer, size) || bytes % size))
      refusal_ = "a private variable whose elements are copied or filled in parts";
  }
}

// A variable that is only copied has the elements of the one that it is copied to, or what the copy to other
// memory is a multiple of.
void PrivateMemory::spreadGranules() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const MemTransferInst *copy : copies_) {
      const AllocaInst *from = shapes_.variableOf(*copy->getSource()),
                       *to = shapes_.variableOf(*copy->getDest());
      const auto *length = dyn_cast<ConstantInt>(copy->getLength());
      if (!from || granules_.lookup(from) || (to && !granules_.lookup(to)) || !length || length->isZero())
        continue;
      const uint64_t bytes = length->getZExtValue();
      granules_[from] = to ? granules_.lookup(to) : unsigned(std::min<uint64_t>(8, bytes & -bytes));
      changed = true;
    }
  }
}

void PrivateMemory::use(const Value &pointer, uint64_t bytes) {
  const AllocaInst *variable = shapes_.variableOf(pointer);
  if (!isPowerOf2_64(bytes) || bytes > 8) {
    refusal_ = "a private variable with elements of an unusual size";
    return;
  }
  unsigned &granule = granules_[variable];
  granule = granule ? std::min(granule, unsigned(bytes)) : unsigned(bytes);
  accessed_.push_back(&pointer);
}

// Whether a number made of a pointer only serves bounds checks: it counts from the variable's beginning.
bool PrivateMemory::onlyCompared(const Value &number) const {
  return all_of(number.users(), [&](const User *user) {
    const auto *instruction = cast<Instruction>(user);
    if (shapes_.doomed(*instruction->getParent()) || isa<ICmpInst>(instruction))
      return true;
    return isa<BinaryOperator>(instruction) && onlyCompared(*instruction);
  });
}

void PrivateMemory::visit(const Instruction &instruction, const Lowering &state) {
  const DataLayout &layout = function_.getDataLayout();
  if (const auto *variable = dyn_cast<AllocaInst>(&instruction)) {
    if (!variable->isStaticAlloca())
      refusal_ = "private memory of varying size";
    return;
  }
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (shapes_.variableOf(*load->getPointerOperand()))
      use(*load->getPointerOperand(), layout.getTypeStoreSize(load->getType()->getScalarType()));
    return;
  }
  if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    if (shapes_.variableOf(*store->getValueOperand()))
      refusal_ = "a pointer to a private variable in memory";
    if (shapes_.variableOf(*store->getPointerOperand()))
      use(*store->getPointerOperand(),
          layout.getTypeStoreSize(store->getValueOperand()->getType()->getScalarType()));
    return;
  }
  if (runtimeCallOf(instruction) == RuntimeCall::SimdOp) {
    const auto &call = cast<CallBase>(instruction);
    const SiteInfo &site = state.info.sites[siteOfCall(call)];
    const uint64_t bytes = scalarTypeInfo(site.type).bytes;
    for (const unsigned operand : {2u, 3u}) {
      const Value *pointer = call.getArgOperand(operand);
      if (isa<ConstantPointerNull, UndefValue>(pointer))
        continue;
      if (!shapes_.variableOf(*pointer) || !shapes_.isUniform(*pointer))
        refusal_ = "an operation between lanes whose operand is not in a private variable";
      else
        use(*pointer, bytes);
      if (site.op == SimdOp::MultiplyFragments)
        matrices_.push_back({pointer, bytes});
    }
    return;
  }
  if (const auto *whole = dyn_cast<MemIntrinsic>(&instruction)) {
    const auto *length = dyn_cast<ConstantInt>(whole->getLength());
    if (!length)
      return; // refusals.h
    wholes_.push_back({whole->getDest(), length->getZExtValue()});
    if (const auto *copy = dyn_cast<MemTransferInst>(whole)) {
      wholes_.push_back({copy->getSource(), length->getZExtValue()});
      copies_.push_back(copy);
    }
    return;
  }
  if (instruction.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(instruction))
    return;
  if (isa<PtrToIntInst>(instruction) && shapes_.variableOf(*instruction.getOperand(0))) {
    if (!onlyCompared(instruction))
      refusal_ = "the address of a private variable as a number";
    return;
  }
  if (instruction.getType()->isPointerTy() && shapes_.variableOf(instruction))
    return; // another pointer into it
  for (const Use &operand : instruction.operands())
    if (operand->getType()->isPointerTy() && shapes_.variableOf(*operand))
      refusal_ = "the address of a private variable where it is not followed";
}

bool PrivateMemory::isMultiple(const Value &pointer, uint64_t granule) const {
  if (granule == 1)
    return true;
  SmallVector<const Value *> work{&pointer};
  SmallPtrSet<const Value *, 8> seen;
  const DataLayout &layout = function_.getDataLayout();
  while (!work.empty()) {
    const Value *at = work.pop_back_val();
    if (!seen.insert(at).second || isa<AllocaInst>(at))
      continue;
    if (const auto *address = dyn_cast<GetElementPtrInst>(at)) {
      const std::optional<AddressTerms> terms = termsOf(*address);
      if (!terms || terms->constant.getZExtValue() % granule)
        return false;
      for (const auto &[index, scale] : terms->scaled)
        if (scale.countr_zero() + computeKnownBits(index, layout).countMinTrailingZeros() < Log2_64(granule))
          return false;
      work.push_back(address->getPointerOperand());
    } else {
      for (const Use &operand : cast<Instruction>(at)->operands())
        if (operand->getType()->isPointerTy())
          work.push_back(operand);
    }
  }
  return true;
}

} // namespace assay::lowering::vector
