// The pool of threads; thread_pool.h says how it grows.
#include "objective_c/dispatch/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sched.h>

namespace assay::dispatch {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStall = std::chrono::milliseconds(5);
constexpr auto kIdle = std::chrono::seconds(2); // after that, a thread beyond the number of processors ends
constexpr unsigned kMaxThreads = 512;

class Pool {
public:
  void submit(Work work) {
    std::lock_guard locked(lock_);
    pending_.push_back(work);
    provide();
  }

  void submitAt(uint64_t when, Work work) {
    std::lock_guard locked(lock_);
    timed_.emplace(when, work);
    needOverseer();
    overseerWakes_.notify_one();
  }

  void beginWait() {
    std::lock_guard locked(lock_);
    ++waiting_;
    provide();
  }

  void endWait() {
    std::lock_guard locked(lock_);
    --waiting_;
  }

private:
  // With the lock held: makes sure that a thread will take the pending work. A woken thread counts as idle
  // until it has the lock, so each counts for one piece of work.
  void provide() {
    if (pending_.empty())
      return;
    if (pending_.size() <= idle_) {
      workersWake_.notify_one();
    } else if (threads_ - waiting_ < processors() && threads_ < kMaxThreads) {
      addThread();
    } else if (!watching_) {
      needOverseer();
      overseerWakes_.notify_one();
    }
  }

  void addThread() {
    if (threads_ >= kMaxThreads)
      return;
    ++threads_;
    std::thread([this] { work(); }).detach();
  }

  void needOverseer() {
    if (std::exchange(hasOverseer_, true))
      return;
    std::thread([this] { oversee(); }).detach();
  }

  void work();

  void oversee() {
    pthread_setname_np(pthread_self(), "dispatch-watch");
    std::unique_lock lock(lock_);
    while (true) {
      const bool stalled = !pending_.empty();
      const uint64_t taken = taken_;
      watching_ = stalled;
      if (stalled)
        overseerWakes_.wait_for(lock, kStall);
      else if (timed_.empty())
        overseerWakes_.wait(lock);
      else
        overseerWakes_.wait_until(lock, Clock::time_point(std::chrono::nanoseconds(timed_.begin()->first)));
      const uint64_t now = monotonicNow();
      while (!timed_.empty() && timed_.begin()->first <= now) {
        pending_.push_back(timed_.begin()->second);
        timed_.erase(timed_.begin());
        provide();
      }
      if (stalled && taken == taken_ && !pending_.empty())
        addThread();
    }
  }

  std::mutex lock_;
  std::condition_variable workersWake_, overseerWakes_;
  std::deque<Work> pending_;
  std::multimap<uint64_t, Work> timed_;
  unsigned threads_ = 0, idle_ = 0, waiting_ = 0;
  uint64_t taken_ = 0; // how much work was ever taken up
  bool hasOverseer_ = false;
  bool watching_ = false; // the overseer knows that work is pending
};

// Never destroyed: its threads are not joined when the program ends.
Pool &pool() {
  static Pool &only = *new Pool;
  return only;
}

thread_local bool isWorker = false;

void Pool::work() {
  isWorker = true;
  pthread_setname_np(pthread_self(), "dispatch");
  std::unique_lock lock(lock_);
  while (true) {
    while (pending_.empty()) {
      ++idle_;
      const bool woken = workersWake_.wait_for(lock, kIdle) == std::cv_status::no_timeout;
      --idle_;
      if (!woken && pending_.empty() && threads_ > processors()) {
        --threads_;
        return;
      }
    }
    const Work next = pending_.front();
    pending_.pop_front();
    ++taken_;
    provide(); // what is left
    lock.unlock();
    run(next);
    lock.lock();
  }
}

} // namespace

void submit(Work work) {
  pool().submit(work);
}
void submitAt(uint64_t nanoseconds, Work work) {
  pool().submitAt(nanoseconds, work);
}

uint64_t monotonicNow() {
  return uint64_t(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

Waiting::Waiting() {
  if (isWorker)
    pool().beginWait();
}

Waiting::~Waiting() {
  if (isWorker)
    pool().endWait();
}

unsigned processors() {
  static const unsigned count = [] {
    cpu_set_t set;
    return std::max(1, sched_getaffinity(0, sizeof set, &set) ? int(std::thread::hardware_concurrency())
                                                              : CPU_COUNT(&set));
  }();
  return count;
}

} // namespace assay::dispatch
