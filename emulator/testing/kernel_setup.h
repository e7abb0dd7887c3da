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

  /// Compiled on first use. Setups of one source share the library if their compile options are equal.
  Result<ComputePipeline> pipeline();
  Result<DispatchReport> dispatch(const DispatchSize &size, const DispatchOptions &options);

  const std::map<uint32_t, Buffer> &buffers() const { return bindings_.buffers; }
  const std::vector<SourceProbe> &probes() const { return request_.compile.probes; }

private:
  struct Preparation {
    Role role;
    std::vector<std::byte> initial;
  };
  KernelRequest request_;
  Bindings bindings_;
  std::map<uint32_t, Preparation> preparations_; ///< of the buffers, before each dispatch
  std::shared_ptr<const ComputePipeline> pipeline_;
};

} // namespace assay::testing
