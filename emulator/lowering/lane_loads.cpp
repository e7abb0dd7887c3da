// Loads of what the runtime puts into LaneAbi, GroupAbi and DispatchAbi.
#include "lane_loads.h"

namespace assay::lowering {

using namespace llvm;

Value *LaneLoads::load(Type *type, Value *from, uint64_t offset) {
  auto *load = b.CreateLoad(type, offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, offset) : from);
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

Value *LaneLoads::bufferBase(uint32_t slot, Type *pointerType) {
  return load(pointerType, dispatch(),
              offsetof(DispatchAbi, buffers) + slot * sizeof(BufferAbi) + offsetof(BufferAbi, base));
}

Value *LaneLoads::bufferBytes(uint32_t slot) {
  return load(b.getInt64Ty(), dispatch(),
              offsetof(DispatchAbi, buffers) + slot * sizeof(BufferAbi) + offsetof(BufferAbi, bytes));
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
