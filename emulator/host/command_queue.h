// MTLCommandQueue and MTLCommandBuffer: commands that run behind the caller's back, in the order that Metal promises.
//
// Order.   Command buffers of a queue run one after the other, in the order in which they were enqueued; commit enqueues
//          what is not. One that is enqueued and not committed holds up those behind it. Queues are independent of each
//          other and run at the same time. The commands of one buffer run in the order in which they were encoded; a
//          concurrent encoder may be promised less, and gets the same.
// Errors.  A command that fails ends its command buffer with Status::Error; the buffers behind it run. What an encoder
//          refuses counts likewise, so a buffer with a mistake in it runs nothing behind the mistake.
// Threads. Every call may come from any thread, but for the encoders, of which a command buffer has one at a time. A queue
//          has a thread that runs and one that calls handlers; both start when they are first needed and sleep when idle.
// Memory.  A committed buffer keeps everything that its commands need, whoever lets go of it.
#pragma once

#include "blit.h"
#include "command.h"
#include "shared_event.h"

#include "../support/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace assay {

/// MTLCommandBufferStatus, with its numbers.
enum class CommandBufferStatus : uint8_t { NotEnqueued, Enqueued, Committed, Scheduled, Completed, Error };

namespace detail {
struct CommandBufferState;
struct QueueState;
}

class CommandBuffer {
public:
  CommandBuffer() = default; ///< none
  explicit operator bool() const { return state_ != nullptr; }

  /// How the dispatches of its encoders run, unless an encoder is told otherwise.
  void setOptions(const DispatchOptions &options);
  /// An encoder while another is open, or behind commit, takes nothing: its mistake becomes the buffer's error.
  ComputeCommandEncoder computeCommandEncoder();
  BlitCommandEncoder blitCommandEncoder();
  void encodeSignalEvent(const SharedEvent &event, uint64_t value);
  void encodeWaitForEvent(const SharedEvent &event, uint64_t value);

  void enqueue();
  /// errors   Usage "already-committed"; "open-encoder" (the buffer is committed, and ends with this error)
  Result<void> commit();
  void waitUntilScheduled() const;
  /// Returns when the commands have run and the handlers have been called; in a handler, without waiting for handlers.
  void waitUntilCompleted() const;
  /// Called once each, in the order in which they were added, on a thread of the queue.
  ///   errors   Usage "already-committed"
  Result<void> addScheduledHandler(std::function<void(const CommandBuffer &)> handler);
  Result<void> addCompletedHandler(std::function<void(const CommandBuffer &)> handler);

  CommandBufferStatus status() const;
  std::optional<Error> error() const; ///< with CommandBufferStatus::Error
  /// Seconds on the clock of std::chrono::steady_clock; 0 before.
  double kernelStartTime() const; ///< when it was scheduled
  double kernelEndTime() const;
  double gpuStartTime() const; ///< when its first command began
  double gpuEndTime() const;
  std::string label() const;
  void setLabel(std::string label);

private:
  friend class CommandQueue;
  friend struct detail::CommandBufferState;
  explicit CommandBuffer(std::shared_ptr<detail::CommandBufferState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::CommandBufferState> state_;
};

class CommandQueue {
public:
  CommandQueue() = default; ///< none
  explicit operator bool() const { return state_ != nullptr; }
  CommandBuffer commandBuffer() const;
  /// How the dispatches of command buffers made from now on run.
  void setOptions(const DispatchOptions &options);

private:
  friend class Device;
  std::shared_ptr<detail::QueueState> state_;
};

} // namespace assay
