// See compile_workers.h.
#include "compile_workers.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

namespace assay::detail {

struct CompileWorkers::State {
  std::mutex mutex;
  std::condition_variable changed, posted;
  std::deque<std::function<void()>> calls;
  std::vector<std::thread> threads;
  size_t idle = 0, compiling = 0;
  bool forking = false, exiting = false, first = true;

  void work() {
    std::unique_lock own(mutex);
    while (!exiting) {
      if (calls.empty()) {
        ++idle;
        posted.wait(own, [&] { return exiting || !calls.empty(); });
        --idle;
        continue;
      }
      std::function<void()> call = std::move(calls.front());
      calls.pop_front();
      own.unlock();
      call();
      call = nullptr; // what it holds goes before the lock is taken
      std::atexit(finish);
      own.lock();
    }
  }

  // A child has none of the threads, and what they wait on would stay in use: it begins with a new state.
  static State *&current() {
    static State *state = nullptr;
    return state;
  }
  static void hold() {
    State &state = *current();
    std::unique_lock own(state.mutex);
    state.changed.wait(own, [&] { return !state.forking; }); // one fork after the other
    state.forking = true;
    state.changed.wait(own, [&] { return state.compiling == 0; });
    own.release();
  }
  static void goOnInParent() {
    State &state = *current();
    state.forking = false;
    state.mutex.unlock();
    state.changed.notify_all();
  }
  static void beginInChild() {
    const State &parents = *current();
    State *own = new State;
    own->calls = parents.calls;
    own->exiting = parents.exiting;
    own->first = parents.first;
    current() = own;
  }
  static void finish() {
    State &state = *current();
    std::vector<std::thread> threads;
    {
      const std::lock_guard own(state.mutex);
      state.exiting = true;
      state.calls.clear();
      threads.swap(state.threads);
    }
    state.posted.notify_all();
    for (std::thread &thread : threads)
      if (thread.get_id() != std::this_thread::get_id())
        thread.join();
      else
        thread.detach();
  }
};

// Never destroyed: others' threads outlive main().
CompileWorkers::State &CompileWorkers::state() {
  static const bool installed = [] {
    State::current() = new State;
    pthread_atfork(State::hold, State::goOnInParent, State::beginInChild);
    return true;
  }();
  (void)installed;
  return *State::current();
}

void CompileWorkers::post(std::function<void()> call) {
  State &state = CompileWorkers::state();
  std::unique_lock own(state.mutex);
  if (state.exiting)
    return;
  if (std::exchange(state.first, false)) {
    own.unlock();
    call();
    std::atexit(State::finish);
    return;
  }
  state.calls.push_back(std::move(call));
  if (state.idle < state.calls.size() &&
      state.threads.size() < std::max(1u, std::thread::hardware_concurrency()))
    state.threads.emplace_back([&state] { state.work(); });
  state.posted.notify_one();
}

std::unique_lock<std::mutex> CompileWorkers::lock() {
  return std::unique_lock(state().mutex);
}

void CompileWorkers::wait(std::unique_lock<std::mutex> &lock, const std::function<bool()> &done) {
  state().changed.wait(lock, done);
}

void CompileWorkers::announce() {
  state().changed.notify_all();
}

namespace {
thread_local unsigned nested = 0;
}

CompileWorkers::Compilation::Compilation() {
  if (nested++)
    return; // a fork that waits would wait for this thread
  State &state = CompileWorkers::state();
  std::unique_lock own(state.mutex);
  state.changed.wait(own, [&] { return !state.forking; });
  ++state.compiling;
}

CompileWorkers::Compilation::~Compilation() {
  if (--nested)
    return;
  State &state = CompileWorkers::state();
  {
    const std::lock_guard own(state.mutex);
    --state.compiling;
  }
  state.changed.notify_all();
}

} // namespace assay::detail
