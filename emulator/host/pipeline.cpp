#include "pipeline.h"
#include "state.h"
#include "validate.h"

#include "../support/abi/limits.h"

#include <algorithm>

namespace assay {

uint32_t detail::PipelineState::maxThreads() const {
  const uint32_t most = mostThreads(*kernel);
  return options.maxTotalThreadsPerThreadgroup ? std::min(most, options.maxTotalThreadsPerThreadgroup) : most;
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
std::optional<Size> ComputePipeline::requiredThreadsPerThreadgroup() const {
  return state_->options.requiredThreadsPerThreadgroup ? state_->options.requiredThreadsPerThreadgroup
                                                       : requiredThreads(*state_->kernel);
}
uint32_t ComputePipeline::staticThreadgroupMemoryLength() const {
  return state_->codes->facts().staticThreadgroupBytes;
}
const std::vector<ArgumentInfo> &ComputePipeline::activeArguments() const {
  return state_->activeArguments;
}
const KernelInfo &ComputePipeline::kernel() const {
  return *state_->kernel;
}
const std::vector<StructInfo> &ComputePipeline::structs() const {
  return state_->library->info.structs;
}

const StructInfo *ComputePipeline::structOf(const ArgumentInfo &argument) const {
  return state_->library->info.structOf(argument);
}
const PipelineOptions &ComputePipeline::options() const {
  return state_->options;
}
const KernelCodeInfo &ComputePipeline::code() const {
  return state_->codes->info();
}
bool ComputePipeline::isVectorised() const {
  return state_->codes->vectorises();
}
const std::string &ComputePipeline::onFibers() const {
  return state_->codes->onFibers();
}
bool ComputePipeline::fromCache() const {
  return state_->codes->fromCache();
}

bool ComputePipeline::madeCode() const {
  return state_->codes->madeCode();
}

} // namespace assay
