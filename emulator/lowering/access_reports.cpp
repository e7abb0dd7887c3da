// See access_reports.h. An atomic operation is reported right before it, so that the order of the reports is
// that of the operations. A compare-and-exchange is reported right after it: only then is it known whether it
// has stored.
#include "access_reports.h"

#include "access_marks.h"
#include "access_sites.h"
#include "escaped_variables.h"
#include "fiber_entry.h"
#include "primitives.h"
#include "runtime_functions.h"
#include "shadow_accesses.h"
#include "sites.h"
#include "source_place.h"
#include "spin.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {
namespace {

using namespace llvm;

class Reporter {
public:
  explicit Reporter(Lowering &state) : state_(state), escaped_(*state.entry), provenance_(state) {}

  void run() {
    const DataLayout &layout = state_.module->getDataLayout();
    SmallVector<Instruction *> all;
    for (Instruction &instruction : instructions(*state_.entry))
      all.push_back(&instruction);
    for (Instruction *instruction : all) {
      const std::optional<Primitive> primitive = primitiveOf(*instruction);
      if (primitive == Primitive::Access)
        replaceMark(cast<CallBase>(*instruction));
      else if (primitive == Primitive::Fence)
        replaceFence(cast<CallBase>(*instruction));
      else if (!isStateLoad(*instruction) && !isCounterStore(*instruction) && !isShadowAccess(*instruction))
        for (const MemoryAccess &access : memoryAccesses(*instruction, layout))
          reportOther(*instruction, access);
    }
  }

private:
  void call(IRBuilder<> &b, Value *site, const MemoryAccess &access) {
    Value *bytes = access.varyingBytes ? b.CreateZExtOrTrunc(access.varyingBytes, b.getInt64Ty())
                                       : b.getInt64(access.bytes);
    Value *address = b.CreatePtrToInt(access.pointer, b.getInt64Ty());
    // What a thread keeps for itself concerns nobody else.
    if (provenance_.of(access.pointer).memory == MemoryKind::Unknown)
      escaped_.enterIfOutside(b, *access.pointer, address, bytes, provenance_);
    b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::ObserveAccess),
                 {state_.lane(), site, address, bytes});
  }

  void replaceMark(CallBase &mark) {
    MemoryAccess access;
    access.pointer = mark.getArgOperand(0);
    if (const auto *bytes = dyn_cast<ConstantInt>(mark.getArgOperand(1)))
      access.bytes = bytes->getZExtValue();
    else
      access.varyingBytes = mark.getArgOperand(1);
    const uint32_t how = constantArgument(mark, 2).value_or(0);
    access.kind = kindOfMark(how);
    const Bounds &bounds = provenance_.of(access.pointer);
    if (bounds.memory != MemoryKind::ThreadVariable && bounds.memory != MemoryKind::Constant) {
      SiteInfo site = accessSite(mark, access, bounds);
      site.alignment = alignmentOfMark(how);
      site.together = togetherOfMark(how);
      if (access.bytes || access.varyingBytes) {
        IRBuilder<> b(&mark);
        call(b, b.getInt32(addSite(state_, std::move(site))), access);
      } else {
        replacePromise(mark, access, std::move(site));
      }
    }
    mark.eraseFromParent();
  }

  // Only a promise that is broken is told. Lanes that run as one do not part for it: whoever takes the report
  // looks at it.
  void replacePromise(CallBase &mark, const MemoryAccess &access, SiteInfo site) {
    IRBuilder<> b(&mark);
    if (state_.options.engine == Engine::Vector)
      return call(b, b.getInt32(addSite(state_, std::move(site))), access);
    Value *rest = b.CreateAnd(b.CreatePtrToInt(access.pointer, b.getInt64Ty()), site.alignment - 1);
    Instruction *then = SplitBlockAndInsertIfThen(b.CreateIsNotNull(rest), &mark, false,
                                                  MDBuilder(mark.getContext()).createUnlikelyBranchWeights());
    b.SetInsertPoint(then);
    b.SetCurrentDebugLocation(mark.getDebugLoc());
    call(b, b.getInt32(addSite(state_, std::move(site))), access);
  }

  void replaceFence(CallBase &mark) {
    SiteInfo site;
    site.kind = SiteKind::Fence;
    site.where = placeOf(mark);
    IRBuilder<> b(&mark);
    Value *order = b.CreateOr(mark.getArgOperand(1), b.CreateShl(mark.getArgOperand(2), b.getInt32(8)));
    b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::ObserveFence),
                 {state_.lane(), b.getInt32(addSite(state_, std::move(site))), mark.getArgOperand(0), order});
    mark.eraseFromParent();
  }

  // Atomic operations, and reads of constant buffers.
  void reportOther(Instruction &instruction, const MemoryAccess &access) {
    const bool constant = access.pointer->getType()->getPointerAddressSpace() == kIrConstant;
    if (access.kind != AccessKind::Atomic && !constant)
      return;
    const Bounds &bounds = provenance_.of(access.pointer);
    if (bounds.memory == MemoryKind::ThreadVariable || bounds.memory == MemoryKind::Constant)
      return;
    SiteInfo site = accessSite(instruction, access, bounds);
    site.alignment = access.kind == AccessKind::Atomic ? uint32_t(access.alignment) : 0;
    site.polled = isWait(instruction);
    if (isa<LoadInst>(instruction))
      site.atomic = AtomicKind::Load;
    else if (isa<StoreInst>(instruction))
      site.atomic = AtomicKind::Store;
    auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
    if (!exchange) {
      IRBuilder<> b(&instruction);
      return call(b, b.getInt32(addSite(state_, std::move(site))), access);
    }
    SiteInfo failed = site;
    failed.atomic = AtomicKind::Load;
    IRBuilder<> b(instruction.getNextNode());
    b.SetCurrentDebugLocation(instruction.getDebugLoc());
    const uint32_t whenStored = addSite(state_, std::move(site)),
                   otherwise = addSite(state_, std::move(failed));
    call(b, b.CreateSelect(b.CreateExtractValue(exchange, 1), b.getInt32(whenStored), b.getInt32(otherwise)),
         access);
  }

  Lowering &state_;
  const EscapedVariables escaped_;
  Provenance provenance_;
};

} // namespace

void reportAccesses(Lowering &state, FunctionAnalysisManager &analyses) {
  Reporter(state).run();
  analyses.invalidate(*state.entry, PreservedAnalyses::none());
}

} // namespace assay::lowering
