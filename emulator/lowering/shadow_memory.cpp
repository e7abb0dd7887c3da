// See shadow_memory.h.
#include "shadow_memory.h"

#include "lane_loads.h"
#include "runtime_functions.h"
#include "shadow_accesses.h"

#include "support/abi/shadow_abi.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace assay::lowering {

using namespace llvm;

namespace {

constexpr uint64_t kWord = 4;        // bytes of memory that share an origin
constexpr uint64_t kOriginBytes = 8; // of an origin
constexpr uint64_t kPerByte = kOriginBytes / kWord;

uint64_t wordsOf(uint64_t bytes) {
  return (bytes + kWord - 1) / kWord;
}

} // namespace

ShadowMemory::ShadowMemory(Lowering &state, ShadowFlow &flow)
    : state_(state), flow_(flow), layout_(state.module->getDataLayout()) {
  Builder b(&*state.entry->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  b.SetCurrentDebugLocation(DebugLoc());
  abi_ = b.CreateCall(runtimeFunction(*state.module, RuntimeCall::Shadows), {state.lane()}, "shadows");
  top_ = cast<Instruction>(abi_)->getNextNode();
}

// Fields stay the same while a lane runs.
Value *ShadowMemory::field(Builder &, Type *type, uint64_t offset) {
  Value *&loaded = fields_[offset];
  if (!loaded) {
    Builder b(top_);
    b.SetCurrentDebugLocation(DebugLoc());
    loaded = LaneLoads{b, state_.lane()}.load(type, abi_, offset);
  }
  return loaded;
}

Value *ShadowMemory::lane(Builder &b) {
  Value *lanes = field(b, b.getPtrTy(), offsetof(ShadowAbi, lanes));
  Builder top(top_);
  top.SetCurrentDebugLocation(DebugLoc());
  Value *thread =
      LaneLoads{top, state_.lane()}.load(top.getInt32Ty(), state_.lane(), offsetof(LaneAbi, thread));
  return b.CreatePtrAdd(lanes,
                        b.CreateMul(b.CreateZExt(thread, b.getInt64Ty()), b.getInt64(sizeof(LaneShadow))));
}

ShadowMemory::Variable &ShadowMemory::variable(AllocaInst &of) {
  const auto [found, isNew] = variables_.try_emplace(&of, Variable{nullptr, nullptr});
  if (!isNew)
    return found->second;
  const uint64_t bytes = of.getAllocationSize(layout_)->getFixedValue();
  Builder b(&*state_.entry->getEntryBlock().getFirstInsertionPt());
  b.SetCurrentDebugLocation(DebugLoc());
  AllocaInst *shadow = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), bytes), nullptr, "shadow");
  AllocaInst *origins = b.CreateAlloca(ArrayType::get(b.getInt64Ty(), wordsOf(bytes)), nullptr, "origins");
  shadow->setAlignment(of.getAlign());
  b.SetInsertPoint(top_);
  markShadowAccess(b.CreateMemSet(shadow, b.getInt8(0), bytes, shadow->getAlign()));
  return found->second = {shadow, origins};
}

// Only the runtime knows where such a pointer leads to.
bool ShadowMemory::isUnknown(const ShadowPlace &place) const {
  return place.kind == ShadowPlace::Anything ||
         (place.kind == ShadowPlace::Device && place.slot == kBufferSlots &&
          tracksDevice(state_.options.trackUndefined));
}

bool ShadowMemory::keepsShadow(const ShadowPlace &place) const {
  return flow_.mayLoadUndefined(place);
}

std::pair<Value *, Value *> ShadowMemory::ofVariable(Builder &b, Value *pointer) {
  const ShadowPlace place = flow_.placeOf(pointer);
  if (place.kind != ShadowPlace::Thread || !keepsShadow(place))
    return {nullptr, nullptr};
  return {shadowPointer(b, place, pointer, true), originPointer(b, place, pointer)};
}

// The bytes from the beginning of the variable on.
static Value *offsetIn(IRBuilder<> &b, AllocaInst &variable, Value *pointer, const DataLayout &layout) {
  int64_t constant = 0;
  if (GetPointerBaseWithConstantOffset(pointer, constant, layout) == &variable)
    return b.getInt64(uint64_t(constant));
  return b.CreateSub(b.CreatePtrToInt(pointer, b.getInt64Ty()), b.CreatePtrToInt(&variable, b.getInt64Ty()));
}

Value *ShadowMemory::shadowPointer(Builder &b, const ShadowPlace &place, Value *pointer, bool toRead) {
  switch (place.kind) {
  case ShadowPlace::Thread:
    return b.CreatePtrAdd(variable(*place.variable).shadow, offsetIn(b, *place.variable, pointer, layout_));
  case ShadowPlace::Threadgroup:
    return b.CreateIntToPtr(
        b.CreateAdd(address(b, pointer), field(b, b.getInt64Ty(), offsetof(ShadowAbi, arena))), b.getPtrTy());
  default: {
    Value *delta = field(b, b.getInt64Ty(), offsetof(ShadowAbi, device) + place.slot * sizeof(int64_t));
    Value *other =
        b.CreatePtrAdd(abi_, b.getInt64(toRead ? offsetof(ShadowAbi, zeros) : offsetof(ShadowAbi, sink)));
    Value *own = b.CreateIntToPtr(b.CreateAdd(address(b, pointer), delta), b.getPtrTy());
    return b.CreateSelect(b.CreateICmpEQ(delta, b.getInt64(0)), other, own);
  }
  }
}

Value *ShadowMemory::originPointer(Builder &b, const ShadowPlace &place, Value *pointer) {
  Value *base, *offset;
  if (place.kind == ShadowPlace::Thread) {
    base = variable(*place.variable).origins;
    offset = offsetIn(b, *place.variable, pointer, layout_);
  } else {
    base = field(b, b.getPtrTy(), offsetof(ShadowAbi, arenaOrigins));
    offset = b.CreateSub(address(b, pointer), field(b, b.getInt64Ty(), offsetof(ShadowAbi, arenaBase)));
  }
  offset = b.CreateAnd(offset, b.getInt64(~(kWord - 1)));
  return b.CreatePtrAdd(base, b.CreateMul(offset, b.getInt64(kPerByte)));
}

// Of the last word that has an undefined bit. What was never stored there was born by this load.
Value *ShadowMemory::loadOrigin(Builder &b, const ShadowPlace &place, Value *pointer, Value *bits,
                                uint64_t bytes, uint32_t site) {
  Value *born = b.getInt64(0);
  if (site < ValueOrigin::kMostSites && place.kind != ShadowPlace::Thread) {
    const bool isArena = place.kind == ShadowPlace::Threadgroup;
    Builder top(top_);
    top.SetCurrentDebugLocation(DebugLoc());
    Value *begin =
        isArena ? field(b, b.getInt64Ty(), offsetof(ShadowAbi, arenaBase))
                : top.CreatePtrToInt(LaneLoads{top, state_.lane()}.bufferBase(place.slot, top.getPtrTy()),
                                     top.getInt64Ty());
    Value *offset = b.CreateSub(address(b, pointer), begin);
    offset = b.CreateAnd(offset, b.getInt64((uint64_t(1) << ValueOrigin::kOffsetBits) - 1));
    born =
        b.CreateOr(offset, b.getInt64(ValueOrigin::ofLoad(site, isArena ? ValueOrigin::kArena : place.slot)));
  }
  if (place.kind == ShadowPlace::Device)
    return born;
  Value *origins = originPointer(b, place, pointer);
  const uint64_t words = wordsOf(bytes);
  Value *origin = nullptr;
  Value *all = nullptr;
  for (uint64_t i = 0; i < std::min<uint64_t>(words, 16); ++i) {
    Value *one = markShadowAccess(b.CreateAlignedLoad(
        b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), origins, i), Align(8)));
    Value *mine = one;
    if (place.kind != ShadowPlace::Thread) {
      Value *here = i ? b.CreateAdd(born, b.getInt64(i * kWord)) : born;
      mine = b.CreateSelect(b.CreateICmpEQ(one, b.getInt64(0)), here, one);
    }
    if (!origin) {
      origin = mine;
      continue;
    }
    if (!all)
      all = b.CreateBitCast(bits, b.getIntNTy(unsigned(8 * bytes)));
    Value *part = b.CreateTrunc(b.CreateLShr(all, i * kWord * 8), b.getInt32Ty());
    origin = b.CreateSelect(b.CreateICmpNE(part, b.getInt32(0)), mine, origin);
  }
  return origin;
}

Shadow ShadowMemory::load(Builder &b, Value *pointer, Type *type, uint32_t site) {
  const ShadowPlace place = flow_.placeOf(pointer);
  Type *shadow = shadowType(type, layout_);
  const uint64_t bytes = layout_.getTypeStoreSize(type);
  if (!keepsShadow(place) || !shadow || bytes > kWidestAccess)
    return {};
  Value *bits =
      markShadowAccess(b.CreateAlignedLoad(shadow, shadowPointer(b, place, pointer, true), Align(1)));
  const bool wholeBytes = layout_.getTypeSizeInBits(shadow) == 8 * bytes;
  return {bits, loadOrigin(b, place, pointer, bits, wholeBytes ? bytes : 1, site)};
}

void ShadowMemory::store(Builder &b, Value *pointer, uint64_t bytes, Shadow shadow) {
  const ShadowPlace place = flow_.placeOf(pointer);
  if (isUnknown(place)) {
    b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::Written),
                 {state_.lane(), address(b, pointer), b.getInt64(bytes)});
    return;
  }
  if (!keepsShadow(place) || (place.kind == ShadowPlace::Device && bytes > kWidestAccess))
    return;
  Value *to = shadowPointer(b, place, pointer, false);
  if (!shadow || place.kind == ShadowPlace::Device) {
    if (isPowerOf2_64(bytes) && bytes <= 32)
      markShadowAccess(
          b.CreateAlignedStore(Constant::getNullValue(b.getIntNTy(unsigned(8 * bytes))), to, Align(1)));
    else
      markShadowAccess(b.CreateMemSet(to, b.getInt8(0), bytes, Align(1)));
    return;
  }
  markShadowAccess(b.CreateAlignedStore(shadow.bits, to, Align(1)));
  Value *origins = originPointer(b, place, pointer);
  for (uint64_t i = 0; i < wordsOf(bytes); ++i)
    markShadowAccess(b.CreateAlignedStore(
        shadow.origin, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), origins, i), Align(8)));
}

void ShadowMemory::fill(Builder &b, Value *pointer, Value *bytes, Shadow shadow) {
  const ShadowPlace place = flow_.placeOf(pointer);
  const auto *constant = dyn_cast<ConstantInt>(bytes);
  Value *length = b.CreateZExtOrTrunc(bytes, b.getInt64Ty());
  if (place.kind == ShadowPlace::Anything || place.kind == ShadowPlace::Device) {
    if (isUnknown(place) || keepsShadow(place))
      b.CreateCall(runtimeFunction(*state_.module, RuntimeCall::Written),
                   {state_.lane(), address(b, pointer), length});
    return;
  }
  if (!keepsShadow(place))
    return;
  Value *to = shadowPointer(b, place, pointer, false);
  markShadowAccess(b.CreateMemSet(to, shadow ? shadow.bits : b.getInt8(0), length, Align(1)));
  if (!shadow || !constant || constant->isZero())
    return;
  Value *origins = originPointer(b, place, pointer);
  Instruction *after = &*b.GetInsertPoint();
  auto [body, index] = SplitBlockAndInsertSimpleForLoop(b.getInt64(wordsOf(constant->getZExtValue())), after);
  Builder inside(body);
  markShadowAccess(inside.CreateAlignedStore(
      shadow.origin, inside.CreateGEP(inside.getInt64Ty(), origins, index), Align(8)));
  b.SetInsertPoint(after);
}

void ShadowMemory::copy(Builder &b, Value *to, Value *from, Value *bytes, uint32_t site) {
  const ShadowPlace source = flow_.placeOf(from), target = flow_.placeOf(to);
  const auto *constant = dyn_cast<ConstantInt>(bytes);
  const bool follows = keepsShadow(source) && source.kind != ShadowPlace::Device;
  const bool keeps = keepsShadow(target) && target.kind != ShadowPlace::Device;
  if (!keeps || !follows)
    return fill(b, to, bytes, {});
  Value *length = b.CreateZExtOrTrunc(bytes, b.getInt64Ty());
  markShadowAccess(b.CreateMemMove(shadowPointer(b, target, to, false), Align(1),
                                   shadowPointer(b, source, from, true), Align(1), length));
  if (!constant || constant->getZExtValue() % kWord)
    return;
  const uint64_t words = constant->getZExtValue() / kWord;
  if (source.kind == ShadowPlace::Thread) {
    markShadowAccess(b.CreateMemMove(originPointer(b, target, to), Align(8), originPointer(b, source, from),
                                     Align(8), words * kOriginBytes));
    return;
  }
  // Word by word: what nobody stored is born here.
  for (uint64_t i = 0; i < std::min<uint64_t>(words, 64); ++i) {
    Value *place = b.CreatePtrAdd(from, b.getInt64(i * kWord));
    Value *origin = loadOrigin(b, source, place, nullptr, kWord, site);
    markShadowAccess(b.CreateAlignedStore(
        origin, originPointer(b, target, b.CreatePtrAdd(to, b.getInt64(i * kWord))), Align(8)));
  }
}

} // namespace assay::lowering
