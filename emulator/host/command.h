// MTLComputeCommandEncoder. The device's encoders run a dispatch when it is encoded and return when it is
// done; a command buffer's encoders (command_queue.h) only record it.
#pragma once

#include "buffer.h"
#include "function_table.h"
#include "log_state.h"
#include "pipeline.h"
#include "size.h"
#include "stage_input.h"
#include "tensor.h"
#include "texture.h"

#include "../runtime/dispatch.h"
#include "../support/text/result.h"
#include "../validation/rules.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace assay {

using runtime::DispatchReport;
using runtime::Schedule;
using runtime::ScheduleKind;

/// How a dispatch ended.
struct DispatchRecord {
  std::string kernel;
  runtime::Size3 gridThreads, threadsPerThreadgroup;
  std::chrono::nanoseconds time{0};  ///< without making its code
  const Error *error = nullptr;      ///< null: it ran to its end
  std::span<const Finding> findings; ///< of a dispatch that ran to its end
  const WorkCounts *work = nullptr;  ///< likewise, with DispatchOptions::countWork
};

/// How a dispatch runs.
struct DispatchOptions {
  Schedule schedule;
  uint32_t workers = 0;                           ///< 0: as many as the machine has
  std::chrono::milliseconds groupTimeout{20'000}; ///< for one threadgroup; 0: never
  Observer *observer = nullptr;                   ///< must outlive the dispatch
  CheckRules checks;                              ///< what checkers look for: DispatchReport::findings
  /// Count what the kernel does, for DispatchReport::work. The kernel then runs on fibers, and takes longer.
  ///   errors   Usage "work-count": with checks, with an observer of memory, or with Engine::Reference
  bool countWork = false;
  LogState logState;            ///< its handlers hear what the kernel logs
  bool surplusBindings = false; ///< accept bindings that the kernel has no argument for, as Metal does
  /// Room on both sides of what setBytes copies from now on, as Device::newBufferWithRoom gives it.
  size_t inlineRoom = 0;
  /// Called with the findings of each checked dispatch that ran to its end, on the thread that ran it.
  /// What it returns becomes the dispatch's error.
  std::function<std::optional<Error>(const std::string &kernel, std::span<const Finding>)> judge;
  std::function<void(const DispatchRecord &)> finished; ///< called after it, on the thread that ran it
};

/// MTLResourceUsage. Metal tracks hazards with it; here the dispatches of a queue run one at a time.
enum class ResourceUsage : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

namespace detail {
class CommandSink;
}

/// Bindings stay set from one dispatch to the next, as in Metal. A setter cannot fail: the next dispatch
/// reports what is wrong with a binding, before anything runs.
class ComputeCommandEncoder {
public:
  ComputeCommandEncoder();
  ComputeCommandEncoder(ComputeCommandEncoder &&) noexcept;
  ComputeCommandEncoder &operator=(ComputeCommandEncoder &&) noexcept;
  ~ComputeCommandEncoder();

  void setComputePipelineState(const ComputePipeline &pipeline);
  /// offset   bytes; the kernel sees length() - offset bytes
  void setBuffer(const Buffer &buffer, size_t offset, uint32_t index);
  /// The kernel gets a null pointer, for which it can ask; an access through it is an error of the kernel.
  void setBuffer(std::nullptr_t, size_t offset, uint32_t index);
  /// bytes    copied; length at most 4,096
  void setBytes(const void *bytes, size_t length, uint32_t index);
  /// Takes the slot of a buffer. The table must be of the pipeline that runs. Without a table, the kernel's
  /// is null.
  void setVisibleFunctionTable(const VisibleFunctionTable &table, uint32_t bufferIndex);
  /// Takes the slot of a buffer, as setResource:atBufferIndex: of Metal 4's argument tables does. Without a
  /// tensor, nothing is bound.
  void setTensor(const Tensor &tensor, uint32_t bufferIndex);
  void setTexture(const Texture &texture, uint32_t index);
  void setTexture(std::nullptr_t, uint32_t index); ///< a null texture, likewise (is_null_texture)
  void setSamplerState(const SamplerState &sampler, uint32_t index);
  /// Makes a buffer known that a kernel reaches through an address in an argument buffer. Without it, an
  /// access to a buffer that is not bound is out of bounds. Buffers stay known, as bindings stay set.
  void useResource(const Buffer &buffer, ResourceUsage usage);
  void useResources(std::span<const Buffer> buffers, ResourceUsage usage);
  /// Makes a texture known that a kernel reaches through its gpuResourceID in an argument buffer. It stays
  /// known.
  void useResource(const Texture &texture, ResourceUsage usage);
  void useResource(const VisibleFunctionTable &table, ResourceUsage usage);
  void useResource(const Tensor &tensor, ResourceUsage usage);
  /// length   bytes, a multiple of 16
  void setThreadgroupMemoryLength(size_t length, uint32_t index);
  /// Which threads have [[stage_in]] data; without it, all of a grid. It stays set, as bindings do.
  void setStageInRegion(const StageInRegion &region);
  /// Reads the region, as it is in StageInRegion, from a buffer when the dispatch runs.
  ///   errors  of the dispatch: Usage "indirect-range"
  void setStageInRegion(const Buffer &indirectBuffer, size_t indirectBufferOffset);
  void setOptions(const DispatchOptions &options);
  /// What the kernel's declaration alone says against such a dispatch, before the time that a pipeline takes.
  /// What is not bound is not looked at, since the code says whether it is needed.
  ///   errors  some of those below
  Result<void> checkDeclared(const Function &kernel, const DispatchSize &size) const;

  /// Runs whole threadgroups. A command buffer's encoder returns at once, with the number of threads that
  /// will run and no time; an error of the call is also the command buffer's error.
  ///   errors  Usage, before anything runs: "no-pipeline", "missing-binding", "surplus-binding",
  ///           "buffer-index", "buffer-offset", "misaligned-offset", "buffer-too-small", "inline-bytes",
  ///           "threadgroup-size", "threadgroup-memory", "threadgroup-memory-length", "empty-dispatch",
  ///           "grid-size", "texture-index", "sampler-index", "texture-type", "texture-format",
  ///           "texture-usage", "function-table", "tensor"
  ///           Kernel, as runtime::run: "out-of-bounds", "no-progress", "stack-overflow", "assertion",
  ///           "function-table"; buffers keep what was written until then
  Result<DispatchReport> dispatchThreadgroups(Size threadgroupsPerGrid, Size threadsPerThreadgroup);
  /// Runs a grid of threads; threadgroups at its edges are smaller if the sizes do not divide.
  Result<DispatchReport> dispatchThreads(Size threadsPerGrid, Size threadsPerThreadgroup);
  /// Reads the number of threadgroups, three uint32, from a buffer when the dispatch runs. If one of them is
  /// 0, nothing runs.
  ///   errors  as above, and Usage "indirect-range": they are not in the buffer
  Result<DispatchReport> dispatchThreadgroups(const Buffer &indirectBuffer, size_t indirectBufferOffset,
                                              Size threadsPerThreadgroup);

  /// Lets the command buffer make its next encoder. It does nothing if there is no command buffer.
  void endEncoding();

private:
  friend class CommandBuffer;
  explicit ComputeCommandEncoder(std::shared_ptr<detail::CommandSink> sink);
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay
