// Marks where the program accesses memory that threads share, before any pass removes or moves an access.
//
// Problem.  A checker of races must see the accesses that the source has. The optimiser removes a load whose
//           value is not used, replaces a load by the value that was stored, and moves accesses out of loops.
//           For one thread this changes nothing, but between threads it hides the race.
// Choice.   Before the first pass, a call of __assay_access is put before each plain load, store, copy and
//           fill of device or threadgroup memory. For LLVM, the call touches only the host's memory. So the
//           call keeps its order among other marks, barriers and atomic operations, while the accesses
//           themselves are optimised as usual. The results have the same bits as those of a pipeline without
//           marks. If a pointer has no address space yet, the mark is made after everything is inlined.
//           A mark of no bytes gives the alignment that the source promises for a pointer.
// Not here. Atomic operations, which no pass removes; they are reported where they are performed
//           (access_reports.cpp). Reads of constant memory: nothing writes this memory, so only the reads
//           that the optimiser keeps are reported. Private variables, which belong to one thread.
// Rejected. Volatile accesses: the code is slow, and bits change where a sum would be fused. Fewer passes for
//           observed pipelines: other lanes could take part in a simd operation.
#pragma once

#include "lowering_state.h"

#include <bit>

namespace assay::lowering {

/// Marks accesses through pointers whose address space is known. Runs before the first pass sees the
/// function. Keeps the calls of __assay_fence.
void markAccesses(llvm::Function &function);
/// Marks accesses through generic pointers, except to private variables. Runs after everything is inlined.
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

/// Whether only marks use a value, directly or through casts. An argument that is only marked counts as
/// unused.
bool onlyMarked(const llvm::Value &value);

} // namespace assay::lowering
