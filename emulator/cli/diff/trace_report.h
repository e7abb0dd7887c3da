// Reports the result of `assay diff --trace`, as text and as JSON.
#pragma once

#include "trace.h"

#include "../output.h"

namespace assay::cli::diff {

void reportTrace(Output &out, const Traced &traced);

} // namespace assay::cli::diff
