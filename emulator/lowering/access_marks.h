// Marks where the program accesses memory that threads share, before any pass removes or moves an access.
//
// Problem.  A checker of races must see the accesses that the source has. The optimiser removes a load whose
//           value is not used, replaces a load by the value that was stored, and moves accesses out of loops.
//           For one thread this changes nothing, but between threads it hides the race.
// Choice.   Before the first pass, a call of __assay_access is put before each plain load, store, copy and
//           fill of device or threadgroup memory. For LLVM, the call touches only the host's memory. So it
//           keeps its order among other marks, barriers and atomic operations, and the accesses themselves
//           are optimised as usual: the results have the bits of a pipeline without marks. If a pointer has
//           no address space yet, the mark is made after everything is inlined.
//           A mark of no bytes gives the alignment that the source promises for a pointer.
// Not here. Atomic operations, which no pass removes; they are reported where they are performed
//           (bounds_checks.cpp). Reads of constant memory: nothing writes it, so only those that the
//           optimiser keeps are reported. Private variables, which belong to one thread.
// Rejected. Volatile accesses: the code is slow, and bits change where a sum would be fused. Fewer passes for
//           observed pipelines: other lanes could take part in a simd operation.
#pragma once

#include "lowering_state.h"

#include <bit>

namespace assay::lowering {

/// Before the first pass sees the function: accesses through pointers whose address space is known. Keeps the
/// calls of __assay_fence.
void markAccesses(llvm::Function &function);
/// After everything is inlined: accesses through generic pointers to what is not a private variable.
void markGenericAccesses(llvm::Function &entry);
/// For pipelines that observe nothing: removes calls of __assay_fence.
void dropFenceMarks(llvm::Function &function);

/// The last argument of a mark: the kind, the alignment that the source promised, and SiteInfo::together.
constexpr uint32_t markedHow(AccessKind kind, uint64_t alignment, bool together = false) {
  return uint32_t(kind) | uint32_t(std::countr_zero(alignment)) << 8 | uint32_t(together) << 16;
}
constexpr bool togetherOfMark(uint32_t how) {
  return how >> 16;
}
constexpr AccessKind kindOfMark(uint32_t how) {
  return AccessKind(how & 0xff);
}
constexpr uint32_t alignmentOfMark(uint32_t how) {
  return 1u << (how >> 8 & 0xff);
}

/// Whether a value leads to marks only: who asks for an argument only to mark it does not use it.
bool onlyMarked(const llvm::Value &value);

} // namespace assay::lowering
