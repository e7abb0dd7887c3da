// Counting semaphores.
#include <condition_variable>
#include <mutex>

#include "objective_c/dispatch/thread_pool.h"
#include "objective_c/dispatch/time.h"

using namespace assay::dispatch;

struct dispatch_semaphore_s final : dispatch_object_s {
  dispatch_semaphore_s(void *isa, intptr_t value) : dispatch_object_s(isa), value(value) {}

  std::mutex lock;
  std::condition_variable raised;
  intptr_t value;
  intptr_t waiters = 0;
};

extern "C" {

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) {
  return value < 0 ? nullptr : make<dispatch_semaphore_s>(Kind::OS_dispatch_semaphore, value);
}

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t timeout) {
  std::unique_lock lock(semaphore->lock);
  if (!semaphore->value) {
    Waiting waiting;
    ++semaphore->waiters;
    const bool got = waitUntil(timeout, lock, semaphore->raised, [&] { return semaphore->value > 0; });
    --semaphore->waiters;
    if (!got)
      return 1;
  }
  --semaphore->value;
  return 0;
}

// Returns whether a thread waited. Notifies with the lock held: the waiter may release the semaphore as soon
// as it wakes.
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) {
  std::lock_guard locked(semaphore->lock);
  ++semaphore->value;
  if (!semaphore->waiters)
    return 0;
  semaphore->raised.notify_one();
  return 1;
}
}
