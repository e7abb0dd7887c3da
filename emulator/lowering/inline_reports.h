// Reports of accesses without a call: the kernel notes them in a log.
//
// Problem.  An observed kernel calls the runtime at each access of each lane. Most of these calls append one
//           entry to a list, or find that nobody wants to know.
// Choice.   The kernel does both itself: it looks whether the observer wants the site (a byte that stays the
//           same for a dispatch), and writes an entry (support/abi/access_log_abi.h). It calls the runtime
//           when the log is full, and for accesses of varying size.
//           This comes after bounds checks, so that no pass takes the log for memory of the kernel. The log
//           overlaps nothing that the kernel accesses, and LLVM is told so.
// Rejected. One entry for all accesses of a loop (base, distance, count): it saves the writing, which is
//           less than what the checkers do with an access, and only loops with known bounds can have it.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// In code for fibers that observes memory.
void inlineReports(Lowering &state);

} // namespace assay::lowering
