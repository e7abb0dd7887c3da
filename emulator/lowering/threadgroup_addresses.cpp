// See threadgroup_addresses.h.
#include "threadgroup_addresses.h"

#include "lowering_state.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool holdsThreadgroupAddress(const Constant &value, SmallPtrSetImpl<const Constant *> &seen) {
  if (!seen.insert(&value).second)
    return false;
  if (const auto *variable = dyn_cast<GlobalVariable>(&value))
    return variable->getAddressSpace() == kIrThreadgroup;
  if (isa<GlobalValue>(value))
    return false;
  return any_of(value.operands(),
                [&](const Use &operand) { return holdsThreadgroupAddress(*cast<Constant>(operand), seen); });
}

bool isWanted(const GlobalVariable &variable) {
  SmallPtrSet<const Constant *, 8> seen;
  return variable.getAddressSpace() != kIrThreadgroup && variable.hasInitializer() &&
         holdsThreadgroupAddress(*variable.getInitializer(), seen);
}

void storeElements(IRBuilder<> &b, Constant *value, Value *to, Align alignment) {
  Type *type = value->getType();
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  const unsigned elements = isa<StructType>(type)  ? cast<StructType>(type)->getNumElements()
                            : isa<ArrayType>(type) ? unsigned(cast<ArrayType>(type)->getNumElements())
                                                   : 0;
  if (!elements) {
    b.CreateAlignedStore(value, to, alignment);
    return;
  }
  for (unsigned i = 0; i < elements; ++i) {
    Value *element = b.CreateConstInBoundsGEP2_32(type, to, 0, i);
    const uint64_t offset = isa<StructType>(type)
                                ? layout.getStructLayout(cast<StructType>(type))->getElementOffset(i)
                                : i * layout.getTypeAllocSize(cast<ArrayType>(type)->getElementType());
    storeElements(b, value->getAggregateElement(i), element, commonAlignment(alignment, offset));
  }
}

} // namespace

void keepThreadgroupAddresses(Function &entry) {
  SmallVector<GlobalVariable *> wanted;
  for (GlobalVariable &variable : entry.getParent()->globals())
    if (isWanted(variable))
      wanted.push_back(&variable);
  if (wanted.empty())
    return;
  convertUsersOfConstantsToInstructions(SmallVector<Constant *>(wanted.begin(), wanted.end()));
  IRBuilder<> b(&*entry.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (GlobalVariable *variable : wanted) {
    const unsigned space = entry.getDataLayout().getAllocaAddrSpace();
    AllocaInst *own =
        new AllocaInst(variable->getValueType(), space, variable->getName(), entry.getEntryBlock().begin());
    const Align alignment = variable->getAlign().valueOrOne();
    own->setAlignment(alignment);
    storeElements(b, variable->getInitializer(), own, alignment);
    Value *pointer = b.CreateAddrSpaceCast(own, variable->getType());
    variable->replaceUsesWithIf(pointer, [](const Use &use) { return isa<Instruction>(use.getUser()); });
    variable->removeDeadConstantUsers();
    variable->setInitializer(Constant::getNullValue(variable->getValueType())); // nothing reads it any more
  }
}

} // namespace assay::lowering
