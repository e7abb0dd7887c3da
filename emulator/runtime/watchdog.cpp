// See watchdog.h.
#include "runtime/watchdog.h"

#include "runtime/signals.h"

#include <algorithm>
#include <signal.h>

namespace assay::runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kImpatient{10}; // between the signals to a worker that is to stop
constexpr milliseconds kPatient{50};   // the most between two looks

milliseconds patience(milliseconds limit) {
  return std::clamp(limit / 10, milliseconds(1), kPatient);
}

} // namespace

// ---- one dispatch ----

Watch::Watch(std::vector<Progress *> workers, milliseconds limit, const FirstFailure &failure)
    : workers_(std::move(workers)), limit_(limit), failure_(failure), seen_(workers_.size()),
      owner_(pthread_self()) {
  if (limit_.count() > 0)
    keeps_ = Watchdog::shared().add(*this);
}

Watch::~Watch() {
  if (limit_.count() > 0)
    Watchdog::shared().remove(*this);
}

bool Watch::look(Progress &worker, Seen &seen, Time now) const {
  const uint64_t serial = worker.serial.load(std::memory_order_acquire);
  if (serial != seen.serial)
    seen = {serial, now};
  const bool needless = !failure_.counts(worker.groupIndex.load(std::memory_order_relaxed));
  if (serial % 2 == 0 || (now - seen.since < limit_ && !needless))
    return false;
  worker.stopFor.store(serial, std::memory_order_relaxed);
  std::lock_guard lock(worker.threadMutex);
  if (worker.bound)
    pthread_kill(worker.thread, interruptSignal());
  return true;
}

void Watch::look(Time now) {
  bool stopping = false;
  for (size_t i = 0; i < workers_.size(); ++i)
    stopping |= look(*workers_[i], seen_[i], now);
  due_ = now + (stopping ? kImpatient : patience(limit_));
}

// ---- all of them ----

Watchdog *&Watchdog::current() {
  static Watchdog *dog = new Watchdog; // never destroyed: its thread and others' dispatches outlive main()
  return dog;
}

bool Watchdog::add(Watch &watch) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (!started_ && !startThread())
      return false;
    started_ = news_ = true;
    watch.due_ = std::chrono::steady_clock::now() + patience(watch.limit_);
    watches_.push_back(&watch);
    if (watch.due_ < wakeAt_) {
      wakeAt_ = watch.due_;
      wake = true;
    }
  }
  if (wake)
    wake_.notify_one();
  return true;
}

void Watchdog::remove(Watch &watch) {
  std::lock_guard lock(mutex_);
  std::erase(watches_, &watch);
}

// The host's signals are not for this thread.
bool Watchdog::startThread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const auto body = [](void *dog) -> void * { static_cast<Watchdog *>(dog)->run(); };
  const bool started = pthread_create(&thread, nullptr, body, this) == 0;
  if (started)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    wakeAt_ = news_ ? now + kPatient : Watch::Time::max();
    for (Watch *watch : watches_) {
      if (watch->due_ <= now)
        watch->look(now);
      wakeAt_ = std::min(wakeAt_, watch->due_);
    }
    news_ = false;
    if (wakeAt_ == Watch::Time::max())
      wake_.wait(lock);
    else
      wake_.wait_until(lock, Watch::Time(wakeAt_));
  }
}

void Watchdog::beginInChild() {
  auto *dog = new Watchdog;
  for (Watch *watch : current()->watches_)
    if (pthread_equal(watch->owner_, pthread_self()))
      dog->watches_.push_back(watch);
  dog->ofParent_ = current();
  current() = dog;
}

} // namespace assay::runtime
