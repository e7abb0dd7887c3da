// NaNs as the GPU makes them.
//
// Problem.  Apple's f32 arithmetic that makes a NaN gives 7fc00000, whatever went in (measured on
//           an M4 Max: ti-dot16-nan_payload in tests/conformance/hardware_vectors.tsv). x86 makes ffc00000
//           and lets payloads through. Half is assumed to behave alike (7e00).
// Choice.   A NaN's bits are seen only where a value leaves arithmetic: a store, a bit cast, a call. There a
//           compare and a select replace it by the canonical NaN. Between arithmetic operations nothing is
//           needed, so an accumulator in a loop pays once, after the loop.
// Copies.   A value that was loaded or built from bits keeps its payload. Where arithmetic results and such
//           values meet in a phi, select or vector before they are seen, the arithmetic side is made
//           canonical before they meet. Negation, fabs and copysign are operations on bits: they are done on
//           the canonical value.
// When.     After all IR passes, because to LLVM the bits of a NaN mean nothing and it may undo this; code
//           generation does not (canonical_nan_test.cpp tests the code that runs).
#include "canonical_nan.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/CodeGen/AtomicExpandUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isFloating(const Type *type) {
  const Type *scalar = type->getScalarType();
  return scalar->isFloatTy() || scalar->isHalfTy();
}

bool isSignOperation(const Value &value) {
  if (value.getType()->isFPOrFPVectorTy() && isa<UnaryOperator>(value))
    return true;
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  return call && (call->getIntrinsicID() == Intrinsic::fabs || call->getIntrinsicID() == Intrinsic::copysign);
}

bool isCopy(const Value &value) {
  return isa<PHINode, SelectInst, ShuffleVectorInst, InsertElementInst, ExtractElementInst, FreezeInst>(
      value);
}

// Operands of a copy that supply its bits.
SmallVector<Use *> copiedOperands(Instruction &copy) {
  SmallVector<Use *> operands;
  for (Use &use : copy.operands())
    if (use->getType()->isFPOrFPVectorTy())
      operands.push_back(&use);
  return operands;
}

bool constantIsFine(const Constant &constant) {
  if (const auto *number = dyn_cast<ConstantFP>(&constant))
    return !number->isNaN() ||
           number->getValueAPF().bitwiseIsEqual(APFloat::getQNaN(number->getType()->getFltSemantics()));
  if (isa<UndefValue, ConstantAggregateZero>(constant))
    return true;
  if (const Constant *splat = constant.getType()->isVectorTy() ? constant.getSplatValue() : nullptr)
    return constantIsFine(*splat);
  if (const auto *elements = dyn_cast<ConstantDataVector>(&constant)) {
    for (unsigned i = 0; i < elements->getNumElements(); ++i)
      if (!constantIsFine(*elements->getElementAsConstant(i)))
        return false;
    return true;
  }
  return false;
}

enum Kind : unsigned {
  kNothing = 0,
  kArithmetic = 1, ///< may be any NaN, must be canonical
  kBits = 2,       ///< any NaN, must stay what it is
};

Kind kindOfLeaf(const Value &value) {
  if (const auto *constant = dyn_cast<Constant>(&value))
    return constantIsFine(*constant) ? kNothing : kBits;
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return kBits;
  if (isa<SIToFPInst, UIToFPInst>(instruction))
    return kNothing;
  if (isa<BinaryOperator, FPTruncInst, FPExtInst>(instruction))
    return kArithmetic;
  if (const auto *call = dyn_cast<CallBase>(instruction)) {
    const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    // Masked loads and gathers read memory; whatever else gives a float computes it.
    return intrinsic && !intrinsic->doesNotAccessMemory() ? kBits : kArithmetic;
  }
  return kBits; // loads, bit casts, extractvalue of a cmpxchg
}

class Canonicalizer {
public:
  explicit Canonicalizer(Function &function)
      : function_(function), dominators_(function), loops_(dominators_) {}

  void run() {
    SmallVector<Use *> sinks;
    for (Instruction &instruction : instructions(function_))
      for (Use &use : instruction.operands())
        if (isFloating(use->getType()) && isSink(instruction, use))
          sinks.push_back(&use);
    for (Use *sink : sinks)
      sink->set(canonical(*sink));
  }

private:
  static bool isSink(const Instruction &user, const Use &use) {
    if (isa<StoreInst, BitCastInst, InsertValueInst, ReturnInst, AtomicCmpXchgInst, AtomicRMWInst>(user))
      return true;
    const auto *call = dyn_cast<CallBase>(&user);
    if (!call)
      return false;
    // An intrinsic without memory computes; masked stores and functions of the runtime see the bits.
    const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::copysign)
      return use.getOperandNo() == 1; // its sign is seen
    return !intrinsic || (!intrinsic->doesNotAccessMemory() && !intrinsic->isAssumeLikeIntrinsic());
  }

  // The kinds that a value can have, through copies.
  unsigned kindsOf(Value *value) {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *> work{value};
    unsigned kinds = kNothing;
    while (!work.empty()) {
      Value *current = work.pop_back_val();
      if (!seen.insert(current).second)
        continue;
      if (isCopy(*current)) {
        for (Use *operand : copiedOperands(*cast<Instruction>(current)))
          work.push_back(operand->get());
      } else if (isSignOperation(*current)) {
        // Its own operand must be canonical first; its result must not be changed.
        kinds |= kBits;
        work.push_back(cast<User>(current)->getOperand(0));
      } else {
        kinds |= kindOfLeaf(*current);
      }
    }
    return kinds;
  }

  Value *canonical(const Use &sink) {
    Value *value = sink.get();
    const unsigned kinds = kindsOf(value);
    if (!(kinds & kArithmetic))
      return value;
    if (!(kinds & kBits))
      return select(sink);
    settle(value);
    return value;
  }

  // Makes every arithmetic value canonical before it goes into the copies that lead here.
  void settle(Value *value) {
    SmallVector<Value *> work{value};
    while (!work.empty()) {
      auto *current = dyn_cast<Instruction>(work.pop_back_val());
      if (!current || !(isCopy(*current) || isSignOperation(*current)) || !settled_.insert(current).second)
        continue;
      SmallVector<Use *> operands =
          isCopy(*current) ? copiedOperands(*current) : SmallVector<Use *>{&current->getOperandUse(0)};
      for (Use *operand : operands) {
        Value *from = operand->get();
        if (isCopy(*from) || isSignOperation(*from))
          work.push_back(from);
        else if (kindOfLeaf(*from) == kArithmetic && isFloating(from->getType()))
          operand->set(select(*operand));
      }
    }
  }

  // The value of a use with canonical NaNs: computed at the use, or at the definition if fewer loops surround
  // that.
  Value *select(const Use &use) {
    Value *value = use.get();
    if (made_.contains(value))
      return value;
    auto *definition = cast<Instruction>(value);
    auto *user = cast<Instruction>(use.getUser());
    Instruction *place = user;
    if (auto *phi = dyn_cast<PHINode>(user))
      place = phi->getIncomingBlock(use)->getTerminator();
    IRBuilder<> b(place);
    if (loops_.getLoopDepth(definition->getParent()) < loops_.getLoopDepth(place->getParent())) {
      const BasicBlock::iterator after = *definition->getInsertionPointAfterDef();
      b.SetInsertPoint(after->getParent(), after);
    }
    Value *&known = canonicalIn_[{value, b.GetInsertBlock()}];
    if (known && (b.GetInsertPoint() == b.GetInsertBlock()->end() ||
                  cast<Instruction>(known)->comesBefore(&*b.GetInsertPoint())))
      return known;
    b.SetCurrentDebugLocation(definition->getDebugLoc());
    known = select(b, value);
    made_.insert(known);
    return known;
  }

  static Value *select(IRBuilder<> &b, Value *value) {
    Type *type = value->getType();
    Value *nan = ConstantFP::getQNaN(type);
    if (!type->getScalarType()->isHalfTy())
      return b.CreateSelect(b.CreateFCmpUNO(value, value), nan, value);
    // Compared as integers: halves would be converted to float for it.
    Type *bits = type->getWithNewType(b.getInt16Ty());
    Value *magnitude = b.CreateAnd(b.CreateBitCast(value, bits), ConstantInt::get(bits, 0x7fff));
    return b.CreateSelect(b.CreateICmpUGT(magnitude, ConstantInt::get(bits, 0x7c00)), nan, value);
  }

  Function &function_;
  DominatorTree dominators_;
  LoopInfo loops_;
  DenseMap<std::pair<Value *, BasicBlock *>, Value *> canonicalIn_;
  SmallPtrSet<Value *, 32> made_;
  SmallPtrSet<Value *, 32> settled_;
};

} // namespace

bool expandFloatAtomics(Function &function) {
  SmallVector<AtomicRMWInst *> updates;
  for (Instruction &instruction : instructions(function))
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction); update && update->isFloatingPointOperation())
      updates.push_back(update);
  for (AtomicRMWInst *update : updates)
    expandAtomicRMWToCmpXchg(update, [](IRBuilderBase &b, Value *address, Value *loaded, Value *changed,
                                        Align align, AtomicOrdering ordering, SyncScope::ID scope,
                                        Value *&success, Value *&reloaded) {
      Type *type = changed->getType();
      Type *bits = b.getIntNTy(type->getPrimitiveSizeInBits());
      auto *exchange =
          b.CreateAtomicCmpXchg(address, b.CreateBitCast(loaded, bits), b.CreateBitCast(changed, bits), align,
                                ordering, AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
      success = b.CreateExtractValue(exchange, 1);
      reloaded = b.CreateBitCast(b.CreateExtractValue(exchange, 0), type);
    });
  return !updates.empty();
}

void canonicalizeNans(Function &function) {
  Canonicalizer(function).run();
}

} // namespace assay::lowering
