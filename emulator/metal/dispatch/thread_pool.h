// The threads that blocks run on.
//
// Blocks may wait: for semaphores, groups, locks, the GPU, or each other. So the pool has as many threads as
// processors while work flows, and grows when it does not: an overseer looks every few milliseconds, as long as work
// is pending, and adds a thread if none was taken meanwhile. Waits that go through dispatch itself are known and need
// no overseer.
//
// Not TBB, whose threads run Assay's kernels: its tasks must not block (a host that waits in a block for a kernel
// would take the thread that the kernel needs), and a thread has state here, its autorelease pools and thread-local
// variables.
#pragma once

#include "metal/dispatch/object.h"

namespace assay::dispatch {

// Runs work some time, on some thread.
void submit(Work work);

// Runs work at a point of the monotonic clock, in nanoseconds.
void submitAt(uint64_t nanoseconds, Work work);

uint64_t monotonicNow();

// Between the two, a thread of the pool waits and another may run in its place. Harmless on other threads.
class Waiting {
public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;
};

unsigned processors();

} // namespace assay::dispatch
