// MTLComputePipelineState: one kernel with its function constants, as native code.
#pragma once

#include "../support/kernel_code.h"
#include "../support/module_info.h"
#include "../support/numerics.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay {

struct PipelineOptions {
  NumericsProfile numerics = kAppleNumerics;
  bool debug = false; ///< no optimisation, variables kept for a debugger; the code is registered with gdb
  bool boundsChecks = true;   ///< off only to measure what they cost
  bool observeMemory = false; ///< report each memory access to the dispatch's observer
  bool cache = true;          ///< use the on-disk cache
  /// Function constants that the kernel reads and that have no value are zero, instead of an error: hosts exist that
  /// rely on it (ggml leaves one out), and Apple's compiler lets them.
  bool zeroMissingConstants = false;
  /// The lanes of a simdgroup load from threadgroup memory together, and store to it together, as Apple's GPUs do
  /// where they took the same path. Metal does not promise it: for kernels that leave out a simdgroup_barrier.
  bool lockstep = false;
  uint32_t maxTotalThreadsPerThreadgroup = 0; ///< if not 0, a limit for dispatches below the kernel's own
};

namespace detail {
struct PipelineState;
}

/// A handle: copies share the code.
class ComputePipeline {
public:
  const std::string &label() const; ///< the kernel's name
  uint32_t threadExecutionWidth() const;
  uint32_t maxTotalThreadsPerThreadgroup() const;
  uint32_t staticThreadgroupMemoryLength() const;
  /// The kernel's arguments that exist under its function constants, in source order, built-ins included.
  const std::vector<ArgumentInfo> &activeArguments() const;
  const KernelInfo &kernel() const;
  const PipelineOptions &options() const;
  const KernelCodeInfo &code() const; ///< what observers are told about refers to it
  bool fromCache() const; ///< whether code generation was not necessary

private:
  friend class Device;
  friend class ComputeCommandEncoder;
  std::shared_ptr<const detail::PipelineState> state_;
};

/// Metal's own name.
using ComputePipelineState = ComputePipeline;

} // namespace assay
