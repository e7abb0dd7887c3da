// Reports accesses without calls: the kernel itself writes them to a log.
//
// Problem.  An observed kernel calls the runtime at each access of each lane. Most of these calls append one
//           entry to a list, or find that the observer does not want the site.
// Choice.   The kernel does both itself. It tests whether the observer wants the site (a byte that is
//           constant for a dispatch), and writes an entry (support/abi/access_log_abi.h). It calls the
//           runtime when the log is full, and for accesses of varying size.
//           This pass comes after bounds checks, so that no pass takes the log for memory of the kernel. The
//           log overlaps nothing that the kernel accesses, and LLVM is told so.
// Rejected. One entry (base, distance, count) for all accesses of a loop: it would save the writing of
//           entries, which costs less than what the checkers do with them, and it works only for loops with
//           known bounds.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// In code for fibers that observes memory.
void inlineReports(Lowering &state);

} // namespace assay::lowering
