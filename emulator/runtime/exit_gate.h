// exit(): once it has begun, no dispatch uses TBB, because it destroys TBB's static objects.
//
// Problem.  A host may call exit() while its threads dispatch. TBB's destructors then take away what TBB's
//           threads are using, and the process ends with "pure virtual method called" instead of its exit
//           code.
// Choice.   A handler that exit() calls before those destructors, because it was registered after them. It
//           lets no more dispatches use TBB (later ones, such as from a destructor of the host, run on one
//           worker) and waits for those that do. A kernel may take long, or call exit() itself in a log
//           handler: after kMostWait the handler returns.
// Rejected. To end what runs: the host would see an error that its kernel has not made, and could still print
//           it.
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
