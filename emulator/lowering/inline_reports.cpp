// See inline_reports.h.
#include "inline_reports.h"

#include "lane_loads.h"

#include "support/abi/runtime_call.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {
namespace {

using namespace llvm;

class ReportInliner {
public:
  explicit ReportInliner(Lowering &state) : state_(state), b_(state.module->getContext()) {}

  void run() {
    SmallVector<CallInst *> calls;
    const Function *report = state_.module->getFunction(runtimeCallInfo(RuntimeCall::ObserveAccess).symbol);
    for (Instruction &instruction : instructions(*state_.entry))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && report && call->getCalledFunction() == report)
        calls.push_back(call);
    if (calls.empty())
      return;
    describeMemory();
    loadLog();
    for (CallInst *call : calls)
      expand(*call);
  }

private:
  // The log is memory that no other access of the function touches.
  void describeMemory() {
    MDBuilder metadata(state_.module->getContext());
    MDNode *scope = metadata.createAnonymousAliasScope(metadata.createAnonymousAliasScopeDomain("log"));
    log_ = MDNode::get(state_.module->getContext(), scope);
    for (Instruction &instruction : instructions(*state_.entry))
      if (isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst, MemIntrinsic>(instruction))
        instruction.setMetadata(LLVMContext::MD_noalias,
                                MDNode::concatenate(instruction.getMetadata(LLVMContext::MD_noalias), log_));
  }

  void loadLog() {
    b_.SetInsertPoint(&*state_.entry->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    b_.SetCurrentDebugLocation(DebugLoc());
    LaneLoads loads{b_, state_.lane()};
    abi_ = loads.loadPointer(state_.lane(), offsetof(LaneAbi, accesses), sizeof(AccessLogAbi));
    wanted_ = loads.load(b_.getPtrTy(), abi_, offsetof(AccessLogAbi, wanted));
    thread_ = loads.load(b_.getInt32Ty(), state_.lane(), offsetof(LaneAbi, thread));
  }

  template <class Access> Access *ofLog(Access *access) {
    access->setMetadata(LLVMContext::MD_alias_scope, log_);
    return access;
  }
  Value *field(uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), abi_, offset); }

  void expand(CallInst &call) {
    const auto *site = dyn_cast<ConstantInt>(call.getArgOperand(1));
    const auto *bytes = dyn_cast<ConstantInt>(call.getArgOperand(3));
    if (!site || !bytes || bytes->isZero() || bytes->getZExtValue() >= kManyBytes)
      return;
    b_.SetInsertPoint(&call);
    b_.SetCurrentDebugLocation(call.getDebugLoc());
    const uint64_t number = site->getZExtValue();
    Value *wanted = LaneLoads{b_, state_.lane()}.load(b_.getInt8Ty(), wanted_, number);
    Instruction *then = SplitBlockAndInsertIfThen(b_.CreateIsNotNull(wanted), &call, false);
    b_.SetInsertPoint(then);
    Value *next = ofLog(b_.CreateLoad(b_.getPtrTy(), field(offsetof(AccessLogAbi, next))));
    Value *end = ofLog(b_.CreateLoad(b_.getPtrTy(), field(offsetof(AccessLogAbi, end))));
    Instruction *full = nullptr, *keeps = nullptr;
    SplitBlockAndInsertIfThenElse(b_.CreateICmpEQ(next, end), then, &full, &keeps,
                                  MDBuilder(call.getContext()).createUnlikelyBranchWeights());
    b_.SetInsertPoint(keeps);
    ofLog(b_.CreateStore(call.getArgOperand(2), next));
    // The thread and the bytes are one word.
    const auto put = [&](Value *value, uint64_t offset) {
      ofLog(b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), next, offset)));
    };
    put(b_.getInt32(uint32_t(number)), offsetof(KeptAccess, site));
    put(b_.CreateOr(thread_, b_.getInt32(uint32_t(bytes->getZExtValue() << 16))),
        offsetof(KeptAccess, thread));
    ofLog(b_.CreateStore(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), next, sizeof(KeptAccess)),
                         field(offsetof(AccessLogAbi, next))));
    call.moveBefore(full);
  }
  static_assert(offsetof(KeptAccess, address) == 0);
  static_assert(offsetof(KeptAccess, bytes) == offsetof(KeptAccess, thread) + 2 &&
                offsetof(KeptAccess, thread) % 4 == 0);

  Lowering &state_;
  IRBuilder<> b_;
  MDNode *log_ = nullptr;
  Value *abi_ = nullptr, *wanted_ = nullptr, *thread_ = nullptr;
};

} // namespace

void inlineReports(Lowering &state) {
  ReportInliner(state).run();
}

} // namespace assay::lowering
