// Marks where the program accesses memory that threads share, before any pass removes or moves an access.
//
// Problem.  A checker of races must see what the program says. The optimiser removes a load whose value is
//           not used, takes a stored value from a register, and moves accesses out of loops: for one thread
//           that changes nothing, and between threads it hides the race.
// Choice.   Before the first pass, each plain load, store, copy and fill of device or threadgroup memory gets
//           a call of __assay_access before it. The call claims to touch the host's memory only: it keeps its
//           order among other marks, barriers and atomic operations, and the accesses themselves are
//           optimised as ever. So the bits of results are those of a pipeline without marks. Where a pointer
//           has no address space yet, the mark waits until everything is inlined.
//           A mark of no bytes is about a pointer: what the source promises of its alignment.
// Not here. Atomic operations, which no pass removes: they are reported where they are performed
//           (bounds_checks.cpp). Reads of constant memory: nobody writes it, so what the optimiser leaves of
//           them is reported. Private variables: one thread has them.
// Rejected. Volatile accesses (slow code, and other bits where a sum would be fused). Fewer passes for
//           observed pipelines (who takes part in a simd operation could differ).
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
