// Signals that hit a worker inside kernel code: faults of the kernel, and the watchdog's interruption.
//
// The handler runs on an alternate stack, because a lane's stack may be full. If the signal belongs to the
// kernel, the handler makes the thread continue in a few lines that switch back to the worker, and not in the
// kernel (LaneScheduler::takeSignal). All other signals go to the handler that was installed before, so a
// fault of the host program looks as it would without Assay. Handlers are installed once for the process, at
// the first dispatch.
#pragma once

#include <memory>
#include <signal.h>

namespace assay::runtime {

class LaneScheduler;

/// Installs the handlers. Thread-safe; cheap after the first call.
void installSignalHandlers();

/// The real-time signal that interrupts a worker.
int interruptSignal();

/// While this object lives, signals of the calling thread are offered to a scheduler. Each worker has one.
class SignalScope {
public:
  explicit SignalScope(LaneScheduler &scheduler, std::byte *alternateStack);
  ~SignalScope();
  SignalScope(const SignalScope &) = delete;

  static constexpr size_t kStackBytes = 64 << 10;

private:
  LaneScheduler *previousScheduler_;
  stack_t previousStack_{};
};

} // namespace assay::runtime
