// C++ as hosts of metal-cpp are: blocks, the headers of the SDK, and threads that end in every way.
#include <dispatch/dispatch.h>
#include <objc/objc-arc.h>
#include <objc/runtime.h>

#include <chrono>
#include <pthread.h>
#include <stdexcept>
#include <thread>

namespace {

// With the autorelease pools that metal-cpp's callers make, as late as a thread can.
struct UsesAPoolAtTheEnd {
  ~UsesAPoolAtTheEnd() { objc_autoreleasePoolPop(objc_autoreleasePoolPush()); }
};

struct Counts {
  int *count;
  ~Counts() { ++*count; }
};

} // namespace

extern "C" float sumOf(const float *values, size_t count) {
  if (!objc_lookUpClass("NSString"))
    return 0;
  dispatch_queue_t queue = dispatch_queue_create("sum", DISPATCH_QUEUE_SERIAL);
  __block float sum = 0;
  for (size_t i = 0; i < count; ++i)
    dispatch_async(queue, ^{
      sum += values[i];
    });
  dispatch_sync(queue, ^{
                });
  dispatch_release(queue);
  return sum;
}

// How many objects were destroyed while three threads ended, and an exception passed through the library.
extern "C" int endThreads(void) {
  int destroyed = 0;
  const auto use = [] {
    static thread_local UsesAPoolAtTheEnd pool;
    (void)pool;
  };
  std::thread([&] {
    use();
    Counts counts{&destroyed};
  }).join();
  std::thread([&] {
    use();
    Counts counts{&destroyed};
    pthread_exit(nullptr);
  }).join();
  pthread_t waiting;
  pthread_create(
      &waiting, nullptr,
      [](void *destroyed) -> void * {
        Counts counts{static_cast<int *>(destroyed)};
        for (;;)
          std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      &destroyed);
  pthread_cancel(waiting);
  pthread_join(waiting, nullptr);
  dispatch_queue_t queue = dispatch_queue_create("throws", DISPATCH_QUEUE_SERIAL);
  try {
    int *count = &destroyed;
    dispatch_sync(queue, ^{
      Counts counts{count};
      throw std::runtime_error("through the library");
    });
  } catch (const std::runtime_error &) {
    ++destroyed;
  }
  dispatch_release(queue);
  return destroyed;
}
