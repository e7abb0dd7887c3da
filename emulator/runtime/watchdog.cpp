// See watchdog.h.
#include "runtime/watchdog.h"

#include "runtime/signals.h"

#include <algorithm>
#include <signal.h>

namespace assay::runtime {

using std::chrono::milliseconds;

Watchdog::Watchdog(std::vector<Progress *> workers, milliseconds limit,
                   const std::atomic<uint64_t> &firstFailed)
    : workers_(std::move(workers)), limit_(limit), firstFailed_(firstFailed) {
  if (limit_.count() > 0)
    thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool Watchdog::look(Progress &worker, Seen &seen) const {
  const uint64_t serial = worker.serial.load(std::memory_order_acquire);
  const auto now = std::chrono::steady_clock::now();
  if (serial != seen.serial)
    seen = {serial, now};
  const bool needless =
      worker.groupIndex.load(std::memory_order_relaxed) > firstFailed_.load(std::memory_order_relaxed);
  if (serial % 2 == 0 || (now - seen.since < limit_ && !needless))
    return false;
  worker.stopFor.store(serial, std::memory_order_relaxed);
  std::lock_guard lock(worker.threadMutex);
  if (worker.bound)
    pthread_kill(worker.thread, interruptSignal());
  return true;
}

void Watchdog::watch() {
  std::vector<Seen> seen(workers_.size());
  const milliseconds patient = std::clamp(limit_ / 10, milliseconds(1), milliseconds(50)), impatient(10);
  bool stopping = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stopping ? impatient : patient, [this] { return done_; })) {
    stopping = false;
    for (size_t i = 0; i < workers_.size(); ++i)
      stopping |= look(*workers_[i], seen[i]);
  }
}

} // namespace assay::runtime
