// What an observer is told of 32 lanes: each access, fence, barrier and operation between lanes is one entry
// of a log (support/abi/access_log_abi.h).
//
// The kernel looks whether the observer wants the site, and writes the entry itself; it calls the runtime
// when the log is full. The log overlaps nothing that the kernel accesses, and LLVM is told so. Where lanes
// are known distances apart, as most are, an entry has one address and says where the distances are: most
// kernels log more than they compute.
#include "vectorizer.h"

#include "lowering/lane_loads.h"
#include "lowering/primitives.h"
#include "lowering/runtime_functions.h"

#include "support/abi/lane_abi.h"
#include "support/abi/source_lane.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// All but the bytes is known before; so many bytes of any one access are no kernel's.
constexpr uint64_t kMostReportedBytes = ~uint32_t(0);

} // namespace

std::string refusalOfReport(const CallBase &call, RuntimeCall runtime, const LaneShapes &shapes) {
  if (!isa<ConstantInt>(call.getArgOperand(1)))
    return "an atomic operation that may do one thing or another, under an observer";
  const unsigned first = runtime == RuntimeCall::ObserveAccess ? 3 : 2;
  for (unsigned i = first; i < call.arg_size(); ++i)
    if (!shapes.isUniform(*call.getArgOperand(i)))
      return "an access of a size that varies, under an observer";
  return "";
}

Value *Vectorizer::logField(Type *type, uint64_t offset, bool changes) {
  LaneLoads loads{b_, laneArgument()};
  Value *abi = loads.loadPointer(laneArgument(), offsetof(LaneAbi, accesses), sizeof(AccessLogAbi));
  if (!changes)
    return loads.load(type, abi, offset);
  return ofLog(b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), abi, offset)));
}

// The distances of lanes, as memory that lives as long as the code.
Constant *Vectorizer::distanceTable(const Distances &distances) {
  Constant *content = ConstantDataArray::get(to_.getContext(), distances);
  Constant *&table = distanceTables_[content];
  if (!table)
    table = new GlobalVariable(*to_.getParent(), content->getType(), true, GlobalValue::PrivateLinkage,
                               content, "distances");
  return table;
}

// One entry, by the lanes of the mask.
//   what     base and distances, words, or both: then `spaced` says which
//   asks     only if the observer wants accesses at the site
void Vectorizer::keep(uint32_t site, const Kept &what, Value *bytes, bool asks) {
  BasicBlock *done = newBlock("kept");
  if (asks) {
    Value *wanted = logField(b_.getPtrTy(), offsetof(AccessLogAbi, wanted), false);
    wanted = LaneLoads{b_, laneArgument()}.load(b_.getInt8Ty(), wanted, site);
    BasicBlock *keeps = newBlock("keep");
    b_.CreateCondBr(b_.CreateIsNotNull(wanted), keeps, done);
    b_.SetInsertPoint(keeps);
  }
  BasicBlock *full = newBlock("log.full"), *room = newBlock("log.room");
  const auto next = [&] { return logField(b_.getPtrTy(), offsetof(AccessLogAbi, nextOperation), true); };
  Value *last = logField(b_.getPtrTy(), offsetof(AccessLogAbi, lastOperation), false);
  b_.CreateCondBr(b_.CreateICmpUGT(next(), last), full, room,
                  MDBuilder(to_.getContext()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(full);
  b_.CreateCall(runtimeFunction(*to_.getParent(), RuntimeCall::TakeOperations), {laneArgument()});
  b_.CreateBr(room);
  b_.SetInsertPoint(room);
  Value *entry = next();
  const auto put = [&](Value *value, uint64_t offset) {
    ofLog(b_.CreateAlignedStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), entry, offset),
                                commonAlignment(Align(alignof(KeptOperation)), offset)));
  };
  Value *simdgroup =
      whole_ ? static_cast<Value *>(whole_->number) : laneField(b_.getInt32Ty(), offsetof(LaneAbi, thread));
  put(b_.getInt32(site), offsetof(KeptOperation, site));
  put(simdgroup, offsetof(KeptOperation, simdgroup));
  put(bitsOf(mask_), offsetof(KeptOperation, mask));
  put(bytes ? bytes : b_.getInt32(0), offsetof(KeptOperation, bytes));
  const auto finish = [&](uint64_t length) {
    Value *abi = LaneLoads{b_, laneArgument()}.loadPointer(laneArgument(), offsetof(LaneAbi, accesses),
                                                           sizeof(AccessLogAbi));
    ofLog(b_.CreateStore(
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), entry, length),
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), abi, offsetof(AccessLogAbi, nextOperation))));
    b_.CreateBr(done);
  };
  const auto putSpaced = [&] {
    put(what.base, offsetof(KeptOperation, base));
    put(what.distances, offsetof(KeptOperation, distances));
    finish(sizeof(KeptOperation));
  };
  const auto putWords = [&] {
    put(ConstantPointerNull::get(b_.getPtrTy()), offsetof(KeptOperation, distances));
    if (what.words)
      put(what.words, sizeof(KeptOperation));
    finish(sizeof(KeptOperation) + sizeof(KeptWords));
  };
  if (what.spaced) {
    BasicBlock *near = newBlock("kept.spaced"), *far = newBlock("kept.words");
    b_.CreateCondBr(what.spaced, near, far);
    b_.SetInsertPoint(near);
    putSpaced();
    b_.SetInsertPoint(far);
    putWords();
  } else if (what.base) {
    putSpaced();
  } else {
    putWords();
  }
  b_.SetInsertPoint(done);
}

// Where each lane accesses memory.
Vectorizer::Kept Vectorizer::keptAddresses(const Value &address) {
  Kept kept;
  const Shape &shape = shapes_.of(address);
  if (shape.kind == ShapeKind::Uniform || shape.kind == ShapeKind::Affine) {
    kept.base = values_.scalar(address);
    kept.distances = distanceTable(shape.distances);
    kept.spaced = shape.kind == ShapeKind::Affine ? values_.condition(address) : nullptr;
  }
  if (kept.base && !kept.spaced)
    return kept;
  kept.words = values_.lane(address);
  if (!kept.base) {
    // Often it is one address after all, of which nothing was known.
    kept.words = b_.CreateFreeze(kept.words); // lanes that take no part
    kept.base = b_.CreateExtractElement(kept.words, uint64_t(0));
    kept.distances = distanceTable({});
    kept.spaced = b_.CreateAndReduce(b_.CreateOr(
        b_.CreateICmpEQ(kept.words, b_.CreateVectorSplat(kLanes, kept.base)), b_.CreateNot(mask_)));
  }
  return kept;
}

// A call of RuntimeCall::ObserveAccess or ObserveFence.
void Vectorizer::keepReport(const CallBase &call, RuntimeCall runtime) {
  const uint32_t site = siteOfCall(call);
  if (runtime == RuntimeCall::ObserveAccess) {
    Value *bytes = b_.CreateBinaryIntrinsic(Intrinsic::umin, values_.scalar(*call.getArgOperand(3)),
                                            b_.getInt64(kMostReportedBytes));
    return keep(site, keptAddresses(*call.getArgOperand(2)), b_.CreateTrunc(bytes, b_.getInt32Ty()), true);
  }
  Value *words = PoisonValue::get(wide(b_.getInt64Ty()));
  for (const unsigned i : {0u, 1u})
    words = b_.CreateInsertElement(
        words, b_.CreateZExt(values_.scalar(*call.getArgOperand(2 + i)), b_.getInt64Ty()), i);
  keep(site, {.words = words}, nullptr, false);
}

// An operation between lanes that somebody may look at: which lanes others read, and barriers.
void Vectorizer::keepMeeting(const CallBase &call) {
  if (!state_.options.observeMemory)
    return;
  const uint32_t number = siteOfCall(call);
  const SiteInfo &site = state_.info.sites[number];
  if (site.kind == SiteKind::ThreadgroupBarrier)
    return keep(number, {}, nullptr, false);
  if (site.op == SimdOp::Barrier || readsOneLane(site.op))
    keep(number, {.words = b_.CreateZExt(values_.lane(*call.getArgOperand(4)), wide(b_.getInt64Ty()))},
         nullptr, false);
}

// What lanes say at their end, if one has something to say.
void Vectorizer::tellUnwritten(const CallBase &call) {
  Value *lanes = values_.lane(*call.getArgOperand(1));
  Value *any = b_.CreateOrReduce(b_.CreateSelect(mask_, lanes, Constant::getNullValue(lanes->getType())));
  BasicBlock *tells = newBlock("unwritten"), *done = newBlock("told");
  b_.CreateCondBr(b_.CreateIsNotNull(any), tells, done,
                  MDBuilder(to_.getContext()).createUnlikelyBranchWeights());
  b_.SetInsertPoint(tells);
  b_.CreateCall(call.getFunctionType(), call.getCalledOperand(), {laneArgument(), any});
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

// Accesses of the log, by their scope; all others overlap none of it.
Instruction *Vectorizer::ofLog(Instruction *access) {
  if (!log_) {
    MDBuilder metadata(to_.getContext());
    MDNode *scope = metadata.createAnonymousAliasScope(metadata.createAnonymousAliasScopeDomain("log"));
    log_ = MDNode::get(to_.getContext(), scope);
  }
  access->setMetadata(LLVMContext::MD_alias_scope, log_);
  return access;
}

void Vectorizer::describeLog() {
  if (!log_)
    return;
  for (Instruction &instruction : instructions(to_))
    if (!instruction.getMetadata(LLVMContext::MD_alias_scope) &&
        (isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction) ||
         (isa<IntrinsicInst>(instruction) && instruction.mayReadOrWriteMemory())))
      instruction.setMetadata(LLVMContext::MD_noalias, log_);
}

} // namespace assay::lowering::vector
