// Keeps dispatches from using TBB after exit() has begun, because exit() destroys TBB's static objects.
//
// Problem.  A host may call exit() while its threads dispatch. TBB's destructors then destroy objects that
//           TBB's threads are using, and the process ends with "pure virtual method called" instead of its
//           exit code.
// Choice.   exit() calls a handler of ours before those destructors, because it was registered after them. It
//           lets no further dispatch use TBB: a later one, for example from a destructor of the host, runs on
//           one worker. It waits for the dispatches that already use TBB, but no longer than kMostWait. A
//           kernel may take long, or a log handler may itself have called exit().
// Rejected. Ending the dispatches that run: the host would see an error that its kernel did not cause, and
//           could still print it.
// Fork.     A child begins with no dispatch inside the gate (fork_handlers.cpp): it has none of the parent's
//           threads.
#pragma once

#include <chrono>

namespace assay::runtime {

/// Permission for one dispatch to use TBB, for the lifetime of this object. Thread-safe.
class ExitGate {
public:
  static constexpr std::chrono::seconds kMostWait{2};

  ExitGate();
  ~ExitGate();
  ExitGate(const ExitGate &) = delete;
  /// False once exit() has begun.
  bool open() const { return open_; }

  // For fork(): between hold() and one of the others, nothing changes.
  static void hold();
  static void goOnInParent();
  static void beginInChild();

private:
  bool open_ = false;
};

} // namespace assay::runtime
