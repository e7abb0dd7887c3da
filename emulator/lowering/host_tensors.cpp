#include "host_tensors.h"

#include "primitives.h"

#include "support/abi/tensor_abi.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// The slot of the argument that the record belongs to; null if it is not known.
Value *slotOf(Value *record) {
  const auto *call = dyn_cast<CallBase>(record->stripPointerCasts());
  if (!call || primitiveOf(*call) != Primitive::TensorRecord || !constantArgument(*call, 0))
    return nullptr;
  return call->getArgOperand(0);
}

Value *loadFrom(IRBuilder<> &b, Value *record, Value *offset, Type *type) {
  return b.CreateAlignedLoad(type, b.CreatePtrAdd(record, offset), Align(8));
}

Value *elementsOf(IRBuilder<> &b, CallBase &call, StringRef buffer) {
  Value *record = call.getArgOperand(0);
  if (Value *slot = slotOf(record)) {
    Module &module = *call.getModule();
    const FunctionCallee bound = module.getOrInsertFunction(
        buffer, FunctionType::get(call.getType(), {b.getInt32Ty()}, /*isVarArg=*/false));
    declareEffects(module);
    return b.CreateCall(bound, {slot});
  }
  return loadFrom(b, record, b.getInt64(offsetof(TensorAbi, first)), call.getType());
}

Value *replacementOf(CallBase &call, Primitive primitive) {
  IRBuilder<> b(&call);
  switch (primitive) {
  case Primitive::TensorField: {
    Value *field = b.CreateZExt(call.getArgOperand(1), b.getInt64Ty());
    Value *offset = b.CreateAdd(b.CreateMul(field, b.getInt64(sizeof(int64_t))),
                                b.getInt64(offsetof(TensorAbi, extents)));
    return loadFrom(b, call.getArgOperand(0), offset, call.getType());
  }
  case Primitive::TensorDevice: return elementsOf(b, call, kBufferDevice);
  case Primitive::TensorConstant: return elementsOf(b, call, kBufferConstant);
  case Primitive::TensorScalesDevice:
  case Primitive::TensorScalesConstant:
    return loadFrom(b, call.getArgOperand(0), b.getInt64(offsetof(TensorAbi, scales)), call.getType());
  default: return nullptr;
  }
}

} // namespace

void resolveHostTensors(Lowering &state) {
  for (Instruction &instruction : make_early_inc_range(instructions(*state.entry))) {
    const std::optional<Primitive> primitive = primitiveOf(instruction);
    Value *value = primitive ? replacementOf(cast<CallBase>(instruction), *primitive) : nullptr;
    if (!value)
      continue;
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
  }
}

} // namespace assay::lowering
