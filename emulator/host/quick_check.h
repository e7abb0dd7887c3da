// A checked dispatch that runs on vectors first.
//
// Problem.  A run under the checkers needs fibers, and fibers alone cost many times as much as vectors.
//           Almost every run has no finding.
// Choice.   The dispatch runs on vectors first, and reports to the checkers by simdgroup. The engine does not
//           change whether accesses race, which threads come to a barrier, and which lanes are read. So if a
//           run on vectors has no finding, a run on fibers has none either, and the results are kept. If
//           there is a finding or a fault, the bytes that the kernel has written are restored, and the
//           dispatch runs on fibers with all checkers. The findings and the results are those of that run.
//           First, a filter decides whether there may be a race (validation/race_filter.h). It knows less
//           than the checker of races, and costs a fraction. If the filter is in doubt, the checker of races
//           runs, also on vectors. Shadows of values are not computed on vectors. Instead, the run must read
//           neither unwritten memory (validation/unwritten_reads.h) nor an unwritten part of a variable
//           (lowering/vector/variable_reads.h).
// Exact.    After a race, a value may differ and lead an engine anywhere; but then the race itself is found.
//           So rules about values are checked on vectors only together with the rules about races.
// Rejected. The findings of the run on vectors: they are in the order of instructions, not of lanes, which
//           also decides which of several equal findings is reported. To get the same reports, all events
//           would have to be sorted by lane again. Shadows on vectors: an origin has 64 bits for each lane,
//           which is four registers of the widest CPU for each value, and most kernels never read unwritten
//           memory.
// Beside.   Another queue, or the host, may write to the same pages at the same time. So only the bytes that
//           the dispatch has reported as written are restored.
// Limit.    After a trap, a stack overflow or a stop, it may have written bytes without a report. Then all
//           bytes of pages that have changed are restored.
//           Copies of more than a gigabyte are not made; such a dispatch runs on fibers.
#pragma once

#include "kernel_codes.h"

#include "../runtime/dispatch.h"
#include "../validation/rules.h"

#include <chrono>
#include <optional>
#include <vector>

namespace assay::detail {

/// The report of a run without findings. nullopt: it has to run on fibers; memory is as it was before.
///   request     as for the run under the checkers, with no observer yet
///   arguments   of the kernel, those that exist
///   unwritten   bound memory that nobody has written
///   codeTime    grows by what making the code takes
std::optional<runtime::DispatchReport> runWithoutFindings(const runtime::DispatchRequest &request,
                                                          const KernelCodes &codes, CheckRules rules,
                                                          const std::vector<ArgumentInfo> &arguments,
                                                          const std::vector<UnwrittenMemory> &unwritten,
                                                          std::chrono::nanoseconds &codeTime);

} // namespace assay::detail
