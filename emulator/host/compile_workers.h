// Threads that make native code while the host continues: one for each processor. Not installed.
//
// Problem.  A host asks for many pipelines and encodes their dispatches one after the other. Code generation
//           is most of the cost of a pipeline, and its result is not needed before the dispatch runs.
// Choice.   Compilations that can be done early are posted here. No caller depends on the workers: if a
//           compilation has not been started when its result is needed, the caller does it (code_task.h). So
//           the workers can only save time.
// Lock.     One lock protects the record of what has been started and what is done, and is never held for
//           long. Compiling itself needs an object of class Compilation, and not the lock.
// Fork.     fork() waits until no Compilation is running, because locks inside of LLVM would stay locked in
//           the child. The child starts its own workers.
// Exit.     exit() waits for the workers, because afterwards it destroys LLVM's static objects. The workers
//           start nothing more. exit() calls the newest handler first, and LLVM makes static objects when it
//           first needs them. So the thread that posts the first compilation does it itself, at once, and the
//           handler is registered again after each compilation.
#pragma once

#include <functional>
#include <mutex>

namespace assay::detail {

class CompileWorkers {
public:
  /// call   may be made on any thread, this one included, or never; it must not throw
  static void post(std::function<void()> call);

  /// The lock of the record of what has been started and what is done.
  static std::unique_lock<std::mutex> lock();
  /// Waits until `done` is true, which others make so under the lock.
  static void wait(std::unique_lock<std::mutex> &lock, const std::function<bool()> &done);
  /// Wakes those who wait.
  static void announce();

  /// Code is being compiled on this thread for as long as this object lives. They may be nested.
  class Compilation {
  public:
    Compilation();
    ~Compilation();
    Compilation(const Compilation &) = delete;
  };

private:
  struct State;
  static State &state();
};

} // namespace assay::detail
