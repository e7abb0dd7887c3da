// See shadow_values.h. Instructions are visited in an order in which operands come first; shadows of phis are
// made before and filled in at the end.
#include "shadow_values.h"

#include "access_sites.h"
#include "fiber_entry.h"
#include "primitives.h"
#include "runtime_functions.h"
#include "shadow_accesses.h"
#include "shadow_memory.h"
#include "sites.h"
#include "source_place.h"

#include "support/abi/shadow_abi.h"
#include "support/abi/simd_op.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// What a texture access reads: msl_shim/detail/texture_request.h.
constexpr uint64_t kTexelBytes = 16;

class Tracker {
public:
  explicit Tracker(Lowering &state)
      : state_(state), layout_(state.module->getDataLayout()), provenance_(state), quiet_(*state.entry),
        flow_(state, provenance_, quiet_), b_(state.entry->getContext()), rules_(b_, layout_) {}

  void run() {
    SmallVector<Instruction *> all;
    SmallVector<PHINode *> phis;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(state_.entry))
      for (Instruction &instruction : *block)
        all.push_back(&instruction);
    memory_.emplace(state_, flow_);
    for (Instruction *instruction : all)
      if (auto *phi = dyn_cast<PHINode>(instruction); phi && flow_.mayBeUndefined(phi)) {
        b_.SetInsertPoint(phi);
        const unsigned count = phi->getNumIncomingValues();
        shadows_[phi] = {b_.CreatePHI(shadowType(phi->getType(), layout_), count, "shadow"),
                         b_.CreatePHI(b_.getInt64Ty(), count, "origin")};
        phis.push_back(phi);
        for (BasicBlock *from : phi->blocks()) // before blocks are split
          conditions_[phi].push_back(quiet_.conditionsOf(from, phi->getParent()));
      }
    for (Instruction *instruction : all)
      if (!isa<PHINode>(instruction) && !isStateLoad(*instruction) && !isCounterStore(*instruction))
        visit(*instruction);
    for (PHINode *phi : phis)
      fillIn(*phi);
    for (Instruction *instruction : all)
      if (primitiveOf(*instruction) == Primitive::UnwrittenValue) {
        instruction->replaceAllUsesWith(Constant::getNullValue(instruction->getType()));
        instruction->eraseFromParent();
      }
  }

private:
  // ---- shadows of values ----

  Shadow of(Value *value) const { return shadows_.lookup(value); }
  Value *bitsOf(Value *value) const { return of(value).bits; }

  // Without an origin no operand has a shadow after all: it was reported, and counts as defined.
  void set(Instruction &instruction, Value *bits, Value *origin) {
    if (bits && origin)
      shadows_[&instruction] = {bits, origin};
  }

  // The origin of a result: of the last operand that is undefined.
  Value *originOf(ArrayRef<Value *> operands) {
    Value *origin = nullptr;
    for (Value *operand : operands)
      if (const Shadow shadow = of(operand))
        origin = origin && origin != shadow.origin
                     ? b_.CreateSelect(rules_.isSet(shadow.bits), shadow.origin, origin)
                     : shadow.origin;
    return origin;
  }

  // With what decides which edge is taken, if that is a quiet branch.
  void fillIn(PHINode &phi) {
    const Shadow shadow = of(&phi);
    auto *bits = cast<PHINode>(shadow.bits), *origin = cast<PHINode>(shadow.origin);
    DenseMap<BasicBlock *, Shadow> known; // a switch may have several edges to the phi
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      BasicBlock *from = phi.getIncomingBlock(i);
      const auto [found, isNew] = known.try_emplace(from, of(phi.getIncomingValue(i)));
      Shadow &incoming = found->second;
      if (isNew) {
        b_.SetInsertPoint(from->getTerminator());
        for (Value *condition : conditions_[&phi][i])
          if (const Shadow deciding = of(condition)) {
            Value *open = rules_.any(phi.getType(), {deciding.bits});
            incoming =
                incoming
                    ? Shadow{b_.CreateOr(incoming.bits, open),
                             b_.CreateSelect(rules_.isSet(deciding.bits), deciding.origin, incoming.origin)}
                    : Shadow{open, deciding.origin};
          }
        if (!incoming)
          incoming = {Constant::getNullValue(bits->getType()), b_.getInt64(0)};
      }
      bits->addIncoming(incoming.bits, from);
      origin->addIncoming(incoming.origin, from);
    }
  }

  void visit(Instruction &instruction) {
    if (instruction.isTerminator())
      return visitTerminator(instruction);
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    if (primitive)
      return visitPrimitive(cast<CallBase>(instruction), *primitive);
    if (instruction.mayReadOrWriteMemory() || isa<LoadInst, StoreInst>(instruction))
      return visitMemory(instruction);
    if (!flow_.mayBeUndefined(&instruction))
      return;
    b_.SetInsertPoint(instruction.getNextNode());
    b_.SetCurrentDebugLocation(instruction.getDebugLoc());
    SmallVector<Value *> operands(instruction.operand_values());
    set(instruction, shadowOf(instruction), originOf(operands));
  }

  Value *shadowOf(Instruction &instruction) {
    const auto operand = [&](unsigned i) { return instruction.getOperand(i); };
    const auto shadow = [&](unsigned i) { return bitsOf(operand(i)); };
    const auto zeroOr = [&](unsigned i) {
      return shadow(i) ? shadow(i) : Constant::getNullValue(shadowType(operand(i)->getType(), layout_));
    };
    if (isa<BinaryOperator>(instruction)) {
      if (instruction.getType()->isFPOrFPVectorTy())
        return rules_.any(instruction.getType(), {shadow(0), shadow(1)});
      return rules_.binary(instruction.getOpcode(), operand(0), operand(1), shadow(0), shadow(1));
    }
    if (const auto *compare = dyn_cast<CmpInst>(&instruction))
      return rules_.compare(compare->getPredicate(), operand(0), operand(1), shadow(0), shadow(1));
    if (isa<CastInst>(instruction))
      return rules_.cast(instruction.getOpcode(), instruction.getType(), shadow(0));
    if (isa<IntrinsicInst>(instruction))
      return shadowOfIntrinsic(cast<IntrinsicInst>(instruction));
    switch (instruction.getOpcode()) {
    case Instruction::Select:
      if (operand(0)->getType()->isVectorTy() != instruction.getType()->isVectorTy() && shadow(0))
        return rules_.any(instruction.getType(), {shadow(0), shadow(1), shadow(2)});
      return rules_.select(operand(0), operand(1), operand(2), shadow(0), shadow(1), shadow(2));
    case Instruction::FNeg:
    case Instruction::Freeze: return shadow(0);
    case Instruction::ExtractElement: {
      Value *element = b_.CreateExtractElement(zeroOr(0), operand(1));
      return shadow(1) ? b_.CreateOr(element, rules_.any(instruction.getType(), {shadow(1)})) : element;
    }
    case Instruction::InsertElement: {
      Value *vector = b_.CreateInsertElement(zeroOr(0), zeroOr(1), operand(2));
      return shadow(2) ? b_.CreateOr(vector, rules_.any(instruction.getType(), {shadow(2)})) : vector;
    }
    case Instruction::ShuffleVector:
      return shadowOfShuffle(cast<ShuffleVectorInst>(instruction), zeroOr(0), zeroOr(1));
    default: {
      SmallVector<Value *> all;
      for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
        all.push_back(shadow(i));
      return rules_.any(instruction.getType(), all);
    }
    }
  }

  // Elements that the shuffle leaves open are defined, as undef is.
  Value *shadowOfShuffle(ShuffleVectorInst &shuffle, Value *first, Value *second) {
    SmallVector<int> mask(shuffle.getShuffleMask());
    SmallVector<Constant *> keep;
    Type *element = first->getType()->getScalarType();
    for (int &from : mask) {
      keep.push_back(from < 0 ? Constant::getNullValue(element) : Constant::getAllOnesValue(element));
      from = std::max(from, 0);
    }
    Value *moved = b_.CreateShuffleVector(first, second, mask);
    return is_contained(shuffle.getShuffleMask(), PoisonMaskElem)
               ? b_.CreateAnd(moved, ConstantVector::get(keep))
               : moved;
  }

  Value *shadowOfIntrinsic(IntrinsicInst &call) {
    SmallVector<Value *> shadows;
    for (Value *argument : call.args())
      shadows.push_back(bitsOf(argument));
    // An argument that may be undefined was reported before, and counts as defined from there on.
    if (none_of(shadows, [](const Value *shadow) { return shadow != nullptr; }))
      return nullptr;
    Type *type = call.getType();
    switch (call.getIntrinsicID()) {
    case Intrinsic::fabs:
      return b_.CreateAnd(
          shadows[0],
          ConstantInt::get(shadows[0]->getType(), APInt::getSignedMaxValue(type->getScalarSizeInBits())));
    case Intrinsic::copysign: {
      Type *bits = shadowType(type, layout_);
      const APInt sign = APInt::getSignMask(type->getScalarSizeInBits());
      Value *magnitude = shadows[0] ? b_.CreateAnd(shadows[0], ConstantInt::get(bits, ~sign)) : nullptr;
      Value *other = shadows[1] ? b_.CreateAnd(shadows[1], ConstantInt::get(bits, sign)) : nullptr;
      return magnitude && other ? b_.CreateOr(magnitude, other) : magnitude ? magnitude : other;
    }
    case Intrinsic::bswap:
    case Intrinsic::bitreverse: return b_.CreateUnaryIntrinsic(call.getIntrinsicID(), shadows[0]);
    default: return rules_.any(type, shadows);
    }
  }

  // ---- memory ----

  uint32_t siteOf(Instruction &instruction, const MemoryAccess &access, Decision decision) {
    SiteInfo site = accessSite(instruction, access, provenance_.of(access.pointer));
    site.kind = SiteKind::Decision;
    site.decision = decision;
    return addSite(state_, std::move(site));
  }

  void visitMemory(Instruction &instruction) {
    SmallVector<MemoryAccess, 2> accesses = memoryAccesses(instruction, layout_);
    for (const MemoryAccess &access : accesses)
      if (const Shadow pointer = of(access.pointer))
        report(instruction, pointer, siteOf(instruction, access, Decision::Address), access.pointer);
    if (accesses.empty())
      return;
    const MemoryAccess &access = accesses.back();
    const auto afterIt = [&] {
      b_.SetInsertPoint(instruction.getNextNode());
      b_.SetCurrentDebugLocation(instruction.getDebugLoc());
    };
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (!flow_.mayBeUndefined(load))
        return;
      afterIt();
      shadows_[load] =
          memory_->load(b_, access.pointer, load->getType(), siteOf(*load, access, Decision::None));
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      const Shadow value = of(store->getValueOperand());
      const bool decides = flow_.placeOf(access.pointer).kind == ShadowPlace::Device;
      if (value && (decides || store->isAtomic()))
        report(instruction, value,
               siteOf(instruction, access, store->isAtomic() ? Decision::Atomic : Decision::Store),
               access.pointer);
      afterIt();
      memory_->store(b_, access.pointer, access.bytes, store->isAtomic() ? Shadow() : value);
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      visitUpdate(*update, access);
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      for (Value *operand : {exchange->getCompareOperand(), exchange->getNewValOperand()})
        if (const Shadow value = of(operand))
          report(instruction, value, siteOf(instruction, access, Decision::Atomic), access.pointer);
      visitExchange(*exchange, access);
    } else if (auto *fill = dyn_cast<MemSetInst>(&instruction)) {
      const Shadow value = of(fill->getValue());
      if (value && flow_.placeOf(access.pointer).kind == ShadowPlace::Device)
        report(instruction, value, siteOf(instruction, access, Decision::Store), access.pointer);
      afterIt();
      memory_->fill(b_, fill->getRawDest(), fill->getLength(), value);
    } else if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      visitCopy(*copy, accesses);
    }
  }

  // An operation on memory that nobody has written changes what is there: in device memory that is a
  // decision. In threadgroup memory the result is undefined, and so is what it leaves.
  void visitUpdate(AtomicRMWInst &update, const MemoryAccess &access) {
    if (const Shadow value = of(update.getValOperand()))
      report(update, value, siteOf(update, access, Decision::Atomic), access.pointer);
    b_.SetInsertPoint(update.getNextNode());
    b_.SetCurrentDebugLocation(update.getDebugLoc());
    const bool replaces = update.getOperation() == AtomicRMWInst::Xchg;
    const bool device = flow_.placeOf(access.pointer).kind == ShadowPlace::Device;
    if (flow_.mayBeUndefined(&update)) {
      const Shadow before =
          memory_->load(b_, access.pointer, update.getType(), siteOf(update, access, Decision::None));
      if (device && !replaces && before)
        reportHere(before, siteOf(update, access, Decision::Atomic), access.pointer, update.getDebugLoc());
      else
        shadows_[&update] = before;
    }
    if (replaces || device)
      memory_->store(b_, access.pointer, access.bytes, {});
  }

  void visitExchange(AtomicCmpXchgInst &exchange, const MemoryAccess &access) {
    if (!flow_.mayBeUndefined(&exchange))
      return;
    b_.SetInsertPoint(exchange.getNextNode());
    b_.SetCurrentDebugLocation(exchange.getDebugLoc());
    Type *type = exchange.getCompareOperand()->getType();
    const Shadow before = memory_->load(b_, access.pointer, type, siteOf(exchange, access, Decision::None));
    if (!before)
      return;
    if (flow_.placeOf(access.pointer).kind == ShadowPlace::Device) {
      reportHere(before, siteOf(exchange, access, Decision::Atomic), access.pointer, exchange.getDebugLoc());
      return memory_->store(b_, access.pointer, access.bytes, {});
    }
    Value *const whether = rules_.isSet(before.bits);
    for (User *user : exchange.users())
      if (auto *part = dyn_cast<ExtractValueInst>(user))
        shadows_[part] = {part->getIndices()[0] == 0 ? before.bits : whether, before.origin};
  }

  void visitCopy(MemTransferInst &copy, ArrayRef<MemoryAccess> accesses) {
    const MemoryAccess &to = accesses.back();
    const uint32_t site = siteOf(copy, accesses.front(), Decision::None);
    b_.SetInsertPoint(copy.getNextNode());
    b_.SetCurrentDebugLocation(copy.getDebugLoc());
    // Large copies are not looked at.
    if (flow_.placeOf(to.pointer).kind == ShadowPlace::Device && to.bytes && to.bytes <= kWidestAccess) {
      const Shadow value = memory_->load(b_, copy.getRawSource(), b_.getIntNTy(unsigned(8 * to.bytes)), site);
      if (value)
        reportHere(value, siteOf(copy, to, Decision::Store), to.pointer, copy.getDebugLoc());
    }
    memory_->copy(b_, copy.getRawDest(), copy.getRawSource(), copy.getLength(), site);
  }

  // ---- primitives ----

  void visitPrimitive(CallBase &call, Primitive primitive) {
    b_.SetInsertPoint(&call);
    b_.SetCurrentDebugLocation(call.getDebugLoc());
    switch (primitive) {
    case Primitive::UnwrittenValue: {
      b_.SetInsertPoint(call.getNextNode());
      Type *type = shadowType(call.getType(), layout_);
      set(call, Constant::getAllOnesValue(type), b_.getInt64(birthOf(call)));
      return;
    }
    case Primitive::SimdOp: return visitSimdOp(call);
    case Primitive::TextureWrite:
      visitRequest(call, 1, Decision::Address);
      visitRequest(call, 2, Decision::Texel);
      return;
    case Primitive::TextureRead:
      visitRequest(call, 1, Decision::Address);
      return defineAfter(call, call.getArgOperand(2));
    case Primitive::TextureSample: return defineAfter(call, call.getArgOperand(3));
    case Primitive::TextureAtomic: return defineAfter(call, call.getArgOperand(2));
    default: return;
    }
  }

  // An operation may have been inlined at several places: each is a birth of its own.
  uint64_t birthOf(CallBase &call) {
    const uint32_t birth = constantArgument(call, 0).value_or(0);
    std::vector<Birth> &births = state_.info.births;
    if (!birth || birth > births.size() || births[birth - 1].kind == BirthKind::Variable)
      return birth;
    births.push_back({"", placeOf(call), births[birth - 1].kind});
    return births.size();
  }

  // The first word of what a texture access takes from memory. Which of the others count depends on the
  // texture's type and format.
  void visitRequest(CallBase &call, unsigned argument, Decision decision) {
    Value *pointer = call.getArgOperand(argument);
    const Shadow first = memory_->load(b_, pointer, b_.getInt32Ty(), ValueOrigin::kMostSites);
    if (!first)
      return;
    SiteInfo site = state_.info.sites[lowering::siteOf(call)];
    site.kind = SiteKind::Decision;
    site.decision = decision;
    reportHere(first, addSite(state_, std::move(site)), nullptr, call.getDebugLoc());
  }

  void defineAfter(CallBase &call, Value *pointer) {
    b_.SetInsertPoint(call.getNextNode());
    memory_->store(b_, pointer, kTexelBytes, {});
  }

  static bool namesLane(SimdOp op) { return readsOneLane(op); }

  void visitSimdOp(CallBase &call) {
    const SiteInfo &site = state_.info.sites[lowering::siteOf(call)];
    const SimdOpInfo &op = simdOpInfo(site.op);
    Shadow operand = of(call.getArgOperand(5));
    if (operand && namesLane(op.op)) {
      SiteInfo decision = site;
      decision.kind = SiteKind::Decision;
      decision.decision = Decision::SimdOperand;
      reportHere(operand, addSite(state_, std::move(decision)), nullptr, call.getDebugLoc());
      operand = {};
    }
    if (op.result == SimdResult::None)
      return;
    Value *in = nullptr, *inOrigins = nullptr;
    if (op.inputs)
      std::tie(in, inOrigins) = memory_->ofVariable(b_, call.getArgOperand(3));
    const auto [out, outOrigins] = memory_->ofVariable(b_, call.getArgOperand(4));
    if (!out)
      return;
    const bool votes = op.inputs == 0;
    Value *null = Constant::getNullValue(b_.getPtrTy());
    Value *lane = memory_->lane(b_);
    const auto put = [&](Value *value, uint64_t offset) {
      markShadowAccess(b_.CreateStore(value, b_.CreatePtrAdd(lane, b_.getInt64(offset))));
    };
    put(in ? in : null, offsetof(LaneShadow, in));
    put(in ? inOrigins : null, offsetof(LaneShadow, inOrigins));
    put(out, offsetof(LaneShadow, out));
    put(outOrigins, offsetof(LaneShadow, outOrigins));
    put(operand && votes ? operand.bits : b_.getInt32(0), offsetof(LaneShadow, operand));
    put(operand && votes ? operand.origin : b_.getInt64(0), offsetof(LaneShadow, operandOrigin));
  }

  // ---- decisions ----

  void visitTerminator(Instruction &instruction) {
    Value *condition = nullptr;
    if (auto *branch = dyn_cast<BranchInst>(&instruction))
      condition = branch->isConditional() ? branch->getCondition() : nullptr;
    else if (auto *choice = dyn_cast<SwitchInst>(&instruction))
      condition = choice->getCondition();
    const Shadow shadow = condition ? of(condition) : Shadow();
    if (!shadow || quiet_.isQuiet(instruction))
      return;
    SiteInfo site;
    site.kind = SiteKind::Decision;
    site.decision = Decision::Branch;
    site.where = placeOf(instruction);
    if (const auto *made = dyn_cast<Instruction>(condition); made && !site.where.known())
      site.where = placeOf(*made);
    report(instruction, shadow, addSite(state_, std::move(site)), nullptr);
  }

  void report(Instruction &before, Shadow shadow, uint32_t site, Value *address) {
    b_.SetInsertPoint(&before);
    reportHere(shadow, site, address, before.getDebugLoc());
  }

  // Before the builder's place, which stays where it is.
  void reportHere(Shadow shadow, uint32_t site, Value *address, const DebugLoc &where) {
    Instruction *before = &*b_.GetInsertPoint();
    b_.SetCurrentDebugLocation(where);
    Value *set = rules_.isSet(shadow.bits);
    Instruction *then = SplitBlockAndInsertIfThen(
        set, before, false, MDBuilder(before->getContext()).createUnlikelyBranchWeights());
    b_.SetInsertPoint(then);
    b_.CreateCall(runtimeFunction(*state_.module, RuntimeCall::Undefined),
                  {state_.lane(), b_.getInt32(site), shadow.origin,
                   address ? b_.CreatePtrToInt(address, b_.getInt64Ty()) : b_.getInt64(0)})
        ->setDebugLoc(where);
    b_.SetInsertPoint(before);
  }

  Lowering &state_;
  const DataLayout &layout_;
  Provenance provenance_;
  QuietBranches quiet_;
  ShadowFlow flow_;
  IRBuilder<> b_;
  ShadowRules rules_;
  std::optional<ShadowMemory> memory_;
  DenseMap<const Value *, Shadow> shadows_;
  DenseMap<const PHINode *, SmallVector<ArrayRef<Value *>>> conditions_; ///< by incoming edge
};

} // namespace

void trackUndefined(Lowering &state, FunctionAnalysisManager &analyses) {
  Tracker(state).run();
  analyses.invalidate(*state.entry, PreservedAnalyses::none());
}

} // namespace assay::lowering
