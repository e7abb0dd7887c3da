// Engine::Both: a dispatch on fibers, then on vectors from the same memory, and the bytes compared.
//
// It is for finding out whether the engines agree, with every host and every test suite that there is. A
// kernel whose lanes race has no one result, and differs here without a defect of either engine.
#pragma once

#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <string>

namespace assay::detail {

/// What the dispatch leaves is what fibers computed.
///   request   with its code for vectors
///   fibers    code of the same kernel
///   errors    those of runtime::run; Kernel "engine-difference" names the kernel, the buffer and the first
///             byte that differs; Usage "out-of-memory" if more than 4 GiB of buffers are in use
Result<runtime::DispatchReport> runOnBoth(runtime::DispatchRequest &request, const KernelCode &fibers,
                                          const std::string &kernel);

} // namespace assay::detail
