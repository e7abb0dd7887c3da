// Bytes that are shared. Each object is one piece of memory; dispatch's concatenations are not supported.
#include "objective_c/dispatch/object.h"

#include <cstdlib>
#include <cstring>

#import <Block.h>

using namespace assay::dispatch;

struct dispatch_data_s final : dispatch_object_s {
  constexpr dispatch_data_s(void *isa, const void *bytes, size_t size)
      : dispatch_object_s(isa), bytes(bytes), size(size) {}
  ~dispatch_data_s() {
    if (copied)
      free(const_cast<void *>(bytes));
    if (!destructor)
      return;
    if (queue) {
      dispatch_async(queue, destructor);
      dispatch_release(queue);
    } else
      destructor();
    _Block_release((const void *)destructor);
  }

  const void *bytes = nullptr;
  size_t size = 0;
  bool copied = false;
  dispatch_queue_t queue = nullptr;
  dispatch_block_t destructor = nullptr;
};

extern "C" {

[[clang::no_destroy]] constinit struct dispatch_data_s _dispatch_data_empty(nullptr, nullptr, 0);

// Never called: dispatch_data_create recognises it by its address.
const dispatch_block_t _dispatch_data_destructor_free = ^{
};

dispatch_data_t dispatch_data_create(const void *buffer, size_t size, dispatch_queue_t queue,
                                     dispatch_block_t destructor) {
  if (!destructor) {
    void *copy = malloc(size ? size : 1);
    if (size)
      memcpy(copy, buffer, size);
    auto *data = make<dispatch_data_s>(Kind::OS_dispatch_data, copy, size);
    data->copied = true;
    return data;
  }
  auto *data = make<dispatch_data_s>(Kind::OS_dispatch_data, buffer, size);
  if (destructor == _dispatch_data_destructor_free) {
    data->copied = true;
    return data;
  }
  data->destructor = (dispatch_block_t)_Block_copy((const void *)destructor);
  if ((data->queue = queue))
    dispatch_retain(queue);
  return data;
}

size_t dispatch_data_get_size(dispatch_data_t data) {
  return data->size;
}

dispatch_data_t dispatch_data_create_map(dispatch_data_t data, const void **buffer, size_t *size) {
  if (buffer)
    *buffer = data->bytes;
  if (size)
    *size = data->size;
  dispatch_retain(data);
  return data;
}

bool dispatch_data_apply(dispatch_data_t data, dispatch_data_applier_t applier) {
  return !data->size || applier(data, 0, data->bytes, data->size);
}
}
