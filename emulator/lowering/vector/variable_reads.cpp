// See variable_reads.h.
#include "variable_reads.h"

#include "lowering/primitives.h"
#include "lowering/runtime_functions.h"
#include "lowering/shadow_accesses.h"
#include "lowering/shadow_rules.h"
#include "lowering/sites.h"
#include "lowering/unwritten_values.h"

#include "support/abi/simd_op.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// A copy out of a variable is looked at word by word.
constexpr uint64_t kMostCopied = 64;

class Watch {
public:
  explicit Watch(Lowering &state)
      : state_(state), layout_(state.module->getDataLayout()), b_(state.module->getContext()) {}

  bool run() {
    if (!findVariables())
      return false;
    if (shadows_.empty())
      return true;
    for (auto &[variable, uses] : shadows_)
      if (!collect(*variable, *variable, uses))
        return false;
    b_.SetInsertPoint(&*state_.entry->getEntryBlock().getFirstInsertionPt());
    b_.SetCurrentDebugLocation(DebugLoc());
    found_ = b_.CreateAlloca(b_.getInt32Ty(), nullptr, "unwritten");
    for (auto &[variable, uses] : shadows_) {
      units_[variable] = unitOf(*variable, uses);
      AllocaInst *shadow =
          b_.CreateAlloca(ArrayType::get(b_.getInt8Ty(), shadowBytes(*variable)), nullptr, "shadow");
      shadow->setAlignment(variable->getAlign());
      places_[variable] = shadow;
    }
    markShadowAccess(b_.CreateStore(b_.getInt32(0), found_));
    for (auto &[variable, uses] : shadows_)
      markShadowAccess(
          b_.CreateMemSet(places_[variable], b_.getInt8(0), shadowBytes(*variable), variable->getAlign()));
    for (auto &[variable, uses] : shadows_)
      for (Instruction *use : uses)
        units_[variable] > 1 ? followElement(*use, units_[variable]) : follow(*use);
    for (BasicBlock &block : *state_.entry)
      if (isa<ReturnInst>(block.getTerminator())) {
        b_.SetInsertPoint(block.getTerminator());
        b_.CreateCall(runtimeFunction(*state_.module, RuntimeCall::UnwrittenRead),
                      {state_.lane(), markShadowAccess(b_.CreateLoad(b_.getInt32Ty(), found_))});
      }
    return true;
  }

private:
  static bool isUnwritten(const Value *value) { return primitiveOf(*value) == Primitive::UnwrittenValue; }

  AllocaInst *variableOf(Value *pointer) const {
    return dyn_cast<AllocaInst>(getUnderlyingObject(pointer, 0));
  }

  // Those that a part of __assay_unwritten is stored to. False if one goes elsewhere.
  bool findVariables() {
    for (Instruction &instruction : instructions(*state_.entry)) {
      if (!isUnwritten(&instruction))
        continue;
      for (User *user : instruction.users()) {
        Value *to = nullptr;
        if (auto *store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == &instruction)
          to = store->getPointerOperand();
        else if (auto *fill = dyn_cast<MemSetInst>(user))
          to = fill->getRawDest();
        AllocaInst *variable = to ? variableOf(to) : nullptr;
        if (!variable)
          return false;
        shadows_[variable];
      }
    }
    return true;
  }

  // The instructions that access the variable, and those that compute places in it before them.
  bool collect(AllocaInst &variable, Value &pointer, SmallVectorImpl<Instruction *> &uses) {
    const auto size = variable.getAllocationSize(layout_);
    if (!size || size->isScalable())
      return false;
    for (User *user : pointer.users()) {
      auto *instruction = cast<Instruction>(user);
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(instruction)) {
        uses.push_back(instruction);
        if (!collect(variable, *instruction, uses))
          return false;
        continue;
      }
      if (isa<DbgInfoIntrinsic>(instruction) || instruction->isLifetimeStartOrEnd())
        continue;
      if (!isKnown(*instruction, pointer))
        return false;
      if (!is_contained(uses, instruction)) // a copy from one place to another
        uses.push_back(instruction);
    }
    return true;
  }

  bool isKnown(const Instruction &use, const Value &pointer) const {
    if (const auto *load = dyn_cast<LoadInst>(&use))
      return load->isSimple() && shadowType(load->getType(), layout_);
    if (const auto *store = dyn_cast<StoreInst>(&use))
      return store->isSimple() && store->getValueOperand() != &pointer &&
             shadowType(store->getValueOperand()->getType(), layout_);
    if (isa<MemSetInst>(use))
      return true;
    if (const auto *copy = dyn_cast<MemTransferInst>(&use)) {
      const auto *length = dyn_cast<ConstantInt>(copy->getLength());
      return copy->getRawSource() != &pointer || (length && length->getZExtValue() <= kMostCopied);
    }
    const auto *call = dyn_cast<CallBase>(&use);
    return call && primitiveOf(use) == Primitive::SimdOp && constantArgument(*call, 0);
  }

  // What elements an array has in the end; null for others.
  static Type *elementOf(Type *type) {
    while (auto *array = dyn_cast<ArrayType>(type))
      type = array->getElementType();
    return type->isIntegerTy() || type->isFloatingPointTy() ? type : nullptr;
  }

  // So many bytes of the variable have one of its shadow: those of an element, if elements are accessed one
  // by one.
  uint64_t unitOf(const AllocaInst &variable, ArrayRef<Instruction *> uses) const {
    Type *const element = elementOf(variable.getAllocatedType());
    if (!element || !isa<ArrayType>(variable.getAllocatedType()))
      return 1;
    const uint64_t unit = layout_.getTypeAllocSize(element);
    const auto accessesElements = [&](const Instruction *use) {
      if (const auto *place = dyn_cast<GetElementPtrInst>(use))
        return elementOf(place->getSourceElementType()) == element;
      if (const auto *load = dyn_cast<LoadInst>(use))
        return load->getType() == element;
      if (const auto *store = dyn_cast<StoreInst>(use))
        return store->getValueOperand()->getType() == element;
      const auto *fill = dyn_cast<MemSetInst>(use);
      const auto *length = fill ? dyn_cast<ConstantInt>(fill->getLength()) : nullptr;
      return length && length->getZExtValue() % unit == 0;
    };
    return all_of(uses, accessesElements) ? unit : 1;
  }

  uint64_t shadowBytes(const AllocaInst &variable) const {
    return variable.getAllocationSize(layout_)->getFixedValue() / units_.lookup(&variable);
  }

  // Arrays of elements as arrays of bytes.
  Type *inBytes(Type *type) {
    if (auto *array = dyn_cast<ArrayType>(type))
      return ArrayType::get(inBytes(array->getElementType()), array->getNumElements());
    return b_.getInt8Ty();
  }

  void followElement(Instruction &use, uint64_t unit) {
    b_.SetInsertPoint(use.getNextNode()); // of an access, after its bounds check
    b_.SetCurrentDebugLocation(use.getDebugLoc());
    if (auto *place = dyn_cast<GetElementPtrInst>(&use)) {
      const SmallVector<Value *> indices(place->indices());
      places_[&use] =
          b_.CreateGEP(inBytes(place->getSourceElementType()), places_.lookup(use.getOperand(0)), indices);
    } else if (auto *load = dyn_cast<LoadInst>(&use)) {
      look(load->getPointerOperand(), 0, b_.getInt8Ty(), Align(1));
    } else if (auto *store = dyn_cast<StoreInst>(&use)) {
      const bool written = !isUnwritten(store->getValueOperand());
      markShadowAccess(b_.CreateAlignedStore(b_.getInt8(written ? 0 : 0xff),
                                             places_.lookup(store->getPointerOperand()), Align(1)));
    } else {
      auto &fill = cast<MemSetInst>(use);
      const uint64_t bytes = cast<ConstantInt>(fill.getLength())->getZExtValue();
      markShadowAccess(b_.CreateMemSet(places_.lookup(fill.getRawDest()),
                                       b_.getInt8(isUnwritten(fill.getValue()) ? 0xff : 0), bytes / unit,
                                       Align(1)));
    }
  }

  void follow(Instruction &use) {
    b_.SetInsertPoint(use.getNextNode()); // of an access, after its bounds check
    b_.SetCurrentDebugLocation(use.getDebugLoc());
    if (isa<GetElementPtrInst>(use)) {
      Instruction *copy = use.clone();
      copy->setOperand(0, places_.lookup(use.getOperand(0)));
      places_[&use] = b_.Insert(copy);
    } else if (isa<AddrSpaceCastInst>(use)) {
      places_[&use] = places_.lookup(use.getOperand(0));
    } else if (auto *load = dyn_cast<LoadInst>(&use)) {
      look(load->getPointerOperand(), 0, shadowType(load->getType(), layout_), load->getAlign());
    } else if (auto *store = dyn_cast<StoreInst>(&use)) {
      Type *type = shadowType(store->getValueOperand()->getType(), layout_);
      markShadowAccess(b_.CreateAlignedStore(isUnwritten(store->getValueOperand())
                                                 ? Constant::getAllOnesValue(type)
                                                 : Constant::getNullValue(type),
                                             places_.lookup(store->getPointerOperand()), store->getAlign()));
    } else if (auto *fill = dyn_cast<MemSetInst>(&use)) {
      markShadowAccess(b_.CreateMemSet(places_.lookup(fill->getRawDest()),
                                       b_.getInt8(isUnwritten(fill->getValue()) ? 0xff : 0),
                                       fill->getLength(), fill->getDestAlign()));
    } else if (auto *copy = dyn_cast<MemTransferInst>(&use)) {
      if (places_.contains(copy->getRawSource())) {
        const uint64_t bytes = cast<ConstantInt>(copy->getLength())->getZExtValue();
        lookAtBytes(copy->getRawSource(), bytes, std::min<uint64_t>(4, bytes & -bytes));
      }
      if (Value *to = places_.lookup(copy->getRawDest()))
        markShadowAccess(b_.CreateMemSet(to, b_.getInt8(0), copy->getLength(), copy->getDestAlign()));
    } else {
      meet(cast<CallBase>(use));
    }
  }

  // An operation between lanes reads its operands and writes its result.
  void meet(CallBase &call) {
    const SiteInfo &site = state_.info.sites[siteOf(call)];
    const SimdOpInfo &op = simdOpInfo(site.op);
    const uint64_t element = scalarTypeInfo(site.type).bytes, bytes = element * site.count;
    if (places_.contains(call.getArgOperand(3)))
      lookAtBytes(call.getArgOperand(3), op.inputs * bytes, element);
    if (Value *out = places_.lookup(call.getArgOperand(4)))
      markShadowAccess(b_.CreateMemSet(out, b_.getInt8(0),
                                       op.result == SimdResult::Mask ? sizeof(uint64_t) : bytes, Align(1)));
  }

  void lookAtBytes(Value *pointer, uint64_t bytes, uint64_t each) {
    for (uint64_t at = 0; at < bytes; at += each)
      look(pointer, at, b_.getIntNTy(unsigned(each * 8)), Align(1));
  }

  void look(Value *pointer, uint64_t offset, Type *type, Align align) {
    Value *place = places_.lookup(pointer);
    if (offset)
      place = b_.CreatePtrAdd(place, b_.getInt64(offset));
    Value *bits = markShadowAccess(b_.CreateAlignedLoad(type, place, align)), *any = bits;
    if (const auto *vector = dyn_cast<FixedVectorType>(type)) {
      any = b_.CreateExtractElement(bits, uint64_t(0));
      for (unsigned i = 1; i < vector->getNumElements(); ++i)
        any = b_.CreateOr(any, b_.CreateExtractElement(bits, i));
    }
    Value *set = b_.CreateZExt(b_.CreateICmpNE(any, Constant::getNullValue(any->getType())), b_.getInt32Ty());
    Value *before = markShadowAccess(b_.CreateLoad(b_.getInt32Ty(), found_));
    markShadowAccess(b_.CreateStore(b_.CreateOr(before, set), found_));
  }

  Lowering &state_;
  const DataLayout &layout_;
  IRBuilder<> b_;
  MapVector<AllocaInst *, SmallVector<Instruction *>> shadows_; ///< by variable, what accesses it
  DenseMap<const Value *, Value *> places_;                     ///< in a shadow, by the place in its variable
  DenseMap<const AllocaInst *, uint64_t> units_;                ///< see unitOf
  AllocaInst *found_ = nullptr;
};

} // namespace

bool reportVariableReads(Lowering &state) {
  const bool known = Watch(state).run();
  forgetUnwrittenValues(*state.entry);
  return known;
}

} // namespace assay::lowering
