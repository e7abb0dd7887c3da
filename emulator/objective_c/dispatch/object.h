// What every dispatch object has: a count, a context and a finaliser. C sees the C++ objects as opaque
// pointers.
#pragma once

#include <atomic>

#include <dispatch/dispatch.h>

struct dispatch_object_s {
  std::atomic<int> references{1};
  void *context = nullptr;
  dispatch_function_t finalizer = nullptr;
  const bool permanent; // of the library: never goes

  explicit dispatch_object_s(bool permanent = false) : permanent(permanent) {}
  virtual ~dispatch_object_s() = default;
};

namespace assay::dispatch {

// A C function and its context: what every block becomes.
struct Work {
  dispatch_function_t function;
  void *context;
};

// Runs work in an autorelease pool of its own.
void run(const Work &work);

// Stops the program: a client broke a rule that Apple's library traps on, too.
[[noreturn]] void trap(const char *rule);

} // namespace assay::dispatch
