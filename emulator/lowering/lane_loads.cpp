// Loads of what the runtime puts into LaneAbi, GroupAbi and DispatchAbi.
#include "lane_loads.h"

namespace assay::lowering {

using namespace llvm;

Value *LaneLoads::load(Type *type, Value *from, uint64_t offset) {
  auto *load = b.CreateLoad(type, offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, offset) : from);
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

// So that LLVM may load from there before it is known that the kernel needs it.
Value *LaneLoads::loadPointer(Value *from, uint64_t offset, uint64_t bytes) {
  auto *pointer = cast<LoadInst>(load(b.getPtrTy(), from, offset));
  const auto number = [&](uint64_t value) {
    return MDNode::get(b.getContext(), ConstantAsMetadata::get(b.getInt64(value)));
  };
  pointer->setMetadata(LLVMContext::MD_dereferenceable, number(bytes));
  pointer->setMetadata(LLVMContext::MD_align, number(alignof(void *)));
  return pointer;
}

Value *LaneLoads::bufferBase(uint32_t slot, Type *pointerType) {
  return load(pointerType, dispatch(),
              offsetof(DispatchAbi, buffers) + slot * sizeof(BufferAbi) + offsetof(BufferAbi, base));
}

Value *LaneLoads::tensorRecord(uint32_t slot, Type *pointerType) {
  return load(pointerType, dispatch(), offsetof(DispatchAbi, tensors) + slot * sizeof(const TensorAbi *));
}

Value *LaneLoads::bufferBytes(uint32_t slot) {
  return load(b.getInt64Ty(), dispatch(),
              offsetof(DispatchAbi, buffers) + slot * sizeof(BufferAbi) + offsetof(BufferAbi, bytes));
}

Value *LaneLoads::bufferBytesBefore(uint32_t slot) {
  return load(b.getInt64Ty(), dispatch(),
              offsetof(DispatchAbi, buffers) + slot * sizeof(BufferAbi) + offsetof(BufferAbi, before));
}

Value *LaneLoads::threadgroupSlot(uint32_t slot, Type *pointerType) {
  Value *offset =
      load(b.getInt32Ty(), dispatch(), offsetof(DispatchAbi, threadgroupOffset) + slot * sizeof(uint32_t));
  return b.CreatePtrAdd(arena(pointerType), b.CreateZExt(offset, b.getInt64Ty()));
}

Value *LaneLoads::threadgroupSlotBytes(uint32_t slot) {
  return b.CreateZExt(
      load(b.getInt32Ty(), dispatch(), offsetof(DispatchAbi, threadgroupBytes) + slot * sizeof(uint32_t)),
      b.getInt64Ty());
}

Value *LaneLoads::builtin(Builtin builtin, uint32_t component) {
  const bool ofLane = builtinInfo(builtin).scope == BuiltinScope::Lane;
  const uint64_t place = (static_cast<uint64_t>(builtin) * 3 + component) * sizeof(uint32_t);
  return ofLane ? load(b.getInt32Ty(), lane, offsetof(LaneAbi, builtin) + place)
                : load(b.getInt32Ty(), group(), offsetof(GroupAbi, builtin) + place);
}

} // namespace assay::lowering
