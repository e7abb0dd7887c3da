// The same calls with blocks: a block is copied, run as a function's context, and released.
#import <Block.h>
#import <dispatch/dispatch.h>

namespace {

void runAndRelease(void *context) {
  dispatch_block_t block = (dispatch_block_t)context;
  block();
  _Block_release(context);
}

void runOnly(void *context) {
  ((dispatch_block_t)context)();
}

} // namespace

extern "C" {

void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_async_f(queue, _Block_copy((const void *)block), runAndRelease);
}
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_sync_f(queue, (void *)block, runOnly);
}
void dispatch_barrier_async(dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_barrier_async_f(queue, _Block_copy((const void *)block), runAndRelease);
}
void dispatch_barrier_sync(dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_barrier_sync_f(queue, (void *)block, runOnly);
}
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block) {
  if (when != DISPATCH_TIME_FOREVER)
    dispatch_after_f(when, queue, _Block_copy((const void *)block), runAndRelease);
}
void dispatch_apply(size_t iterations, dispatch_queue_t queue, void (^block)(size_t)) {
  dispatch_apply_f(iterations, queue, (void *)block,
                   [](void *context, size_t iteration) { ((void (^)(size_t))context)(iteration); });
}
void dispatch_once(dispatch_once_t *predicate, dispatch_block_t block) {
  dispatch_once_f(predicate, (void *)block, runOnly);
}
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_group_async_f(group, queue, _Block_copy((const void *)block), runAndRelease);
}
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_group_notify_f(group, queue, _Block_copy((const void *)block), runAndRelease);
}
}
