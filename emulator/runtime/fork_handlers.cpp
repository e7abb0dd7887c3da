// A child has only the thread that forked. Locks that other threads held would stay locked in it, with what
// they protect half changed. So the forking thread takes every lock of the process first, in the order in
// which the runtime itself takes them: contexts, then stacks. The others are never held together with one of
// these.
#include "runtime/fork_handlers.h"

#include "runtime/exit_gate.h"
#include "runtime/fiber.h"
#include "runtime/task_arenas.h"
#include "runtime/watchdog.h"
#include "runtime/worker_context.h"

#include <pthread.h>

namespace assay::runtime {
namespace {

void hold() {
  WorkerContextPool::shared().hold();
  StackPool::shared().hold();
  TaskArenas::shared().hold();
  ExitGate::hold();
  Watchdog::holdForFork();
}

void goOn() {
  TaskArenas::shared().goOn();
  StackPool::shared().goOn();
  WorkerContextPool::shared().goOn();
}

} // namespace

void installForkHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(
        hold,
        [] {
          Watchdog::goOnInParent();
          ExitGate::goOnInParent();
          goOn();
        },
        [] {
          Watchdog::beginInChild();
          ExitGate::beginInChild();
          goOn();
        });
  });
}

} // namespace assay::runtime
