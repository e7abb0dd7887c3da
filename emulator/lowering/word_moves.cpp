// See word_moves.h.
#include "word_moves.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

bool isSmallFloat(const Value *value) {
  const Type *type = value->getType()->getScalarType();
  return type->isBFloatTy() || type->isHalfTy();
}

bool touchesSmallFloat(const Instruction &instruction) {
  return isSmallFloat(&instruction) ||
         any_of(instruction.operands(), [](const Use &use) { return isSmallFloat(use); });
}

class Mover {
public:
  explicit Mover(Function &function) : function_(function) {}

  void run() {
    SmallVector<Instruction *> work; // definitions before uses, but for phis
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block)
        if (touchesSmallFloat(instruction))
          work.push_back(&instruction);
    for (Instruction *instruction : work)
      rewrite(*instruction);
    for (auto [old, phi] : phis_)
      for (unsigned i = 0; i < old->getNumIncomingValues(); ++i)
        phi->addIncoming(word(old->getIncomingValue(i)), old->getIncomingBlock(i));
    for (Instruction *old : replaced_) {
      old->replaceAllUsesWith(PoisonValue::get(old->getType()));
      old->eraseFromParent();
    }
  }

private:
  static Type *wordType(Type *type) { return type->getWithNewType(Type::getInt16Ty(type->getContext())); }

  Value *word(Value *value) {
    if (auto *constant = dyn_cast<Constant>(value))
      return ConstantExpr::getBitCast(constant, wordType(value->getType()));
    Value *&known = words_[value];
    if (!known) // of code that cannot be reached
      known = PoisonValue::get(wordType(value->getType()));
    return known;
  }

  // What moves, as words; null for anything else.
  Value *moved(Instruction &instruction, IRBuilder<> &b) {
    const auto operand = [&](unsigned i) {
      Value *value = instruction.getOperand(i);
      return isSmallFloat(value) ? word(value) : value;
    };
    switch (instruction.getOpcode()) {
    case Instruction::Load: {
      auto &load = cast<LoadInst>(instruction);
      LoadInst *made = b.CreateAlignedLoad(wordType(load.getType()), load.getPointerOperand(),
                                           load.getAlign(), load.isVolatile());
      made->setAtomic(load.getOrdering(), load.getSyncScopeID());
      made->copyMetadata(load);
      return made;
    }
    case Instruction::Store: {
      auto &store = cast<StoreInst>(instruction);
      StoreInst *made =
          b.CreateAlignedStore(operand(0), store.getPointerOperand(), store.getAlign(), store.isVolatile());
      made->setAtomic(store.getOrdering(), store.getSyncScopeID());
      made->copyMetadata(store);
      return made;
    }
    case Instruction::PHI: {
      PHINode *made =
          b.CreatePHI(wordType(instruction.getType()), cast<PHINode>(instruction).getNumIncomingValues());
      phis_.push_back({cast<PHINode>(&instruction), made});
      return made;
    }
    case Instruction::Select: return b.CreateSelect(operand(0), operand(1), operand(2));
    case Instruction::InsertElement: return b.CreateInsertElement(operand(0), operand(1), operand(2));
    case Instruction::ExtractElement: return b.CreateExtractElement(operand(0), operand(1));
    case Instruction::ShuffleVector:
      return b.CreateShuffleVector(operand(0), operand(1),
                                   cast<ShuffleVectorInst>(instruction).getShuffleMask());
    case Instruction::Freeze: return b.CreateFreeze(operand(0));
    case Instruction::BitCast: {
      Type *to = instruction.getType();
      return b.CreateBitCast(operand(0), isSmallFloat(&instruction) ? wordType(to) : to);
    }
    case Instruction::Call: return movedByMask(cast<CallInst>(instruction), b);
    default: return nullptr;
    }
  }

  // The accesses of vector code (vector/memory.cpp).
  Value *movedByMask(CallInst &call, IRBuilder<> &b) {
    const auto alignment = [&](unsigned i) {
      return cast<ConstantInt>(call.getArgOperand(i))->getMaybeAlignValue();
    };
    Value *first = call.getArgOperand(0);
    switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
      return b.CreateMaskedLoad(wordType(call.getType()), first, *alignment(1), call.getArgOperand(2),
                                word(call.getArgOperand(3)));
    case Intrinsic::masked_gather:
      return b.CreateMaskedGather(wordType(call.getType()), first, *alignment(1), call.getArgOperand(2),
                                  word(call.getArgOperand(3)));
    case Intrinsic::masked_store:
      return b.CreateMaskedStore(word(first), call.getArgOperand(1), *alignment(2), call.getArgOperand(3));
    case Intrinsic::masked_scatter:
      return b.CreateMaskedScatter(word(first), call.getArgOperand(1), *alignment(2), call.getArgOperand(3));
    default: return nullptr;
    }
  }

  void rewrite(Instruction &instruction) {
    IRBuilder<> b(&instruction);
    if (Value *made = moved(instruction, b)) {
      if (isSmallFloat(&instruction))
        words_[&instruction] = made;
      else
        instruction.replaceAllUsesWith(made);
      replaced_.push_back(&instruction);
      return;
    }
    for (Use &use : instruction.operands())
      if (isSmallFloat(use) && !isa<Constant>(use))
        use = b.CreateBitCast(word(use), use->getType());
    if (!isSmallFloat(&instruction))
      return;
    b.SetInsertPoint(instruction.getNextNode());
    words_[&instruction] = b.CreateBitCast(&instruction, wordType(instruction.getType()));
  }

  Function &function_;
  DenseMap<Value *, Value *> words_;
  SmallVector<std::pair<PHINode *, PHINode *>> phis_; // old and new
  SmallVector<Instruction *> replaced_;
};

} // namespace

void moveSmallFloatsAsWords(Function &function) {
  if (any_of(instructions(function), touchesSmallFloat))
    Mover(function).run();
}

} // namespace assay::lowering
