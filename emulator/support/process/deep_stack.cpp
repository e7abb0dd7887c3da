// See deep_stack.h.
#include "support/process/deep_stack.h"

#include <cfenv>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

namespace assay {
namespace {

constexpr size_t kMostIdle = 8;               // threads
constexpr size_t kTouchedBytes = 1024 * 1024; // of an idle thread's stack
constexpr size_t kPageBytes = 4096;

thread_local uintptr_t begin = 0; // of the deep stack that this thread has

struct Call {
  const std::function<void()> &function;
  std::exception_ptr thrown = nullptr;
  bool done = false;
};

// A thread with a deep stack. Whoever has it lets it make one call after the other.
class DeepThread {
public:
  static DeepThread *start() {
    auto *made = new DeepThread;
    pthread_attr_t attributes;
    pthread_t thread;
    bool started = false;
    if (pthread_attr_init(&attributes) == 0) {
      started = pthread_attr_setstacksize(&attributes, kDeepStackBytes) == 0 &&
                pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                pthread_create(&thread, &attributes, run, made) == 0;
      pthread_attr_destroy(&attributes);
    }
    if (started)
      return made;
    delete made;
    return nullptr;
  }

  void make(Call &call) {
    std::unique_lock own(mutex_);
    call_ = &call;
    changed_.notify_all();
    changed_.wait(own, [&] { return call.done; });
  }

  void end() {
    const std::lock_guard own(mutex_);
    ends_ = true;
    changed_.notify_all();
  }

private:
  static void *run(void *argument) {
    auto *const thread = static_cast<DeepThread *>(argument);
    begin = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    std::fesetenv(FE_DFL_ENV); // not what the host has set in the thread that needed it first
    thread->findStack();
    thread->work();
    delete thread;
    return nullptr;
  }

  void work() {
    std::unique_lock own(mutex_);
    while (true) {
      changed_.wait(own, [&] { return ends_ || call_; });
      if (ends_)
        return;
      Call &call = *call_;
      call_ = nullptr;
      own.unlock();
      try {
        call.function();
      } catch (...) {
        call.thrown = std::current_exception();
      }
      releaseStack();
      own.lock();
      call.done = true;
      changed_.notify_all();
    }
  }

  // A call that went deep must not keep its memory.
  void releaseStack() const {
    const uintptr_t last = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - kTouchedBytes;
    const uintptr_t first = reinterpret_cast<uintptr_t>(lowest_);
    if (lowest_ && last > first)
      madvise(lowest_, (last - first) & ~uintptr_t(kPageBytes - 1), MADV_DONTNEED);
  }

  void findStack() {
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      return;
    pthread_attr_getstack(&attributes, &lowest_, &bytes);
    pthread_attr_destroy(&attributes);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  void *lowest_ = nullptr; // of the stack
  Call *call_ = nullptr;
  bool ends_ = false;
};

// The threads that nobody has at the moment. Never destroyed: others' threads outlive main(). A child of
// fork() has none of them, and begins with another list. What became of the first one does not matter there,
// so fork() need not wait for its lock. It could wait for ever: another handler waits for compilations, and
// those may want a thread.
struct IdleThreads {
  std::mutex mutex;
  std::vector<DeepThread *> threads;

  static IdleThreads *&current() {
    static IdleThreads *idle = [] {
      pthread_atfork(nullptr, nullptr, [] { current() = new IdleThreads; });
      return new IdleThreads;
    }();
    return idle;
  }

  static DeepThread *take() {
    IdleThreads &idle = *current();
    {
      const std::lock_guard own(idle.mutex);
      if (!idle.threads.empty()) {
        DeepThread *const last = idle.threads.back();
        idle.threads.pop_back();
        return last;
      }
    }
    return DeepThread::start();
  }

  static void give(DeepThread *thread) {
    IdleThreads &idle = *current();
    {
      const std::lock_guard own(idle.mutex);
      if (idle.threads.size() < kMostIdle)
        return idle.threads.push_back(thread);
    }
    thread->end();
  }
};

} // namespace

void onDeepStack(const std::function<void()> &function) {
  DeepThread *const thread = begin ? nullptr : IdleThreads::take();
  if (!thread)
    return function();
  Call call{function};
  thread->make(call);
  IdleThreads::give(thread);
  if (call.thrown)
    std::rethrow_exception(call.thrown);
}

size_t deepStackUsed() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return begin > here ? begin - here : 0;
}

} // namespace assay
