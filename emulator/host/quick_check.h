// A checked dispatch that runs on vectors first.
//
// Problem.  A run under the checkers is one of fibers, and that alone costs many times what a run on vectors
//           does. Almost every run has nothing to find.
// Choice.   The dispatch runs on vectors first, and reports to the checkers by simdgroup. Whether accesses
//           race, who comes to a barrier and which lanes are read does not depend on the engine, so a run
//           without a finding on vectors is one without a finding on fibers, and its results stand. If there
//           is a finding, or a fault, what the kernel has written is put back, and the dispatch runs on
//           fibers with all checkers: they have the words and the results.
//           A filter says first whether there may be a race (validation/race_filter.h): it knows less than
//           the checker of races and costs a fraction. Where it has doubts the checker runs, on vectors, too.
//           Shadows of values are not computed on vectors. Instead the run must read no memory that nobody
//           has written (validation/unwritten_reads.h), and the kernel must have no variable without a value.
// Exact.    A value of unknown origin in a race may lead an engine anywhere, but then there is the race. So
//           rules of values go to vectors only together with those of races.
// Rejected. Findings of the run on vectors (their order, and so which of equal ones is told, is that of
//           instructions and not of lanes; to keep the words means to sort all events by lanes again).
//           Shadows on vectors (an origin has 64 bits for each lane, four registers of the widest CPU beside
//           each value; and most kernels never read what nobody has written).
// Beside.   Others may write to the same pages meanwhile: another queue, or the host. So the bytes that are
//           put back are those that the dispatch has written, as it said of each access.
// Limit.    After a trap, a stack overflow or a stop it may have written without a word: then all bytes of
//           pages that have changed are put back.
//           Copies of more than a gigabyte are not made: such a dispatch runs on fibers.
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
