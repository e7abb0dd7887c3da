// Engine::Both runs a dispatch on fibers, runs it again on vectors from the same memory, and compares the
// bytes.
//
// It shows whether the engines agree, under any host and any test suite. A kernel whose lanes race has more
// than one right result, and may differ here without a defect in either engine.
#pragma once

#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <string>

namespace assay::detail {

/// The dispatch leaves in memory what fibers computed.
///   request   with its code for vectors
///   fibers    code of the same kernel
///   errors    those of runtime::run; Kernel "engine-difference" names the kernel, the buffer and the first
///             byte that differs; Usage "out-of-memory" if more than 4 GiB of buffers are in use
Result<runtime::DispatchReport> runOnBoth(runtime::DispatchRequest &request, const KernelCode &fibers,
                                          const std::string &kernel);

} // namespace assay::detail
