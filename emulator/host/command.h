// MTLComputeCommandEncoder. One that the device makes runs a dispatch when it is encoded, and returns when it is done;
// one that a command buffer makes (command_buffer.h) only records it.
#pragma once

#include "buffer.h"
#include "log_state.h"
#include "pipeline.h"
#include "size.h"
#include "texture.h"

#include "../runtime/dispatch.h"
#include "../support/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace assay {

using runtime::DispatchReport;
using runtime::Observer;
using runtime::Schedule;
using runtime::ScheduleKind;

/// What became of a dispatch.
struct DispatchRecord {
  std::string kernel;
  runtime::Size3 gridThreads, threadsPerThreadgroup;
  std::chrono::nanoseconds time{0};
  const Error *error = nullptr; ///< null: it ran to its end
};

/// How a dispatch runs; never what it computes.
struct DispatchOptions {
  Schedule schedule;
  uint32_t workers = 0;                           ///< 0: as many as the machine has
  std::chrono::milliseconds groupTimeout{20'000}; ///< for one threadgroup; 0: never
  Observer *observer = nullptr;                   ///< must outlive the dispatch
  LogState logState;                              ///< its handlers hear what the kernel logs
  bool surplusBindings = false; ///< accept bindings that the kernel has no argument for, as Metal does, instead of refusing
  std::function<void(const DispatchRecord &)> finished; ///< called at the end of a dispatch, on the thread that ran it
};

/// MTLResourceUsage. For Metal's tracking of hazards, which one dispatch after the other does not have.
enum class ResourceUsage : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

namespace detail {
class DispatchSink;
}

/// Bindings stay set from one dispatch to the next, as in Metal. A setter cannot fail: what is wrong with a
/// binding is reported by the next dispatch, before anything runs.
class ComputeCommandEncoder {
public:
  ComputeCommandEncoder();
  ComputeCommandEncoder(ComputeCommandEncoder &&) noexcept;
  ComputeCommandEncoder &operator=(ComputeCommandEncoder &&) noexcept;
  ~ComputeCommandEncoder();

  void setComputePipelineState(const ComputePipeline &pipeline);
  /// offset   bytes; the kernel sees length() - offset bytes
  void setBuffer(const Buffer &buffer, size_t offset, uint32_t index);
  void setBuffer(std::nullptr_t, size_t offset, uint32_t index); ///< unbinds
  /// bytes    copied; length at most 4,096
  void setBytes(const void *bytes, size_t length, uint32_t index);
  void setTexture(const Texture &texture, uint32_t index);
  void setTexture(std::nullptr_t, uint32_t index); ///< unbinds
  void setSamplerState(const SamplerState &sampler, uint32_t index);
  /// Makes buffers known that a kernel reaches through addresses in an argument buffer. Without it, an access to
  /// a buffer that is not bound is out of bounds. They stay known, as bindings do.
  void useResource(const Buffer &buffer, ResourceUsage usage);
  void useResources(std::span<const Buffer> buffers, ResourceUsage usage);
  /// length   bytes, a multiple of 16
  void setThreadgroupMemoryLength(size_t length, uint32_t index);
  void setOptions(const DispatchOptions &options);

  /// Runs whole threadgroups. A command buffer's encoder returns at once, with what will run and no time; what the
  /// dispatch refuses is also the command buffer's error.
  ///   errors  Usage, before anything runs: "no-pipeline", "missing-binding", "surplus-binding",
  ///   "buffer-index",
  ///           "buffer-offset", "misaligned-offset", "buffer-too-small", "inline-bytes", "threadgroup-size",
  ///           "threadgroup-memory", "threadgroup-memory-length", "empty-dispatch", "grid-size", "texture-index",
  ///           "sampler-index", "texture-type", "texture-format", "texture-usage"
  ///           Kernel, as runtime::run: "out-of-bounds", "no-progress", "stack-overflow", "assertion"; buffers keep what
  ///           was written until then
  Result<DispatchReport> dispatchThreadgroups(Size threadgroupsPerGrid, Size threadsPerThreadgroup);
  /// Runs a grid of threads; threadgroups at its edges are smaller where it does not divide.
  Result<DispatchReport> dispatchThreads(Size threadsPerGrid, Size threadsPerThreadgroup);
  /// The number of threadgroups is read from a buffer when the dispatch runs: three uint32. None, where one is 0.
  ///   errors  as above, and Usage "indirect-range": they are not in the buffer
  Result<DispatchReport> dispatchThreadgroups(const Buffer &indirectBuffer, size_t indirectBufferOffset,
                                              Size threadsPerThreadgroup);

  /// The command buffer may have its next encoder; without a command buffer, nothing.
  void endEncoding();

private:
  friend class CommandBuffer;
  explicit ComputeCommandEncoder(std::shared_ptr<detail::DispatchSink> sink);
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay
