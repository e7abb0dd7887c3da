// The threads that blocks run on.
//
// Blocks may wait: for semaphores, groups, locks, the GPU, or each other. So the pool has as many threads as
// processors, and grows when work stops flowing. While work is pending, an overseer looks every few
// milliseconds, and adds a thread if no work was taken since it last looked. Waits that go through dispatch
// itself are known and need no overseer.
//
// The pool does not use TBB, whose threads run Assay's kernels. TBB's tasks must not block: a block that
// waits for a kernel would take the thread that the kernel needs. Also, a thread of this pool has state: its
// autorelease pools and thread-local variables.
#pragma once

#include "objective_c/dispatch/object.h"

namespace assay::dispatch {

// Runs work at some time, on some thread.
void submit(Work work);

// Runs work at a time of the monotonic clock, in nanoseconds.
void submitAt(uint64_t nanoseconds, Work work);

uint64_t monotonicNow();

// While it lives, a thread of the pool waits, and another thread may run instead. Harmless on other threads.
class Waiting {
public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;
};

unsigned processors();

} // namespace assay::dispatch
