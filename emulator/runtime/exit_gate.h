// exit(): from then on no dispatch uses TBB, whose static objects end in it.
//
// Problem   A host may call exit() while threads of it dispatch. TBB's destructors then take away what its threads are
//           using, and the process ends with "pure virtual method called" instead of with its exit code.
// Choice    A handler that exit() calls before those destructors, as it was registered behind them. It lets no dispatch
//           in any more (what comes later, be it from a destructor of the host, runs on one worker) and waits for those
//           that are in. A kernel may take long, or call exit() itself in a log handler: after kMostWait it goes on.
// Rejected  To end what runs: its host would see an error that its kernel has not made, and could still print it.
// Fork      A child begins with nobody inside (fork_handlers.cpp): the threads of the parent's dispatches are not in it.
#pragma once

#include <chrono>

namespace assay::runtime {

/// A dispatch's leave to use TBB, while it lives. Thread-safe.
class ExitGate {
public:
  static constexpr std::chrono::seconds kMostWait{2};

  ExitGate();
  ~ExitGate();
  ExitGate(const ExitGate &) = delete;
  /// False once exit() has begun.
  bool open() const { return open_; }

  // For fork(): between hold and one of the others nothing changes.
  static void hold();
  static void goOnInParent();
  static void beginInChild();

private:
  bool open_ = false;
};

} // namespace assay::runtime
