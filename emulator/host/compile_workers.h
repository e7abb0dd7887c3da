// Threads that make native code while the host goes on: one for each processor. Not installed.
//
// Problem.  A host asks for many pipelines and encodes their dispatches one after the other. Most of what a
//           pipeline costs is code generation, and nobody needs its result before the dispatch runs.
// Choice.   What can be made early is posted here. Nothing depends on it being done: whoever needs a result
//           that nobody has begun makes it himself (code_task.h), so that the workers can only save time.
// Lock.     What is begun and what is done is known under one lock, which is never held for long. Compiling
//           itself is done as a Compilation, without the lock.
// Fork.     fork() waits until no Compilation is under way, because locks inside of LLVM would stay locked in
//           the child. The child starts workers of its own.
// Exit.     exit() waits for the workers, because what it does next destroys LLVM's static objects. What they
//           have not begun they leave. exit() calls the newest handler first, and LLVM makes static objects
//           when it first needs them: so the first call is made at once by who posts it, and the handler is
//           registered again after each call.
#pragma once

#include <functional>
#include <mutex>

namespace assay::detail {

class CompileWorkers {
public:
  /// call   may be made on any thread, this one included, or never; it must not throw
  static void post(std::function<void()> call);

  /// The lock of what is begun and what is done.
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
