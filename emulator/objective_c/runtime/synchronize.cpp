// @synchronized: a recursive lock for each object that is locked at the moment.
#include <memory>
#include <mutex>

#include "objective_c/runtime/runtime.h"
#include "objective_c/runtime/side_table.h"

using namespace assay::objc;

namespace {

struct ObjectLock {
  std::recursive_mutex mutex;
  size_t users = 0; // threads that hold it or wait for it; guarded by the table's lock
};

SideTable<std::unique_ptr<ObjectLock>> &table() {
  static auto &all = *new SideTable<std::unique_ptr<ObjectLock>>;
  return all;
}

} // namespace

extern "C" {

int objc_sync_enter(id object) {
  if (!object)
    return 0;
  ObjectLock *lock;
  {
    auto &part = table().partOf(object);
    std::lock_guard locked(part.lock);
    auto &slot = part.values[object];
    if (!slot)
      slot = std::make_unique<ObjectLock>();
    lock = slot.get();
    ++lock->users;
  }
  lock->mutex.lock();
  return 0;
}

int objc_sync_exit(id object) {
  if (!object)
    return 0;
  auto &part = table().partOf(object);
  std::lock_guard locked(part.lock);
  auto found = part.values.find(object);
  if (found == part.values.end())
    return -1;
  found->second->mutex.unlock();
  if (--found->second->users == 0)
    part.values.erase(found);
  return 0;
}
}
