#include "pipeline.h"
#include "state.h"

#include "../runtime/dispatch.h"
#include "../support/abi/limits.h"

#include <algorithm>

namespace assay {

uint32_t detail::PipelineState::maxThreads() const {
  const uint32_t most = kernel->maxTotalThreads ? kernel->maxTotalThreads : kMaxThreadsPerThreadgroup;
  return options.maxTotalThreadsPerThreadgroup ? std::min(most, options.maxTotalThreadsPerThreadgroup) : most;
}

const KernelCode &detail::PipelineState::codeFor(const runtime::DispatchRequest &request) const {
  const runtime::Size3 &group = request.threadsPerThreadgroup;
  // The last threadgroup of a row may be narrower. In rows of one thread each simdgroup is still a row.
  const bool rows = group.x % kSimdWidth == 0 &&
                    (uint64_t(group.y) * group.z == 1 || request.gridThreads.x % kSimdWidth == 0);
  const bool fits = simdgroups && (rows || !simdgroups->code().info->needsRows) && !request.observer &&
                    request.schedule.kind != runtime::ScheduleKind::Shuffle;
  return fits ? simdgroups->code() : native->code();
}

const std::string &ComputePipeline::label() const {
  return state_->kernel->name;
}
uint32_t ComputePipeline::threadExecutionWidth() const {
  return kSimdWidth;
}
uint32_t ComputePipeline::maxTotalThreadsPerThreadgroup() const {
  return state_->maxThreads();
}
uint32_t ComputePipeline::staticThreadgroupMemoryLength() const {
  return state_->native->code().info->staticThreadgroupBytes;
}
const std::vector<ArgumentInfo> &ComputePipeline::activeArguments() const {
  return state_->activeArguments;
}
const KernelInfo &ComputePipeline::kernel() const {
  return *state_->kernel;
}
const PipelineOptions &ComputePipeline::options() const {
  return state_->options;
}
const KernelCodeInfo &ComputePipeline::code() const {
  return *state_->native->code().info;
}
bool ComputePipeline::isVectorised() const {
  return state_->simdgroups != nullptr;
}
const std::string &ComputePipeline::onFibers() const {
  return state_->onFibers;
}
bool ComputePipeline::fromCache() const {
  return state_->fromCache;
}

} // namespace assay
