// A kernel with everything that a test binds to it. It can run any number of times, with different options.
// There is no GoogleTest here: errors are Results.
//
// Outputs are poisoned and accumulators zeroed before every dispatch, so that no run sees the results of
// another.
#pragma once

#include "../host/command.h"
#include "../host/device.h"

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
      : file_(std::move(file)), source_(std::move(source)), kernel_(std::move(kernel)) {}

  CompileOptions &compileOptions() { return pipeline_.reset(), compile_; }
  PipelineOptions &pipelineOptions() { return pipeline_.reset(), options_; }
  FunctionConstantValues &constants() { return pipeline_.reset(), constants_; }
  void bind(uint32_t index, Role role, const void *data, size_t length);
  void setBytes(uint32_t index, const void *data, size_t length);
  void setThreadgroupMemory(uint32_t index, uint32_t length) { threadgroupMemory_[index] = length; }
  void setTexture(uint32_t index, const Texture &texture) { textures_.insert_or_assign(index, texture); }
  void setSampler(uint32_t index, const SamplerState &sampler) { samplers_.insert_or_assign(index, sampler); }

  /// Compiled on first use. Setups of one source share the library if include paths, macros and math mode are
  /// equal and no other compile option is set.
  Result<ComputePipeline> pipeline();
  /// wholeGroups   `grid` counts threadgroups, else threads
  Result<DispatchReport> dispatch(bool wholeGroups, Size grid, Size threads, const DispatchOptions &options);

  struct Bound {
    Buffer buffer;
    Role role;
    std::vector<std::byte> initial;
  };
  const std::map<uint32_t, Bound> &buffers() const { return buffers_; }
  const std::vector<SourceProbe> &probes() const { return compile_.probes; }

private:
  std::string file_;
  std::optional<std::string> source_;
  std::string kernel_;
  CompileOptions compile_;
  PipelineOptions options_;
  FunctionConstantValues constants_;
  std::map<uint32_t, Bound> buffers_;
  std::map<uint32_t, std::vector<std::byte>> bytes_;
  std::map<uint32_t, uint32_t> threadgroupMemory_;
  std::map<uint32_t, Texture> textures_;
  std::map<uint32_t, SamplerState> samplers_;
  std::shared_ptr<const ComputePipeline> pipeline_;
};

} // namespace assay::testing
