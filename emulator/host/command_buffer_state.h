// The state that handles of command buffers and queues share. Not installed.
#pragma once

#include "command_queue.h"
#include "command_sink.h"
#include "serial_worker.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace assay::detail {

struct QueueState {
  std::mutex mutex;
  /// A buffer that is enqueued and not yet handed to the executor. The reference is strong only after commit,
  /// so that a buffer which can no longer be committed does not hold up later ones.
  struct Entry {
    std::weak_ptr<CommandBufferState> buffer;
    std::shared_ptr<CommandBufferState> committed;
  };
  std::deque<Entry> order;
  DispatchOptions options;
  SerialWorker executor, notifier;

  void enqueue(const std::shared_ptr<CommandBufferState> &buffer); ///< once
  void commit(const std::shared_ptr<CommandBufferState> &buffer);  ///< of an enqueued buffer
  void forget();                                                   ///< an enqueued buffer died without commit
  void handOver();                                                 ///< to the executor; needs the lock
};

using CommandHandler = std::function<void(const CommandBuffer &)>;

struct CommandBufferState : CommandSink, std::enable_shared_from_this<CommandBufferState> {
  const std::shared_ptr<QueueState> queue;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  CommandBufferStatus status = CommandBufferStatus::NotEnqueued;
  bool enqueued = false, committed = false, open = false, notified = false, handlersDone = false;
  std::vector<std::function<Result<void>()>> commands;
  std::vector<std::function<void()>> beforeCommands;
  std::vector<CommandHandler> scheduledHandlers, completedHandlers;
  std::optional<Error> error;
  DispatchOptions options;
  double kernelStart = 0, kernelEnd = 0, gpuStart = 0, gpuEnd = 0;
  std::string label;

  explicit CommandBufferState(std::shared_ptr<QueueState> q) : queue(std::move(q)), options(queue->options) {}

  ~CommandBufferState() override;
  bool openEncoder(); ///< false: this one must not be opened
  void execute();     ///< all commands, on the queue's executor
  void callHandlers(std::vector<CommandHandler> CommandBufferState::*handlers, bool last);
  bool finished() const { return status >= CommandBufferStatus::Completed; }

  void encode(std::function<Result<void>()> command); ///< a command that needs no encoder
  Result<void> addHandler(std::vector<CommandHandler> CommandBufferState::*handlers, CommandHandler handler);

  Result<void> record(std::function<Result<void>()> command, std::function<void()> before) override;
  void refuse(const Error &error) override;
  void end() override;
};

/// The sink of an encoder that must not be opened.
struct ClosedSink : CommandSink {
  static Error error() {
    return Error::usage("closed-encoder",
                        "a command was given to an encoder that its command buffer did not open",
                        "one encoder at a time, before commit");
  }
  Result<void> record(std::function<Result<void>()>, std::function<void()>) override { return error(); }
  void refuse(const Error &) override {}
  void end() override {}
};

/// What a new encoder of the buffer puts its commands into: a ClosedSink if another one is open.
std::shared_ptr<CommandSink> openEncoder(const std::shared_ptr<CommandBufferState> &buffer);

} // namespace assay::detail
