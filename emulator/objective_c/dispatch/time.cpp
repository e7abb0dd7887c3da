// Times, and work that starts at a given time.
#include "objective_c/dispatch/time.h"

#include <algorithm>

#include "objective_c/dispatch/queue.h"
#include "objective_c/dispatch/thread_pool.h"

using namespace assay::dispatch;

namespace {

uint64_t wallNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return uint64_t(now.tv_sec) * NSEC_PER_SEC + uint64_t(now.tv_nsec);
}

// A time before the start of the clock becomes its start; one that the clock cannot express becomes never.
dispatch_time_t moved(uint64_t from, int64_t delta, uint64_t mark) {
  if (delta < 0)
    return mark | std::max<uint64_t>(1, from - std::min<uint64_t>(from, uint64_t{0} - uint64_t(delta)));
  const uint64_t to = from + uint64_t(delta);
  return to < from || to >= kWallClock - 1 ? DISPATCH_TIME_FOREVER : mark | to;
}

} // namespace

namespace assay::dispatch {

uint64_t monotonic(dispatch_time_t when) {
  if (when == DISPATCH_TIME_NOW)
    return monotonicNow();
  if (!(when & kWallClock))
    return when;
  const uint64_t wall = when & ~kWallClock, now = wallNow();
  return monotonicNow() + (wall > now ? wall - now : 0);
}

} // namespace assay::dispatch

extern "C" {

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) {
  if (when == DISPATCH_TIME_FOREVER)
    return when;
  if (when & kWallClock)
    return moved(when & ~kWallClock, delta, kWallClock);
  return moved(when == DISPATCH_TIME_NOW ? monotonicNow() : when, delta, 0);
}

dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta) {
  const uint64_t from = when ? uint64_t(when->tv_sec) * NSEC_PER_SEC + uint64_t(when->tv_nsec) : wallNow();
  return moved(from, delta, kWallClock);
}

void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work) {
  if (when == DISPATCH_TIME_FOREVER)
    return;
  struct Later {
    dispatch_queue_s *queue;
    Work work;
  };
  dispatch_retain(queue);
  submitAt(monotonic(when), {[](void *pointer) {
                               const Later later = *static_cast<Later *>(pointer);
                               delete static_cast<Later *>(pointer);
                               later.queue->async(later.work, false);
                               dispatch_release(later.queue);
                             },
                             new Later{queue, {work, context}}});
}
}
