// See independent_threads.h.
#include "independent_threads.h"

#include "memory_accesses.h"
#include "primitives.h"

#include "support/abi/limits.h"
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
  return slot && *slot < kBufferSlots ? slot : std::nullopt;
}

/// How the address of an access depends on the thread.
struct Steps {
  std::optional<uint32_t> buffer;
  MapVector<Value *, APInt> variable; ///< indices with their factors
  APInt constant{64, 0};

  Steps(const Value *pointer, const DataLayout &layout) {
    while (const auto *step = dyn_cast<GEPOperator>(pointer)) {
      if (!step->collectOffset(layout, 64, variable, constant))
        return;
      pointer = step->getPointerOperand();
    }
    buffer = bufferOf(pointer);
  }

  /// Whether the addresses of two threads are equal, or at least `bytes` apart. Nothing is known of the
  /// buffer's own alignment.
  bool areApart(uint64_t bytes) const {
    return buffer && all_of(variable, [&](const auto &index) { return index.second.srem(bytes) == 0; });
  }

  /// Whether the thread in column x of the grid accesses the element x.
  bool isOwnElement(uint64_t bytes) const {
    if (!buffer || variable.size() != 1 || constant != 0 || variable.front().second != bytes)
      return false;
    const Value *index = variable.front().first;
    while (isa<ZExtInst, SExtInst>(index))
      index = cast<CastInst>(index)->getOperand(0);
    const auto *call = dyn_cast<CallBase>(index);
    return call && primitiveOf(*call) == Primitive::Builtin &&
           constantArgument(*call, 0) == uint32_t(Builtin::ThreadPositionInGrid) &&
           constantArgument(*call, 1) == 0u;
  }
};

/// What the accesses looked at so far load from and store to.
struct Buffers {
  uint32_t read = 0, written = 0;
  uint32_t foreign = 0;                     ///< with an access to an element that is not the thread's own
  std::array<uint64_t, kBufferSlots> own{}; ///< the size of own elements; 0: none is accessed

  /// False if threads may see it.
  bool add(const MemoryAccess &access, const DataLayout &layout) {
    SmallVector<const Value *, 4> roots;
    getUnderlyingObjects(access.pointer, roots, nullptr, 0);
    if (access.kind == AccessKind::Atomic)
      return false;
    const Steps steps(access.pointer, layout);
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
      } else {
        if (written & bit || !access.bytes || !steps.areApart(access.bytes))
          return false;
        written |= bit;
      }
      if (!access.bytes || !steps.isOwnElement(access.bytes) || (own[*slot] && own[*slot] != access.bytes))
        foreign |= bit;
      own[*slot] = access.bytes;
    }
    return true;
  }

  IndependentThreads found() const {
    const uint32_t both = read & written;
    if (both & foreign)
      return {};
    IndependentThreads threads{true, written, 0, both != 0};
    uint64_t bytes = 0; // of the first own elements that are written
    for (uint32_t slot = 0; slot < kBufferSlots && !bytes; ++slot)
      if (written & ~foreign & 1u << slot)
        bytes = own[slot];
    for (uint32_t slot = 0; slot < kBufferSlots; ++slot)
      if (bytes && own[slot] == bytes && (read | written) & ~foreign & 1u << slot)
        threads.ownElements |= 1u << slot;
    return threads;
  }
};

} // namespace

IndependentThreads findIndependentThreads(const Function &kernel) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> loops;
  FindFunctionBackedges(kernel, loops);
  if (!loops.empty())
    return {};
  Buffers buffers;
  for (const Instruction &instruction : instructions(kernel)) {
    if (instruction.isAtomic() || instruction.isVolatile())
      return {};
    if (const auto *call = dyn_cast<CallBase>(&instruction); call && !isHarmless(*call))
      return {};
    const DataLayout &layout = instruction.getDataLayout();
    for (const MemoryAccess &access : memoryAccesses(const_cast<Instruction &>(instruction), layout))
      if (!buffers.add(access, layout))
        return {};
  }
  return buffers.found();
}

} // namespace assay::lowering
