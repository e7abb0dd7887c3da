// See thread_slack.h.
#include "thread_slack.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

void widen(AllocaInst &array, uint64_t bytes, Instruction &after) {
  for (User *user : make_early_inc_range(array.users()))
    if (auto *mark = dyn_cast<IntrinsicInst>(user); mark && mark->isLifetimeStartOrEnd())
      mark->eraseFromParent();
  LLVMContext &context = array.getContext();
  Type *beside = ArrayType::get(Type::getInt8Ty(context), bytes);
  auto *type = StructType::get(context, {beside, array.getAllocatedType(), beside});
  auto *whole =
      new AllocaInst(type, array.getAddressSpace(), nullptr, array.getAlign(), "", array.getIterator());
  whole->takeName(&array);
  array.replaceAllUsesWith(IRBuilder<>(&after).CreateStructGEP(type, whole, 1));
  array.eraseFromParent();
}

} // namespace

void addThreadSlack(Lowering &state) {
  if (!state.options.threadSlack || state.options.debug)
    return;
  constexpr uint64_t kAlignment = 256; // the array stays as aligned as it was
  const uint64_t bytes = alignTo(state.options.threadSlack, kAlignment);
  for (Function &function : *state.module) {
    SmallVector<AllocaInst *> arrays;
    for (Instruction &instruction : instructions(function))
      if (auto *variable = dyn_cast<AllocaInst>(&instruction);
          variable && variable->isStaticAlloca() && variable->getAllocatedType()->isArrayTy())
        arrays.push_back(variable);
    for (AllocaInst *array : arrays)
      widen(*array, bytes, *function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  }
}

} // namespace assay::lowering
