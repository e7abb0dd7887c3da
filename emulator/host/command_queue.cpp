#include "command_queue.h"
#include "command_buffer_state.h"
#include "event_state.h"

#include <chrono>

namespace assay {

using detail::CommandBufferState;
using detail::QueueState;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Error alreadyCommitted(const char *what) {
  return Error::usage("already-committed", std::string("the command buffer has been committed, ") + what);
}

} // namespace

// The queue.

void QueueState::enqueue(const std::shared_ptr<CommandBufferState> &buffer) {
  std::lock_guard lock(mutex);
  order.push_back({buffer, nullptr});
}

void QueueState::commit(const std::shared_ptr<CommandBufferState> &buffer) {
  std::lock_guard lock(mutex);
  for (Entry &entry : order)
    // Not with lock(): the pointer that it makes could be the last one to another buffer.
    if (!entry.committed && !entry.buffer.owner_before(buffer) && !buffer.owner_before(entry.buffer))
      entry.committed = buffer;
  handOver();
}

void QueueState::forget() {
  std::lock_guard lock(mutex);
  handOver();
}

void QueueState::handOver() {
  while (!order.empty() && (order.front().committed || order.front().buffer.expired())) {
    if (std::shared_ptr<CommandBufferState> buffer = std::move(order.front().committed))
      executor.post([buffer = std::move(buffer)] { buffer->execute(); });
    order.pop_front();
  }
}

CommandBuffer CommandQueue::commandBuffer() const {
  CommandBuffer buffer;
  if (state_)
    buffer.state_ = std::make_shared<CommandBufferState>(state_);
  return buffer;
}

void CommandQueue::setOptions(const DispatchOptions &options) {
  std::lock_guard lock(state_->mutex);
  state_->options = options;
}

CommandBufferState::~CommandBufferState() {
  if (enqueued && !committed)
    queue->forget();
}

// What encoders do to a command buffer.

bool CommandBufferState::openEncoder() {
  std::unique_lock lock(mutex);
  if (committed) // too late for an error of the buffer: the encoder's calls return it
    return false;
  if (!open)
    return open = true;
  lock.unlock();
  refuse(Error::usage("open-encoder", "an encoder was asked for while another is open",
                      "call endEncoding first"));
  return false;
}

Result<void> CommandBufferState::record(std::function<Result<void>()> command, std::function<void()> before) {
  std::lock_guard lock(mutex);
  if (committed)
    return alreadyCommitted("it takes no command");
  if (!open)
    return Error::usage("closed-encoder", "a command was given to an encoder that has ended");
  commands.push_back(std::move(command));
  if (before)
    beforeCommands.push_back(std::move(before));
  return {};
}

void CommandBufferState::refuse(const Error &e) {
  std::lock_guard lock(mutex);
  if (committed)
    return;
  // Commands that were encoded before run; the buffer ends here.
  commands.push_back([e]() -> Result<void> { return e; });
}

void CommandBufferState::end() {
  std::lock_guard lock(mutex);
  open = false;
}

void CommandBufferState::encode(std::function<Result<void>()> command) {
  std::lock_guard lock(mutex);
  if (!committed)
    commands.push_back(std::move(command));
}

Result<void> CommandBufferState::addHandler(std::vector<CommandHandler> CommandBufferState::*handlers,
                                            CommandHandler handler) {
  std::lock_guard lock(mutex);
  if (committed)
    return alreadyCommitted("it takes no handler");
  if (handler)
    (this->*handlers).push_back(std::move(handler));
  return {};
}

// A command buffer on the executor.

void CommandBufferState::execute() {
  std::vector<std::function<Result<void>()>> run;
  std::vector<std::function<void()>> before;
  {
    std::lock_guard lock(mutex);
    status = CommandBufferStatus::Scheduled;
    kernelStart = now();
    run.swap(commands);
    before.swap(beforeCommands);
  }
  changed.notify_all();
  callHandlers(&CommandBufferState::scheduledHandlers, false);
  for (const auto &call : before)
    call();
  before.clear();
  const double start = now();
  std::optional<Error> failed;
  for (auto &command : run) {
    if (Result<void> done = command(); !done) {
      failed = done.error();
      break;
    }
  }
  run.clear(); // releases buffers before anyone hears that the commands are done
  {
    std::lock_guard lock(mutex);
    gpuStart = start;
    gpuEnd = kernelEnd = now();
    error = std::move(failed);
    status = error ? CommandBufferStatus::Error : CommandBufferStatus::Completed;
  }
  changed.notify_all();
  callHandlers(&CommandBufferState::completedHandlers, true);
}

// On the notifier's thread, since a handler may wait for work that the executor still has to do.
void CommandBufferState::callHandlers(std::vector<CommandHandler> CommandBufferState::*handlers, bool last) {
  std::vector<CommandHandler> calls;
  {
    std::lock_guard lock(mutex);
    calls.swap(this->*handlers);
    notified |= !calls.empty();
    if (last && !notified)
      handlersDone = true; // there are no handlers: the notifier need not wake
  }
  if (last && !notified)
    return changed.notify_all();
  if (calls.empty() && !last)
    return;
  queue->notifier.post([self = shared_from_this(), calls = std::move(calls), last]() mutable {
    const CommandBuffer buffer(self);
    for (const CommandHandler &call : calls)
      call(buffer);
    calls.clear(); // what handlers hold goes before anyone who waits goes on
    if (!last)
      return;
    {
      std::lock_guard lock(self->mutex);
      self->handlersDone = true;
    }
    self->changed.notify_all();
  });
}

std::shared_ptr<detail::CommandSink> detail::openEncoder(const std::shared_ptr<CommandBufferState> &buffer) {
  if (buffer->openEncoder())
    return buffer;
  return std::make_shared<ClosedSink>();
}

// The handle.

void CommandBuffer::setOptions(const DispatchOptions &options) {
  std::lock_guard lock(state_->mutex);
  state_->options = options;
}

ComputeCommandEncoder CommandBuffer::computeCommandEncoder() {
  ComputeCommandEncoder encoder(detail::openEncoder(state_));
  encoder.setOptions(state_->options);
  return encoder;
}

BlitCommandEncoder CommandBuffer::blitCommandEncoder() {
  BlitCommandEncoder encoder;
  encoder.sink_ = detail::openEncoder(state_);
  return encoder;
}

void CommandBuffer::encodeSignalEvent(const SharedEvent &event, uint64_t value) {
  state_->encode([event = event.state_, value]() -> Result<void> {
    if (event)
      event->signal(value);
    return {};
  });
}

void CommandBuffer::encodeWaitForEvent(const SharedEvent &event, uint64_t value) {
  state_->encode([event = event.state_, value]() -> Result<void> {
    if (!event)
      return {};
    std::unique_lock lock(event->mutex);
    event->changed.wait(lock, [&] { return event->current >= value; });
    return {};
  });
}

void CommandBuffer::enqueue() {
  {
    std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->enqueued, true))
      return;
    state_->status = CommandBufferStatus::Enqueued;
  }
  state_->queue->enqueue(state_);
}

Result<void> CommandBuffer::commit() {
  Result<void> result;
  enqueue();
  {
    std::unique_lock lock(state_->mutex);
    if (state_->committed)
      return alreadyCommitted("it cannot be committed again");
    if (state_->open) {
      const Error error = Error::usage(
          "open-encoder", "the command buffer was committed with an encoder open", "call endEncoding first");
      state_->commands.push_back([error]() -> Result<void> { return error; });
      state_->open = false;
      result = error;
    }
    state_->committed = true;
    state_->status = CommandBufferStatus::Committed;
  }
  state_->queue->commit(state_);
  return result;
}

void CommandBuffer::waitUntilScheduled() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->status >= CommandBufferStatus::Scheduled; });
}

void CommandBuffer::waitUntilCompleted() const {
  const bool handler = state_->queue->notifier.isCurrentThread();
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->finished() && (handler || state_->handlersDone); });
}

Result<void> CommandBuffer::addScheduledHandler(std::function<void(const CommandBuffer &)> handler) {
  return state_->addHandler(&CommandBufferState::scheduledHandlers, std::move(handler));
}

Result<void> CommandBuffer::addCompletedHandler(std::function<void(const CommandBuffer &)> handler) {
  return state_->addHandler(&CommandBufferState::completedHandlers, std::move(handler));
}

CommandBufferStatus CommandBuffer::status() const {
  std::lock_guard lock(state_->mutex);
  return state_->status;
}

std::optional<Error> CommandBuffer::error() const {
  std::lock_guard lock(state_->mutex);
  return state_->error;
}

double CommandBuffer::kernelStartTime() const {
  std::lock_guard lock(state_->mutex);
  return state_->kernelStart;
}
double CommandBuffer::kernelEndTime() const {
  std::lock_guard lock(state_->mutex);
  return state_->kernelEnd;
}
double CommandBuffer::gpuStartTime() const {
  std::lock_guard lock(state_->mutex);
  return state_->gpuStart;
}
double CommandBuffer::gpuEndTime() const {
  std::lock_guard lock(state_->mutex);
  return state_->gpuEnd;
}

std::string CommandBuffer::label() const {
  std::lock_guard lock(state_->mutex);
  return state_->label;
}
void CommandBuffer::setLabel(std::string label) {
  std::lock_guard lock(state_->mutex);
  state_->label = std::move(label);
}

} // namespace assay
