// MTLComputePipelineState: one kernel with its function constants, as native code.
#pragma once

#include "function_table.h"
#include "library.h"
#include "size.h"
#include "stage_input.h"

#include "../support/abi/code_options.h"
#include "../support/abi/kernel_code.h"
#include "../support/abi/module_info.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// MTLLinkedFunctions: the visible functions that the kernel may call through tables. They are of the
/// kernel's library, and were made with the same values of function constants that both read.
struct LinkedFunctions {
  std::vector<Function> functions;
};

struct PipelineOptions : CodeOptions {
  bool cache = true; ///< use the on-disk cache
  LinkedFunctions linkedFunctions = {};
  uint32_t maxTotalThreadsPerThreadgroup = 0;             ///< if not 0, a lower limit than the kernel's own
  std::optional<Size> requiredThreadsPerThreadgroup = {}; ///< each dispatch must have this size
  std::optional<StageInputDescriptor> stageInput = {};    ///< of a kernel with [[stage_in]]
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
  /// What the options or the kernel's attribute asks for. Where both do, a dispatch must have both sizes.
  std::optional<Size> requiredThreadsPerThreadgroup() const;
  uint32_t staticThreadgroupMemoryLength() const;
  /// The kernel's arguments that exist under its function constants, in source order, built-ins included.
  const std::vector<ArgumentInfo> &activeArguments() const;
  const KernelInfo &kernel() const;
  /// The struct that one of the kernel's arguments points to; null if it is none.
  const StructInfo *structOf(const ArgumentInfo &argument) const;
  /// Those of the kernel's file: ArgumentInfo::structure and PointeeInfo::structure are places in it.
  const std::vector<StructInfo> &structs() const;
  const PipelineOptions &options() const;
  const KernelCodeInfo &code() const; ///< events that observers get refer to it
  bool fromCache() const;             ///< whether the kernel was lowered before
  bool madeCode() const;              ///< whether native code had to be made for it until now
  /// Engine::Vector: whether simdgroups run as one program. A dispatch may still go to fibers: one that is
  /// observed or shuffled.
  bool isVectorised() const;
  /// Engine::Vector: why they do not; else empty.
  const std::string &onFibers() const;

  /// errors   Usage "function-table": it is not linked to this pipeline
  Result<FunctionHandle> functionHandle(const Function &function) const;
  /// Every entry is null at first.
  VisibleFunctionTable newVisibleFunctionTable(size_t functionCount) const;

private:
  friend class Device;
  friend class ComputeCommandEncoder;
  std::shared_ptr<const detail::PipelineState> state_;
};

/// Metal's own name.
using ComputePipelineState = ComputePipeline;

} // namespace assay
