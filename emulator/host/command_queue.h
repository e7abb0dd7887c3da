// MTLCommandQueue and MTLCommandBuffer: commands that run asynchronously, in the order that Metal promises.
//
// Order.   The command buffers of a queue run one after the other, in the order in which they were enqueued.
//          commit() enqueues a buffer that has not been enqueued. A buffer that is enqueued but not committed
//          delays later ones. Queues are independent and run at the same time. The commands of a buffer run
//          in the order in which they were encoded. Metal promises less for concurrent encoders, which have
//          the same order here.
// Errors.  A command that fails ends its command buffer with CommandBufferStatus::Error; later buffers still
//          run. A command that an encoder refuses counts as failed, so no command after it runs.
// Threads. Every call may come from any thread, except for encoders, of which a command buffer has one at a
//          time. A queue has one thread for commands and one for handlers; both start when they are first
//          needed and sleep when idle.
// Memory.  A committed buffer keeps everything that its commands need, even if all handles to it are gone.
#pragma once

#include "blit.h"
#include "command.h"
#include "shared_event.h"

#include "../support/text/result.h"

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
} // namespace detail

class CommandBuffer {
public:
  CommandBuffer() = default; ///< none
  explicit operator bool() const { return state_ != nullptr; }

  /// How the dispatches of its encoders run, unless an encoder is told otherwise.
  void setOptions(const DispatchOptions &options);
  /// An encoder made while another is open takes no command, and that becomes the buffer's error. One made
  /// after commit takes none either; its own calls return the error.
  ComputeCommandEncoder computeCommandEncoder();
  BlitCommandEncoder blitCommandEncoder();
  void encodeSignalEvent(const SharedEvent &event, uint64_t value);
  void encodeWaitForEvent(const SharedEvent &event, uint64_t value);

  void enqueue();
  /// errors   Usage "already-committed"; "open-encoder" (the buffer is committed, and ends with this error)
  Result<void> commit();
  void waitUntilScheduled() const;
  /// Returns when the commands have run and the handlers have been called. In a handler, it does not wait for
  /// handlers.
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
  /// How the dispatches of later command buffers run.
  void setOptions(const DispatchOptions &options);

private:
  friend class Device;
  std::shared_ptr<detail::QueueState> state_;
};

} // namespace assay
