// See access_marks.h.
#include "access_marks.h"

#include "memory_accesses.h"
#include "primitives.h"

#include "support/abi/module_info.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <string>

namespace assay::lowering {
namespace {

using namespace llvm;

FunctionCallee markFor(Module &module, Type *pointer) {
  LLVMContext &context = module.getContext();
  const std::string name = kAccess.str() + "." + std::to_string(pointer->getPointerAddressSpace());
  FunctionCallee callee = module.getOrInsertFunction(name, Type::getVoidTy(context), pointer,
                                                     Type::getInt64Ty(context), Type::getInt32Ty(context));
  auto *function = cast<Function>(callee.getCallee());
  for (auto kind : {Attribute::NoUnwind, Attribute::NoFree, Attribute::NoMerge, Attribute::WillReturn,
                    Attribute::NoCallback})
    function->addFnAttr(kind);
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  function->addParamAttr(0, Attribute::NoCapture);
  function->addParamAttr(0, Attribute::ReadNone);
  return callee;
}

// In the shim's functions that load and store the elements of a simdgroup_matrix.
bool isOfMatrix(const Instruction &instruction) {
  const Function &function = *instruction.getFunction();
  return function.hasFnAttribute(kShimFunction) &&
         (function.getName().contains("12loadElements") || function.getName().contains("13storeElements"));
}

void mark(Instruction &instruction, const MemoryAccess &access, Value *pointer) {
  IRBuilder<> b(&instruction); // with its debug location
  Value *bytes = access.varyingBytes ? b.CreateZExtOrTrunc(access.varyingBytes, b.getInt64Ty())
                                     : b.getInt64(access.bytes);
  b.CreateCall(
      markFor(*instruction.getModule(), pointer->getType()),
      {pointer, bytes, b.getInt32(markedHow(access.kind, access.alignment, isOfMatrix(instruction)))});
}

// Vectors are classes, whose functions and copies take generic pointers. Where these come from device or
// threadgroup memory, what is promised of them is noted here: later nobody knows it.
void markPromise(Instruction &instruction, Value &pointer, uint64_t alignment) {
  if (alignment <= 1 || !pointer.getType()->isPointerTy() ||
      pointer.getType()->getPointerAddressSpace() != kIrThread)
    return;
  const unsigned space = getUnderlyingObject(&pointer, 0)->getType()->getPointerAddressSpace();
  if (space != kIrDevice && space != kIrThreadgroup)
    return;
  IRBuilder<> b(&instruction);
  Value *shared = b.CreateAddrSpaceCast(&pointer, b.getPtrTy(space));
  b.CreateCall(markFor(*instruction.getModule(), shared->getType()),
               {shared, b.getInt64(0), b.getInt32(markedHow(AccessKind::Read, alignment))});
}

void markPromises(Instruction &instruction, const DataLayout &layout) {
  for (const MemoryAccess &access : memoryAccesses(instruction, layout))
    markPromise(instruction, *access.pointer, access.alignment);
  if (auto *call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call))
    for (unsigned i = 0; i < call->arg_size(); ++i)
      markPromise(instruction, *call->getArgOperand(i), call->getParamAlign(i).valueOrOne().value());
}

// The pointer to mark, or null.
using Chosen = Value *(*)(Value *pointer);

Value *inSharedSpace(Value *pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == kIrDevice || space == kIrThreadgroup ? pointer : nullptr;
}

Value *genericToShared(Value *pointer) {
  if (pointer->getType()->getPointerAddressSpace() != kIrThread)
    return nullptr;
  const Value *object = getUnderlyingObject(pointer, 0);
  const unsigned space = object->getType()->getPointerAddressSpace();
  return isa<AllocaInst>(object) || space == kIrConstant || (isa<Constant>(object) && space == kIrThread)
             ? nullptr
             : pointer;
}

void markThrough(Function &function, Chosen chosen) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    for (const MemoryAccess &access : memoryAccesses(instruction, layout))
      if (access.kind != AccessKind::Atomic)
        if (Value *pointer = chosen(access.pointer))
          mark(instruction, access, pointer);
}

} // namespace

void markAccesses(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    markPromises(instruction, layout);
  markThrough(function, inSharedSpace);
}

void markGenericAccesses(Function &entry) {
  markThrough(entry, genericToShared);
}

void dropFenceMarks(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (primitiveOf(instruction) == Primitive::Fence)
      instruction.eraseFromParent();
}

bool onlyMarked(const Value &value) {
  return !value.use_empty() && all_of(value.users(), [](const User *user) {
    if (isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst>(user))
      return onlyMarked(*user);
    return primitiveOf(*user) == Primitive::Access;
  });
}

} // namespace assay::lowering
