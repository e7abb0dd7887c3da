#include "serial_worker.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace assay::detail {

struct SerialWorker::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> calls;
  bool closing = false;
  std::thread thread;
  std::thread::id id; // set before the first call

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return closing || !calls.empty(); });
      if (calls.empty())
        return;
      std::function<void()> call = std::move(calls.front());
      calls.pop_front();
      lock.unlock();
      call();
      call = nullptr; // before the lock is taken again: the call may hold our owner
      lock.lock();
    }
  }
};

SerialWorker::SerialWorker() : state_(std::make_shared<State>()) {}

SerialWorker::~SerialWorker() {
  std::unique_lock lock(state_->mutex);
  state_->closing = true;
  state_->wake.notify_all();
  if (!state_->thread.joinable())
    return;
  std::thread thread = std::move(state_->thread);
  lock.unlock();
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

void SerialWorker::post(std::function<void()> call) {
  std::lock_guard lock(state_->mutex);
  state_->calls.push_back(std::move(call));
  if (!state_->thread.joinable()) {
    state_->thread = std::thread([state = state_] { state->work(); });
    state_->id = state_->thread.get_id();
  }
  state_->wake.notify_one();
}

bool SerialWorker::isCurrentThread() const {
  std::lock_guard lock(state_->mutex);
  return state_->id == std::this_thread::get_id();
}

} // namespace assay::detail
