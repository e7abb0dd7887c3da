// A kernel with everything that a test binds to it. It can run any number of times, with different options.
// There is no GoogleTest here: errors are Results.
//
// Outputs are poisoned and accumulators zeroed before every dispatch, so that no run sees the results of
// another.
#pragma once

#include "../host/launch.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::testing {

enum class Role {
  Input,
  Output,      ///< poisoned before each dispatch
  Accumulator, ///< zero before each dispatch
  InOut,       ///< its values before each dispatch
};

class KernelSetup {
public:
  /// source   Metal, instead of a file
  KernelSetup(std::string file, std::optional<std::string> source, std::string kernel)
      : request_{.file = std::move(file), .source = std::move(source), .kernel = std::move(kernel)} {}

  CompileOptions &compileOptions() { return pipeline_.reset(), request_.compile; }
  PipelineOptions &pipelineOptions() { return pipeline_.reset(), request_.pipeline; }
  FunctionConstantValues &constants() { return pipeline_.reset(), request_.constants; }
  void bind(uint32_t index, Role role, const void *data, size_t length);
  void setBytes(uint32_t index, const void *data, size_t length);
  void setThreadgroupMemory(uint32_t index, uint32_t length) { bindings_.threadgroupMemory[index] = length; }
  void setTexture(uint32_t index, const Texture &texture) { bindings_.textures[index] = texture; }
  void setSampler(uint32_t index, const SamplerState &sampler) { bindings_.samplers[index] = sampler; }
  /// In the buffer that is bound at the index when the kernel runs.
  void setTensor(uint32_t index, TensorDescriptor tensor) { tensors_[index] = std::move(tensor); }
  void setStageInRegion(const StageInRegion &region) { bindings_.stageInRegion = region; }

  /// Compiled on first use. Setups of one source share the library if their compile options are equal.
  Result<ComputePipeline> pipeline();
  /// errors   those of pipeline(), of Buffer::newTensor and of the dispatch; Usage "missing-binding": a
  ///          tensor has no buffer
  Result<DispatchReport> dispatch(const DispatchSize &size, const DispatchOptions &options);

  const std::map<uint32_t, Buffer> &buffers() const { return bindings_.buffers; }
  const std::vector<SourceProbe> &probes() const { return request_.compile.probes; }

private:
  struct Preparation {
    Role role;
    std::vector<std::byte> initial;
  };
  Result<void> makeTensors();

  KernelRequest request_;
  Bindings bindings_;
  std::map<uint32_t, TensorDescriptor> tensors_;
  std::map<uint32_t, Preparation> preparations_; ///< of the buffers, before each dispatch
  std::shared_ptr<const ComputePipeline> pipeline_;
};

} // namespace assay::testing
