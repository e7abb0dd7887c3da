// See exit_gate.h.
#include "runtime/exit_gate.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace assay::runtime {
namespace {

struct State {
  std::mutex mutex;
  std::condition_variable left;
  size_t inside = 0;
  bool shut = false;
};

State &state() {
  static State *state = [] {
    std::atexit([] {
      State &gate = runtime::state();
      std::unique_lock lock(gate.mutex);
      gate.shut = true;
      gate.left.wait_for(lock, ExitGate::kMostWait, [&] { return gate.inside == 0; });
    });
    return new State; // never destroyed: others' dispatches outlive main()
  }();
  return *state;
}

} // namespace

ExitGate::ExitGate() {
  State &gate = state();
  const std::lock_guard lock(gate.mutex);
  open_ = !gate.shut;
  gate.inside += open_;
}

ExitGate::~ExitGate() {
  if (!open_)
    return;
  State &gate = state();
  const std::lock_guard lock(gate.mutex);
  if (gate.inside > 0) // none in a child of fork()
    --gate.inside;
  gate.left.notify_all();
}

void ExitGate::hold() {
  state().mutex.lock();
}
void ExitGate::goOnInParent() {
  state().mutex.unlock();
}
void ExitGate::beginInChild() {
  state().inside = 0;
  state().mutex.unlock();
}

} // namespace assay::runtime
