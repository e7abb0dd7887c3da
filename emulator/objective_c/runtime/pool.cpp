// Autorelease pools: a stack of objects for each thread. A pool is a height of the stack; popping it releases
// what is above, the last first. Objects autoreleased without a pool, or while the thread ends, are released
// when it ends.
//
// Problem.  The destructor of a host's thread_local object may use pools, and may run after all of ours.
// Choice.   The stack belongs to a key of pthreads. Those destructors come after all of C++, and are repeated
//           for values that are set meanwhile.
// Limit.    What the main thread autoreleases without a pool stays until the process ends.
#include <pthread.h>
#include <vector>

#include "objective_c/runtime/runtime.h"

namespace {

using Pools = std::vector<id>;

void popTo(Pools &pools, size_t height) {
  // An object's -dealloc may autorelease others: they are released, too.
  while (pools.size() > height) {
    id object = pools.back();
    pools.pop_back();
    objc_release(object);
  }
}

pthread_key_t poolsKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void *pools) {
          pthread_setspecific(poolsKey(), pools); // for the objects that are released
          popTo(*static_cast<Pools *>(pools), 0);
          pthread_setspecific(poolsKey(), nullptr);
          delete static_cast<Pools *>(pools);
        }))
      assay::objc::stop("no thread-specific key is left for the autorelease pools");
    return made;
  }();
  return key;
}

Pools &pools() {
  if (void *mine = pthread_getspecific(poolsKey()))
    return *static_cast<Pools *>(mine);
  Pools *mine = new Pools;
  pthread_setspecific(poolsKey(), mine);
  return *mine;
}

} // namespace

extern "C" {

id assay_poolAdd(id object) {
  pools().push_back(object);
  return object;
}

void *objc_autoreleasePoolPush(void) {
  return reinterpret_cast<void *>(pools().size() + 1);
}

void objc_autoreleasePoolPop(void *pool) {
  if (pool)
    popTo(pools(), reinterpret_cast<size_t>(pool) - 1);
}
}
