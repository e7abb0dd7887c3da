// Makes the state of a pipeline from a function. It determines the linked functions and their constants, and
// takes the native code from the cache or from lowering. Not installed.
#pragma once

#include "pipeline.h"
#include "state.h"

#include "../support/text/result.h"

#include <memory>
#include <vector>

namespace assay::detail {

/// linked   the states of the functions in PipelineOptions::linkedFunctions
/// errors   those of Device::newComputePipelineState
Result<std::shared_ptr<const PipelineState>> makePipeline(const FunctionState &function,
                                                          const std::vector<const FunctionState *> &linked,
                                                          const PipelineOptions &options);

} // namespace assay::detail
