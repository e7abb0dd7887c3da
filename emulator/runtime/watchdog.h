// Ends threadgroups that run for too long, and those that nobody needs any more.
//
// A kernel that loops for ever makes no call that could be refused, so it has to be interrupted from outside.
// One thread for each dispatch looks at every worker a few times a second; a worker that has been in the same
// threadgroup for longer than the limit gets a signal every 10 ms until it has left it. The handler
// (signals.h) takes the worker out of kernel code; in the runtime's own code it leaves it alone, and the flag
// in Progress is seen at the next wait. Workers pay two stores a threadgroup and read no clock.
//
// A threadgroup behind one that has failed already is ended the same way: its outcome is not going to be
// reported.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace assay::runtime {

/// What a worker tells the watchdog, and the answer.
struct Progress {
  std::atomic<uint64_t> serial{0};  ///< one step at the begin and at the end of each threadgroup: odd inside
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

class Watchdog {
public:
  /// limit 0: does nothing
  Watchdog(std::vector<Progress *> workers, std::chrono::milliseconds limit,
           const std::atomic<uint64_t> &firstFailed);
  ~Watchdog();

private:
  void watch();

  struct Seen {
    uint64_t serial = 0;
    std::chrono::steady_clock::time_point since;
  };
  bool look(Progress &worker, Seen &seen) const;

  const std::vector<Progress *> workers_;
  const std::chrono::milliseconds limit_;
  const std::atomic<uint64_t> &firstFailed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

} // namespace assay::runtime
