// Ends threadgroups that run for too long, and those that nobody needs any more.
//
// A kernel that loops for ever makes no call that could be refused, so it has to be interrupted from outside.
// One thread for the whole process looks at every worker at regular times. A worker that has been in the same
// threadgroup for longer than the limit gets a signal every 10 ms until it has left it. The handler
// (signals.h) takes the worker out of kernel code. It does not interrupt the runtime's own code, which sees
// the flag in Progress at the next wait. Workers pay two stores for each threadgroup, and read no clock.
//
// A threadgroup that follows a failed one in grid order is ended the same way: its outcome will not be
// reported.
//
// Problem.  Hosts issue thousands of dispatches that take some microseconds each. A thread for each dispatch
//           costs more than such a dispatch itself, and on a busy machine the end of that thread has to wait
//           for its turn to run.
// Choice.   A dispatch enters itself into a list (Watch) and wakes nobody if the thread is going to look in
//           time anyway. If a dispatch has come since it last looked, the thread looks again after 50 ms;
//           otherwise it sleeps until somebody wakes it, so nothing runs in a process that dispatches
//           nothing.
// Rejected. A timer signal for each worker (timer_create): a system call on each side of a dispatch, and it
//           interrupts the host's own calls. A check of the clock by the workers: a kernel in a loop makes no
//           call.
// The end.  Nobody joins the thread: a static destructor that waits for a thread can hang (in a shared
//           library, under the loader's lock). It is detached and the list is never destroyed, so exit() may
//           come at any time. The shared libraries are linked with -z nodelete: dlclose() must not take away
//           the code of this thread, of TBB's threads or of the signal handlers.
// Fork.     A child has only the thread that forked. It begins with a new list (fork_handlers.cpp) and starts
//           its own watchdog thread with its first dispatch.
#pragma once

#include "runtime/first_failure.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace assay::runtime {

/// What a worker tells the watchdog, and the watchdog's answer.
struct Progress {
  std::atomic<uint64_t> serial{0};  ///< counted up at both ends of a threadgroup, so odd inside one
  std::atomic<uint64_t> stopFor{0}; ///< the serial that is to end
  std::atomic<uint64_t> groupIndex{0};

  void enter(uint64_t index) {
    groupIndex.store(index, std::memory_order_relaxed);
    serial.store(serial.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void leave() { serial.store(serial.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  bool inside() const { return serial.load(std::memory_order_relaxed) & 1; }
  bool stopAsked() const {
    return stopFor.load(std::memory_order_relaxed) == serial.load(std::memory_order_relaxed) && inside();
  }

  /// The thread that the worker runs on. The lock keeps it alive while a signal is sent.
  std::mutex threadMutex;
  bool bound = false;
  pthread_t thread{};
};

/// Watches over one dispatch while it lives.
class Watch {
public:
  /// limit 0: does nothing
  Watch(std::vector<Progress *> workers, std::chrono::milliseconds limit, const FirstFailure &failure);
  ~Watch();
  Watch(const Watch &) = delete;
  /// False if the system had no thread for it.
  bool keeps() const { return keeps_; }

private:
  friend class Watchdog;
  using Time = std::chrono::steady_clock::time_point;

  struct Seen {
    uint64_t serial = 0;
    Time since;
  };
  void look(Time now);
  bool look(Progress &worker, Seen &seen, Time now) const;

  const std::vector<Progress *> workers_;
  const std::chrono::milliseconds limit_;
  const FirstFailure &failure_;
  std::vector<Seen> seen_;
  Time due_; ///< when to look next
  const pthread_t owner_;
  bool keeps_ = true;
};

/// The process's one thread, and what it looks at. Thread-safe.
class Watchdog {
public:
  static Watchdog &shared() { return *current(); }
  /// False if it needs a thread and the system has none.
  bool add(Watch &watch);
  void remove(Watch &watch);

  // For fork(): between the first and one of the others, nothing changes. See fork_handlers.cpp.
  static void holdForFork() { current()->mutex_.lock(); }
  static void goOnInParent() { current()->mutex_.unlock(); }
  /// Keeps what the forking thread itself has added. The rest, including the mutex, is never used again.
  static void beginInChild();

private:
  Watchdog() = default;
  static Watchdog *&current();
  bool startThread();
  [[noreturn]] void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Watch *> watches_;
  Watch::Time wakeAt_ = Watch::Time::max(); ///< when the thread looks if nobody wakes it
  bool news_ = false;                       ///< something was added since it last looked
  bool started_ = false;
  Watchdog *ofParent_ = nullptr; ///< in a child of fork()
};

} // namespace assay::runtime
