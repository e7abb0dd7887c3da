// See unwritten_values.h.
#include "unwritten_values.h"

#include "primitives.h"

#include "support/abi/unwritten_text.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// The type of the scalar at that place in memory of that type; null if there is none.
Type *scalarAt(Type *type, uint64_t offset, const DataLayout &layout) {
  while (type->isAggregateType() || type->isVectorTy()) {
    if (auto *record = dyn_cast<StructType>(type)) {
      if (!record->getNumElements() || offset >= layout.getTypeAllocSize(type))
        return nullptr;
      const StructLayout *places = layout.getStructLayout(record);
      const unsigned member = places->getElementContainingOffset(offset);
      offset -= places->getElementOffset(member);
      type = record->getElementType(member);
    } else {
      type = isa<ArrayType>(type) ? type->getArrayElementType() : cast<VectorType>(type)->getElementType();
      offset %= layout.getTypeAllocSize(type).getFixedValue();
    }
  }
  return offset ? nullptr : type;
}

class Giver {
public:
  Giver(Lowering &state, AllocaInst &variable)
      : state_(state), variable_(variable), layout_(variable.getDataLayout()) {}

  void run(const UnwrittenVariable &text) {
    SmallVector<Instruction *> places;
    for (User *user : variable_.users())
      if (auto *intrinsic = dyn_cast<IntrinsicInst>(user);
          intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_start)
        places.push_back(intrinsic->getNextNode());
    if (places.empty()) {
      Instruction *after = variable_.getNextNode();
      while (isa<AllocaInst>(after))
        after = after->getNextNode();
      places.push_back(after);
    }
    for (const UnwrittenPart &part : text.parts) {
      if (uint64_t(part.offset) + part.bytes > layout_.getTypeAllocSize(variable_.getAllocatedType()))
        continue; // not the memory that the text is about
      state_.info.births.push_back({part.name, text.where});
      for (Instruction *place : places)
        give(part, *place);
    }
  }

private:
  void give(const UnwrittenPart &part, Instruction &place) {
    IRBuilder<> b(&place);
    Type *type = scalarAt(variable_.getAllocatedType(), part.offset, layout_);
    const bool scalar = !part.stride && isPowerOf2_32(part.bytes) && part.bytes <= 8;
    if (!type || type->isPointerTy() || layout_.getTypeStoreSize(type) != part.bytes)
      type = b.getIntNTy(8 * (scalar ? part.bytes : 1));
    if (!scalar)
      type = b.getInt8Ty();
    Value *value = b.CreateCall(unwritten(type), {b.getInt32(uint32_t(state_.info.births.size()))});
    Value *memory = part.offset ? b.CreatePtrAdd(&variable_, b.getInt64(part.offset)) : &variable_;
    const Align align = commonAlignment(variable_.getAlign(), part.offset);
    if (scalar)
      b.CreateAlignedStore(value, memory, align);
    else
      b.CreateMemSet(memory, value, part.bytes, align);
  }

  FunctionCallee unwritten(Type *type) {
    std::string name = kUnwrittenValue.str() + ".";
    raw_string_ostream(name) << *type;
    FunctionCallee callee =
        state_.module->getOrInsertFunction(name, type, Type::getInt32Ty(type->getContext()));
    cast<Function>(callee.getCallee())->setAttributes(effectsOfUnwritten(type->getContext()));
    return callee;
  }

  Lowering &state_;
  AllocaInst &variable_;
  const DataLayout &layout_;
};

} // namespace

AttributeList effectsOfUnwritten(LLVMContext &context) {
  AttributeList list;
  for (auto kind : {Attribute::NoUnwind, Attribute::NoFree, Attribute::NoSync, Attribute::WillReturn,
                    Attribute::NoCallback, Attribute::Speculatable})
    list = list.addFnAttribute(context, kind);
  return list.addFnAttribute(context, Attribute::getWithMemoryEffects(context, MemoryEffects::none()));
}

void giveUnwrittenValues(Lowering &state, Function &function) {
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : instructions(function))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction);
        variable && variable->hasMetadata(kUnwritten) && !variable->isArrayAllocation())
      variables.push_back(variable);
  for (AllocaInst *variable : variables) {
    const auto *text = cast<MDString>(variable->getMetadata(kUnwritten)->getOperand(0));
    if (const auto parsed = unwrittenVariableOf(text->getString()))
      Giver(state, *variable).run(*parsed);
  }
}

bool forgetUnwrittenValues(Function &function) {
  bool any = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (primitiveOf(instruction) == Primitive::UnwrittenValue) {
      instruction.replaceAllUsesWith(Constant::getNullValue(instruction.getType()));
      instruction.eraseFromParent();
      any = true;
    }
  return any;
}

} // namespace assay::lowering
