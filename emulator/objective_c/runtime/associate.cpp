// Associated objects: values that are attached to an object under a key and released with it.
#include <map>
#include <vector>

#include "objective_c/runtime/runtime.h"
#include "objective_c/runtime/side_table.h"

namespace assay::objc {

namespace {

struct Association {
  id value;
  objc_AssociationPolicy policy;
  void drop() const {
    if (policy & 1)
      objc_release(value);
  }
};
using Associations = std::map<const void *, Association>;

SideTable<Associations> &table() {
  static auto &all = *new SideTable<Associations>;
  return all;
}

id copyOf(id value) {
  static objc_selector copy{{"copy"}, nullptr};
  return reinterpret_cast<id (*)(id, SEL)>(objc_msgSend)(value, &copy);
}

} // namespace

void clearAssociations(id object) {
  Associations gone;
  {
    auto &part = table().partOf(object);
    std::lock_guard locked(part.lock);
    if (auto found = part.values.find(object); found != part.values.end()) {
      gone = std::move(found->second);
      part.values.erase(found);
    }
  }
  for (const auto &[key, association] : gone)
    association.drop();
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

void objc_setAssociatedObject(id object, const void *key, id value, objc_AssociationPolicy policy) {
  if (!object)
    return;
  const objc_AssociationPolicy kind = policy & 0xff;
  if (value && kind == OBJC_ASSOCIATION_COPY_NONATOMIC)
    value = copyOf(value);
  else if (value && kind == OBJC_ASSOCIATION_RETAIN_NONATOMIC)
    value = objc_retain(value);
  Association old{nullptr, OBJC_ASSOCIATION_ASSIGN};
  {
    auto &part = table().partOf(object);
    std::lock_guard locked(part.lock);
    Associations &all = part.values[object];
    if (auto found = all.find(key); found != all.end()) {
      old = found->second;
      all.erase(found);
    }
    if (value)
      all.emplace(key, Association{value, kind});
  }
  // Classes, tagged objects and constants are not counted and are never freed: they have no header.
  if (!isPermanent(object))
    headerOf(object).count.fetch_or(kHasAssociations, std::memory_order_release);
  old.drop();
}

id objc_getAssociatedObject(id object, const void *key) {
  if (!object)
    return nullptr;
  id value = nullptr;
  {
    auto &part = table().partOf(object);
    std::lock_guard locked(part.lock);
    if (auto all = part.values.find(object); all != part.values.end())
      if (auto found = all->second.find(key); found != all->second.end()) {
        value = found->second.value;
        if (found->second.policy & 1)
          objc_retain(value); // under the lock: another thread may replace it
        else
          return value;
      }
  }
  return objc_autorelease(value);
}

void objc_removeAssociatedObjects(id object) {
  if (object)
    clearAssociations(object);
}
}
