// See independent_threads.h.
#include "independent_threads.h"

#include "memory_accesses.h"
#include "primitives.h"

#include "support/abi/module_info.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace assay::lowering {
namespace {

using namespace llvm;

/// Whether the call neither orders threads nor accesses memory, except what memoryAccesses lists.
bool isHarmless(const CallBase &call) {
  if (const auto primitive = primitiveOf(call))
    return *primitive == Primitive::BufferDevice || *primitive == Primitive::BufferConstant ||
           *primitive == Primitive::Builtin;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    if (isa<AnyMemIntrinsic>(intrinsic) || intrinsic->isAssumeLikeIntrinsic())
      return true;
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && call.doesNotAccessMemory();
}

/// The slot of the buffer into which the pointer points; nullopt if it is not an argument.
std::optional<uint32_t> bufferOf(const Value *root) {
  const auto *call = dyn_cast<CallBase>(root);
  const auto primitive = call ? primitiveOf(*call) : std::nullopt;
  if (primitive != Primitive::BufferDevice && primitive != Primitive::BufferConstant)
    return std::nullopt;
  const auto slot = constantArgument(*call, 0);
  return slot && *slot < 32 ? slot : std::nullopt;
}

/// Whether the addresses to which threads store in this place are equal, or at least `bytes` apart. Nothing
/// is known of the buffer's own alignment.
bool areApart(const Value *pointer, uint64_t bytes, const DataLayout &layout) {
  while (const auto *step = dyn_cast<GEPOperator>(pointer)) {
    MapVector<Value *, APInt> variable;
    APInt constant(64, 0);
    if (!step->collectOffset(layout, 64, variable, constant))
      return false;
    for (const auto &[index, scale] : variable)
      if (scale.srem(bytes) != 0)
        return false;
    pointer = step->getPointerOperand();
  }
  return bufferOf(pointer).has_value();
}

/// What the accesses looked at so far load from and store to.
struct Buffers {
  uint32_t read = 0, written = 0;

  /// False if threads may see it.
  bool add(const MemoryAccess &access, const DataLayout &layout) {
    SmallVector<const Value *, 4> roots;
    getUnderlyingObjects(access.pointer, roots, nullptr, 0);
    if (access.kind == AccessKind::Atomic)
      return false;
    for (const Value *root : roots) {
      if (isa<AllocaInst>(root))
        continue;
      const auto *global = dyn_cast<GlobalVariable>(root);
      if (global && global->isConstant() && access.kind == AccessKind::Read)
        continue;
      const auto slot = bufferOf(root);
      if (!slot)
        return false;
      const uint32_t bit = 1u << *slot;
      if (access.kind == AccessKind::Read) {
        read |= bit;
        continue;
      }
      if (written & bit || !access.bytes || !areApart(access.pointer, access.bytes, layout))
        return false;
      written |= bit;
    }
    return true;
  }
};

} // namespace

std::optional<uint32_t> buffersOfIndependentThreads(const Function &kernel) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> loops;
  FindFunctionBackedges(kernel, loops);
  if (!loops.empty())
    return std::nullopt;
  Buffers buffers;
  for (const Instruction &instruction : instructions(kernel)) {
    if (instruction.isAtomic() || instruction.isVolatile())
      return std::nullopt;
    if (const auto *call = dyn_cast<CallBase>(&instruction); call && !isHarmless(*call))
      return std::nullopt;
    const DataLayout &layout = instruction.getDataLayout();
    for (const MemoryAccess &access : memoryAccesses(const_cast<Instruction &>(instruction), layout))
      if (!buffers.add(access, layout))
        return std::nullopt;
  }
  if (buffers.read & buffers.written)
    return std::nullopt;
  return buffers.written;
}

} // namespace assay::lowering
