// Autorelease pools: a stack of objects for each thread. A pool is a height of the stack; popping it releases
// what is above, the last first. Objects autoreleased without a pool, or while the thread ends, are released
// when it ends.
#include <vector>

#include "objective_c/runtime/runtime.h"

namespace {

struct Pools {
  std::vector<id> objects;

  void popTo(size_t height) {
    // An object's -dealloc may autorelease others: they are released, too.
    while (objects.size() > height) {
      id object = objects.back();
      objects.pop_back();
      objc_release(object);
    }
  }

  ~Pools() { popTo(0); }
};

thread_local Pools pools;

} // namespace

extern "C" {

id assay_poolAdd(id object) {
  pools.objects.push_back(object);
  return object;
}

void *objc_autoreleasePoolPush(void) {
  return reinterpret_cast<void *>(pools.objects.size() + 1);
}

void objc_autoreleasePoolPop(void *pool) {
  if (pool)
    pools.popTo(reinterpret_cast<size_t>(pool) - 1);
}
}
