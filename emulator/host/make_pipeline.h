// From a function to the state of a pipeline: its linked functions and their constants are settled, and its
// native code comes out of the cache or from lowering. Not installed.
#pragma once

#include "pipeline.h"
#include "state.h"

#include "../support/text/result.h"

#include <memory>
#include <vector>

namespace assay::detail {

/// linked   what PipelineOptions::linkedFunctions are handles of
/// errors   those of Device::newComputePipelineState
Result<std::shared_ptr<const PipelineState>> makePipeline(const FunctionState &function,
                                                          const std::vector<const FunctionState *> &linked,
                                                          const PipelineOptions &options);

} // namespace assay::detail
