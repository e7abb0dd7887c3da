// Groups: how much work is under way, and which threads and blocks wait for its end.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "objective_c/dispatch/queue.h"
#include "objective_c/dispatch/thread_pool.h"
#include "objective_c/dispatch/time.h"

using namespace assay::dispatch;

struct dispatch_group_s final : dispatch_object_s {
  explicit dispatch_group_s(void *isa) : dispatch_object_s(isa) {}

  struct Notice {
    dispatch_queue_s *queue;
    Work work;
  };

  std::mutex lock;
  std::condition_variable empty;
  size_t members = 0;
  std::vector<Notice> notices;

  void leave() {
    std::vector<Notice> due;
    {
      std::lock_guard locked(lock);
      if (!members)
        trap("a group was left once too often");
      if (--members)
        return;
      due.swap(notices);
      empty.notify_all();
    }
    for (const Notice &each : due) {
      each.queue->async(each.work, false);
      dispatch_release(each.queue);
    }
  }
};

extern "C" {

dispatch_group_t dispatch_group_create(void) {
  return make<dispatch_group_s>(Kind::OS_dispatch_group);
}

// A group with members is kept.
void dispatch_group_enter(dispatch_group_t group) {
  dispatch_retain(group);
  std::lock_guard locked(group->lock);
  ++group->members;
}

void dispatch_group_leave(dispatch_group_t group) {
  group->leave();
  dispatch_release(group);
}

intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t timeout) {
  std::unique_lock lock(group->lock);
  if (!group->members)
    return 0;
  Waiting waiting;
  return waitUntil(timeout, lock, group->empty, [&] { return group->members == 0; }) ? 0 : 1;
}

void dispatch_group_async_f(dispatch_group_t group, dispatch_queue_t queue, void *context,
                            dispatch_function_t work) {
  struct Member {
    dispatch_group_s *group;
    Work work;
  };
  dispatch_group_enter(group);
  dispatch_async_f(queue, new Member{group, {work, context}}, [](void *pointer) {
    const Member member = *static_cast<Member *>(pointer);
    delete static_cast<Member *>(pointer);
    run(member.work);
    dispatch_group_leave(member.group);
  });
}

void dispatch_group_notify_f(dispatch_group_t group, dispatch_queue_t queue, void *context,
                             dispatch_function_t work) {
  {
    std::lock_guard locked(group->lock);
    if (group->members) {
      dispatch_retain(queue);
      group->notices.push_back({queue, {work, context}});
      return;
    }
  }
  queue->async({work, context}, false);
}
}
