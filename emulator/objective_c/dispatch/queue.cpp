// Queues: serial, concurrent with barriers, global and main.
#include "objective_c/dispatch/queue.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include <unistd.h>

#include "objective_c/dispatch/thread_pool.h"

using namespace assay::dispatch;

namespace {

// The queues whose blocks this thread is running: a list on its stack. A destructor of the thread's own
// objects may use queues, too, so nothing here may have one.
struct InQueue {
  explicit InQueue(dispatch_queue_s *q) : queue(q), outer(innermost) { innermost = this; }
  ~InQueue() { innermost = outer; }

  static bool contains(dispatch_queue_s *queue) {
    const InQueue *each = innermost;
    while (each && each->queue != queue)
      each = each->outer;
    return each;
  }

  dispatch_queue_s *const queue;
  InQueue *const outer;
  static thread_local InQueue *innermost;
};
thread_local InQueue *InQueue::innermost = nullptr;

} // namespace

struct dispatch_queue_s::Started {
  dispatch_queue_s *queue;
  Item item;
};

void dispatch_queue_s::pump() {
  while (!items_.empty() && !barrierRuns_) {
    const bool alone = items_.front().barrier || !concurrent;
    if (alone && running_)
      return;
    ++running_;
    barrierRuns_ = alone;
    dispatch_retain(this);
    submit({runOne, new Started{this, items_.front()}});
    items_.pop_front();
  }
}

void dispatch_queue_s::finished(bool) {
  std::lock_guard locked(lock_);
  --running_;
  barrierRuns_ = false;
  pump();
}

void dispatch_queue_s::runOne(void *context) {
  const std::unique_ptr<Started> started(static_cast<Started *>(context));
  dispatch_queue_s *queue = started->queue;
  {
    InQueue in(queue);
    run(started->item.work);
  }
  queue->finished(started->item.barrier);
  dispatch_release(queue);
}

void dispatch_queue_s::async(Work work, bool barrier) {
  std::lock_guard locked(lock_);
  items_.push_back({work, barrier});
  pump();
}

// The work runs on the caller's thread when its turn comes: the queue's item for it admits the caller and
// waits.
void dispatch_queue_s::sync(Work work, bool barrier) {
  if (ofLibrary && concurrent) { // a global queue has no order that the caller could wait for
    InQueue in(this);
    return run(work);
  }
  if (!concurrent && InQueue::contains(this))
    trap("dispatch_sync on the serial queue that the caller runs in waits for itself");
  {
    std::unique_lock lock(lock_);
    const bool alone = barrier || !concurrent;
    if (items_.empty() && !barrierRuns_ && !(alone && running_)) {
      ++running_;
      barrierRuns_ = alone;
      lock.unlock();
      {
        InQueue in(this);
        run(work);
      }
      return finished(barrier);
    }
  }
  struct Turn {
    std::mutex lock;
    std::condition_variable changed;
    bool come = false, over = false;
  } turn;
  async({[](void *context) {
           auto &mine = *static_cast<Turn *>(context);
           std::unique_lock lock(mine.lock);
           mine.come = true;
           mine.changed.notify_all();
           Waiting waiting;
           mine.changed.wait(lock, [&] { return mine.over; });
           mine.come = false;
           mine.changed.notify_all();
         },
         &turn},
        barrier);
  {
    std::unique_lock lock(turn.lock);
    Waiting waiting;
    turn.changed.wait(lock, [&] { return turn.come; });
  }
  {
    InQueue in(this);
    run(work);
  }
  std::unique_lock lock(turn.lock);
  turn.over = true;
  turn.changed.notify_all();
  turn.changed.wait(lock, [&] { return !turn.come; }); // `turn` is not read after that
}

struct dispatch_queue_attr_s : dispatch_object_s {
  constexpr dispatch_queue_attr_s() : dispatch_object_s(nullptr) {}
};

namespace {

dispatch_queue_s &mainQueue() {
  static dispatch_queue_s &only =
      *make<dispatch_queue_s>(Kind::OS_dispatch_queue_main, "com.apple.main-thread", false, true);
  return only;
}

dispatch_queue_s *orDefault(dispatch_queue_s *queue) {
  return queue ? queue : dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0);
}

// What the threads of one dispatch_apply share.
struct Apply {
  std::atomic<size_t> next{0};
  size_t count;
  void *context;
  void (*work)(void *, size_t);
  std::mutex lock;
  std::condition_variable changed;
  unsigned helpers = 0; // that have not ended
  bool closed = false;  // later helpers have nothing to do

  void takePart() {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      struct One {
        Apply &all;
        size_t index;
      } one{*this, i};
      run({[](void *context) {
             auto &mine = *static_cast<One *>(context);
             mine.all.work(mine.all.context, mine.index);
           },
           &one});
    }
  }
};

} // namespace

extern "C" {

constinit dispatch_queue_attr_s _dispatch_queue_attr_concurrent;

dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attributes) {
  const bool concurrent = attributes == &_dispatch_queue_attr_concurrent;
  const Kind kind = concurrent ? Kind::OS_dispatch_queue_concurrent : Kind::OS_dispatch_queue_serial;
  return make<dispatch_queue_s>(kind, label, concurrent);
}

dispatch_queue_t dispatch_queue_create_with_target(const char *label, dispatch_queue_attr_t attributes,
                                                   dispatch_queue_t target) {
  if (target && !(target->ofLibrary && target->concurrent))
    trap("a queue whose target is not a global queue is not supported");
  return dispatch_queue_create(label, attributes);
}

// Qualities of service have no effect: all threads are alike.
dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attributes,
                                                              dispatch_qos_class_t, int) {
  return attributes;
}

dispatch_queue_global_t dispatch_get_global_queue(intptr_t, uintptr_t) {
  static dispatch_queue_s &only =
      *make<dispatch_queue_s>(Kind::OS_dispatch_queue_global, "com.apple.root.default-qos", true, true);
  return &only;
}

// Without a run loop on the main thread, its queue is a serial queue whose blocks run on the pool.
dispatch_queue_main_t dispatch_get_main_queue(void) {
  return &mainQueue();
}

const char *dispatch_queue_get_label(dispatch_queue_t queue) {
  if (!queue)
    queue = InQueue::innermost ? InQueue::innermost->queue : &mainQueue();
  return queue->label.c_str();
}

void dispatch_main(void) {
  while (true)
    pause();
}

void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
  orDefault(queue)->async({work, context}, false);
}
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
  orDefault(queue)->sync({work, context}, false);
}
// On a global queue a barrier has no effect, as in Apple's library.
void dispatch_barrier_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
  orDefault(queue)->async({work, context}, !queue->ofLibrary);
}
void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) {
  orDefault(queue)->sync({work, context}, !queue->ofLibrary);
}

void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context,
                      void (*work)(void *, size_t)) {
  if (!iterations)
    return;
  if (queue && !queue->concurrent) {
    struct Serial {
      size_t count;
      void *context;
      void (*work)(void *, size_t);
    } serial{iterations, context, work};
    return dispatch_sync_f(queue, &serial, [](void *all) {
      auto &each = *static_cast<Serial *>(all);
      for (size_t i = 0; i < each.count; ++i)
        each.work(each.context, i);
    });
  }
  // Helpers may come late, after the work is done and the caller has left: they share the state.
  auto *apply = new std::shared_ptr<Apply>(std::make_shared<Apply>());
  const std::shared_ptr<Apply> shared = *apply;
  delete apply;
  shared->count = iterations;
  shared->context = context;
  shared->work = work;
  const size_t helpers = std::min<size_t>(iterations, processors()) - 1;
  for (size_t i = 0; i < helpers; ++i)
    submit({[](void *pointer) {
              const std::unique_ptr<std::shared_ptr<Apply>> mine(
                  static_cast<std::shared_ptr<Apply> *>(pointer));
              Apply &all = **mine;
              {
                std::lock_guard locked(all.lock);
                if (all.closed)
                  return;
                ++all.helpers;
              }
              all.takePart();
              std::lock_guard locked(all.lock);
              --all.helpers;
              all.changed.notify_all();
            },
            new std::shared_ptr<Apply>(shared)});
  shared->takePart();
  std::unique_lock lock(shared->lock);
  shared->closed = true;
  if (shared->helpers) {
    Waiting waiting;
    shared->changed.wait(lock, [&] { return shared->helpers == 0; });
  }
}

void dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t work) {
  auto &state = *reinterpret_cast<std::atomic<long> *>(predicate); // 0 fresh, 1 running, -1 done
  if (state.load(std::memory_order_acquire) == -1)
    return;
  long fresh = 0;
  if (state.compare_exchange_strong(fresh, 1, std::memory_order_acquire)) {
    work(context);
    state.store(-1, std::memory_order_release);
    state.notify_all();
    return;
  }
  Waiting waiting;
  while (state.load(std::memory_order_acquire) == 1)
    state.wait(1, std::memory_order_acquire);
}
}
