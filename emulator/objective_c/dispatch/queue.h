// Queues, for the files that submit to them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "objective_c/dispatch/object.h"

// A serial queue runs its work in order. A concurrent queue starts its work in order, and runs barriers
// alone. The global queues are concurrent without barriers. A queue with work holds a reference to itself.
struct dispatch_queue_s final : dispatch_object_s {
  dispatch_queue_s(void *isa, const char *label, bool concurrent, bool ofLibrary = false)
      : dispatch_object_s(isa), label(label ? label : ""), concurrent(concurrent), ofLibrary(ofLibrary) {}

  struct Item {
    assay::dispatch::Work work;
    bool barrier;
  };

  void async(assay::dispatch::Work work, bool barrier);
  void sync(assay::dispatch::Work work, bool barrier);

  const std::string label;
  const bool concurrent;
  const bool ofLibrary; // the main queue or the global one

private:
  void pump(); // starts what may start; with the lock held
  void finished(bool barrier);
  static void runOne(void *started); // on a thread of the pool
  struct Started;

  std::mutex lock_;
  std::deque<Item> items_;
  unsigned running_ = 0;
  bool barrierRuns_ = false;
};
