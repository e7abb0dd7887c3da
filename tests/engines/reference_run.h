// A dispatch on the reference interpreter: what the runtime does for an engine, without its scheduling.
#pragma once

#include "lowering/reference/reference_kernel.h"
#include "runtime/dispatch.h"

namespace assay::engines {

/// One threadgroup after the other, in grid order. `request` as for runtime::run; its code is not looked at.
/// Buffers keep what was written.
///   errors  those of ReferenceKernel::run
Result<void> runReference(lowering::ReferenceKernel &kernel, runtime::DispatchRequest request);

} // namespace assay::engines
