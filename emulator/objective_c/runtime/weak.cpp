// Weak references: variables that become nil when their object is destroyed. The table knows the variables of
// each object that has any; the object's count remembers that there are some.
//
// A reader takes the lock of the variable's object, and so does clearing. The reader learns from the variable
// which object that is, and looks again once it has the lock. Nothing more is needed for variables of one
// thread: writing a weak variable while another thread reads it is the client's race, as everywhere.
#include <algorithm>
#include <vector>

#include "objective_c/runtime/runtime.h"
#include "objective_c/runtime/side_table.h"

namespace assay::objc {

namespace {

SideTable<std::vector<id *>> &table() {
  static auto &weak = *new SideTable<std::vector<id *>>;
  return weak;
}

id load(id *location) {
  return __atomic_load_n(location, __ATOMIC_ACQUIRE);
}
void store(id *location, id object) {
  __atomic_store_n(location, object, __ATOMIC_RELEASE);
}

void attach(id *location, id object) {
  auto &part = table().partOf(object);
  std::lock_guard locked(part.lock);
  // An object that is being destroyed gives nil; asked under the lock that clearing takes.
  auto &count = headerOf(object).count;
  uint64_t bits = count.load(std::memory_order_relaxed);
  do {
    if (bits & kDeallocating)
      return store(location, nullptr);
  } while (!count.compare_exchange_weak(bits, bits | kHasWeakReferences, std::memory_order_acq_rel));
  part.values[object].push_back(location);
  store(location, object);
}

void detach(id *location) {
  while (id object = load(location)) {
    if (isPermanent(object))
      return;
    auto &part = table().partOf(object);
    std::lock_guard locked(part.lock);
    if (load(location) != object)
      continue; // cleared in the meantime
    auto found = part.values.find(object);
    if (found == part.values.end())
      return;
    std::erase(found->second, location);
    if (found->second.empty())
      part.values.erase(found);
    return;
  }
}

} // namespace

// Classes, constant strings and blocks that were not copied are not on the heap and have no count: they are
// never destroyed, or not by counting.
bool isPermanent(id object) {
  if (!object || isTagged(object) || (flagsOf(object->isa) & kClassIsMeta))
    return true;
  if (isBlock(object))
    return !isHeapBlock(object);
  static objc_selector permanent{{"_assayIsPermanent"}, nullptr};
  const uintptr_t index = indexOf(&permanent);
  Locked locked(runtimeLock());
  return findMethod(object->isa, index);
}

void clearWeakReferences(id object) {
  auto &part = table().partOf(object);
  std::lock_guard locked(part.lock);
  auto found = part.values.find(object);
  if (found == part.values.end())
    return;
  for (id *location : found->second)
    store(location, nullptr);
  part.values.erase(found);
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

id objc_initWeak(id *location, id object) {
  store(location, nullptr);
  if (isPermanent(object))
    store(location, object);
  else
    attach(location, object);
  return load(location);
}

id objc_storeWeak(id *location, id object) {
  detach(location);
  return objc_initWeak(location, object);
}

id objc_loadWeakRetained(id *location) {
  while (id object = load(location)) {
    if (isTagged(object))
      return object;
    auto &part = table().partOf(object);
    std::unique_lock locked(part.lock);
    if (load(location) != object)
      continue;
    if (!part.values.contains(object)) { // never destroyed
      locked.unlock();
      return objc_retain(object);
    }
    if (retainUnlessDeallocating(object))
      return object;
    return nullptr;
  }
  return nullptr;
}

id objc_loadWeak(id *location) {
  return objc_autorelease(objc_loadWeakRetained(location));
}
void objc_destroyWeak(id *location) {
  detach(location);
}

void objc_copyWeak(id *to, id *from) {
  id object = objc_loadWeakRetained(from);
  objc_initWeak(to, object);
  objc_release(object);
}

void objc_moveWeak(id *to, id *from) {
  objc_copyWeak(to, from);
  objc_destroyWeak(from);
}
}
