// What a command buffer and its queue are behind their handles. Not installed.
#pragma once

#include "command_queue.h"
#include "prepared_dispatch.h"
#include "serial_worker.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace assay::detail {

/// Where encoders put their commands.
class CommandSink {
public:
  virtual ~CommandSink() = default;
  virtual Result<void> record(std::function<Result<void>()> command) = 0;
  virtual void refuseCommand(const Error &error) = 0;
  virtual void endEncoder() = 0;
};

struct QueueState {
  std::mutex mutex;
  /// Enqueued and not handed to the executor: strong only once it is committed, so that a buffer that nobody will
  /// commit any more does not hold up those behind it.
  struct Entry {
    std::weak_ptr<CommandBufferState> buffer;
    std::shared_ptr<CommandBufferState> committed;
  };
  std::deque<Entry> order;
  DispatchOptions options;
  SerialWorker executor, notifier;

  void enqueue(const std::shared_ptr<CommandBufferState> &buffer); ///< once
  void commit(const std::shared_ptr<CommandBufferState> &buffer);  ///< of an enqueued one
  void forget();                                                   ///< an enqueued one went without commit
  void handOver();                                                 ///< what is committed at the front; with the lock
};

using CommandHandler = std::function<void(const CommandBuffer &)>;

struct CommandBufferState : CommandSink, DispatchSink, std::enable_shared_from_this<CommandBufferState> {
  const std::shared_ptr<QueueState> queue;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  CommandBufferStatus status = CommandBufferStatus::NotEnqueued;
  bool enqueued = false, committed = false, open = false, notified = false, handlersDone = false;
  std::vector<std::function<Result<void>()>> commands;
  std::vector<CommandHandler> scheduledHandlers, completedHandlers;
  std::optional<Error> error;
  DispatchOptions options;
  double kernelStart = 0, kernelEnd = 0, gpuStart = 0, gpuEnd = 0;
  std::string label;

  explicit CommandBufferState(std::shared_ptr<QueueState> q) : queue(std::move(q)), options(queue->options) {}

  ~CommandBufferState() override;
  bool openEncoder(); ///< false: a mistake, which the buffer will end with
  void execute();       ///< all commands, on the queue's executor
  void callHandlers(std::vector<CommandHandler> CommandBufferState::*handlers, bool last);
  bool finished() const { return status >= CommandBufferStatus::Completed; }

  void encode(std::function<Result<void>()> command); ///< a command that needs no encoder
  Result<void> addHandler(std::vector<CommandHandler> CommandBufferState::*handlers, CommandHandler handler);

  Result<void> record(std::function<Result<void>()> command) override;
  void refuseCommand(const Error &error) override;
  void endEncoder() override;
  Result<void> take(PreparedDispatch dispatch) override;
  void refuse(const Error &e) override { refuseCommand(e); }
  void end() override { endEncoder(); }
};

/// What an encoder writes to that should not exist.
struct ClosedSink : CommandSink, DispatchSink {
  static Error error() {
    return Error::usage("closed-encoder", "a command was given to an encoder that its command buffer did not open",
                        "one encoder at a time, before commit");
  }
  Result<void> record(std::function<Result<void>()>) override { return error(); }
  void refuseCommand(const Error &) override {}
  void endEncoder() override {}
  Result<void> take(PreparedDispatch) override { return error(); }
  void refuse(const Error &) override {}
  void end() override {}
};

} // namespace assay::detail
