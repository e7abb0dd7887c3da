// See fiber_entry.h.
#include "fiber_entry.h"

#include "support/abi/lane_abi.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace assay::lowering {

using namespace llvm;

static constexpr StringLiteral kEntrySymbol = "assay_entry";

void giveLaneArgument(Lowering &state, Optimizer &optimizer) {
  optimizer.forgetAll();
  Function &old = *state.entry;
  LLVMContext &context = old.getContext();
  FunctionType *type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0)}, false);
  Function *entry = Function::Create(type, GlobalValue::ExternalLinkage, kEntrySymbol, state.module);
  entry->copyAttributesFrom(&old);
  entry->setComdat(nullptr);
  entry->setDSOLocal(true);
  entry->getArg(0)->setName("lane");
  entry->splice(entry->begin(), &old);
  entry->setSubprogram(old.getSubprogram());
  old.setSubprogram(nullptr);
  state.entry = entry;
  state.info.symbol = kEntrySymbol;
  old.eraseFromParent();
}

void countIterations(Lowering &state) {
  Function &function = *state.entry;
  Value *array = nullptr;
  for (const WaitLoop &loop : state.order.loops) {
    if (!loop.hasSites)
      continue;
    ++state.info.loopCounters;
    IRBuilder<> b(function.getContext());
    if (!array) {
      b.SetInsertPoint(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      auto *load =
          b.CreateLoad(b.getPtrTy(), b.CreatePtrAdd(state.lane(), b.getInt64(offsetof(LaneAbi, loop))));
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
      array = load;
    }
    BasicBlock *header = loop.header;
    b.SetInsertPoint(header, header->begin());
    PHINode *iteration = b.CreatePHI(b.getInt32Ty(), 2, "iteration");
    b.SetInsertPoint(header, header->getFirstInsertionPt());
    b.CreateStore(iteration, b.CreateConstInBoundsGEP1_32(b.getInt32Ty(), array, loop.counter));
    Value *following = b.CreateAdd(iteration, b.getInt32(1));
    for (BasicBlock *from : predecessors(header))
      iteration->addIncoming(is_contained(loop.latches, from) ? following : b.getInt32(0), from);
  }
}

bool isStateLoad(const Instruction &instruction) {
  return isa<LoadInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_invariant_load);
}

bool isCounterStore(const Instruction &instruction) {
  const auto *store = dyn_cast<StoreInst>(&instruction);
  if (!store)
    return false;
  const auto *from = dyn_cast<LoadInst>(store->getPointerOperand()->stripInBoundsOffsets());
  return from && isStateLoad(*from);
}

} // namespace assay::lowering
