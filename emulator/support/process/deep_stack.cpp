// See deep_stack.h.
#include "support/process/deep_stack.h"

#include <cstdint>
#include <exception>
#include <pthread.h>

namespace assay {
namespace {

thread_local uintptr_t begin = 0; // of the deep stack that this thread has

struct Call {
  const std::function<void()> &function;
  std::exception_ptr thrown = nullptr;
};

void *run(void *argument) {
  Call &call = *static_cast<Call *>(argument);
  begin = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  try {
    call.function();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

} // namespace

void onDeepStack(const std::function<void()> &function) {
  Call call{function};
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (!begin && pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kDeepStackBytes) == 0 &&
              pthread_create(&thread, &attributes, run, &call) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!started)
    return function();
  pthread_join(thread, nullptr);
  if (call.thrown)
    std::rethrow_exception(call.thrown);
}

size_t deepStackUsed() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return begin > here ? begin - here : 0;
}

} // namespace assay
