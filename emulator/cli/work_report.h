// What `--count` prints: the work of a dispatch, as a table and as JSON.
#pragma once

#include "output.h"

#include "../support/abi/work.h"

namespace assay::cli {

/// Every kind, by its key: lanes, simdgroups, and bytes of accesses; then `utilisation` of all work, of
/// accesses and of arithmetic.
Json toJson(const WorkCounts &work);
/// Kinds of which there was something, and the utilisation.
void reportWork(Output &out, const WorkCounts &work);

} // namespace assay::cli
