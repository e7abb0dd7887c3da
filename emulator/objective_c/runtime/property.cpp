// Property accessors that the compiler does not write itself: atomic or copied properties, and structures.
#include <cstring>
#include <mutex>

#include "objective_c/runtime/runtime.h"

using namespace assay::objc;

namespace {

std::mutex &lockOf(const void *address) {
  static std::mutex *const locks = new std::mutex[64];
  return locks[(reinterpret_cast<uintptr_t>(address) >> 3) % 64];
}

id *slotOf(id self, ptrdiff_t offset) {
  return reinterpret_cast<id *>(reinterpret_cast<char *>(self) + offset);
}

id copyOf(id value) {
  static objc_selector copy{{"copyWithZone:"}, nullptr};
  return reinterpret_cast<id (*)(id, SEL, void *)>(objc_msgSend)(value, &copy, nullptr);
}

id mutableCopyOf(id value) {
  static objc_selector copy{{"mutableCopyWithZone:"}, nullptr};
  return reinterpret_cast<id (*)(id, SEL, void *)>(objc_msgSend)(value, &copy, nullptr);
}

void exchange(id self, ptrdiff_t offset, id owned, bool atomic) {
  id *slot = slotOf(self, offset);
  id old;
  if (atomic) {
    std::lock_guard locked(lockOf(slot));
    old = *slot;
    *slot = owned;
  } else {
    old = *slot;
    *slot = owned;
  }
  objc_release(old);
}

} // namespace

extern "C" {

id objc_getProperty(id self, SEL, ptrdiff_t offset, BOOL atomic) {
  if (!self)
    return nullptr;
  if (!offset)
    return reinterpret_cast<id>(classOf(self));
  id *slot = slotOf(self, offset);
  if (!atomic)
    return *slot;
  id value;
  {
    std::lock_guard locked(lockOf(slot));
    value = objc_retain(*slot);
  }
  return objc_autorelease(value);
}

// `copies` is 1 for -copy and 2 for -mutableCopy.
void objc_setProperty(id self, SEL, ptrdiff_t offset, id value, BOOL atomic, signed char copies) {
  if (self)
    exchange(self, offset,
             copies == 2 ? mutableCopyOf(value)
             : copies    ? copyOf(value)
                         : objc_retain(value),
             atomic);
}

void objc_setProperty_atomic(id self, SEL, id value, ptrdiff_t offset) {
  exchange(self, offset, objc_retain(value), true);
}
void objc_setProperty_nonatomic(id self, SEL, id value, ptrdiff_t offset) {
  exchange(self, offset, objc_retain(value), false);
}
void objc_setProperty_atomic_copy(id self, SEL, id value, ptrdiff_t offset) {
  exchange(self, offset, copyOf(value), true);
}
void objc_setProperty_nonatomic_copy(id self, SEL, id value, ptrdiff_t offset) {
  exchange(self, offset, copyOf(value), false);
}

// Atomic structures. Either end may be the structure in the object, so both locks are taken, in one order.
static void copyLocked(void *to, const void *from, size_t size) {
  std::mutex &one = lockOf(to), &other = lockOf(from);
  if (&one == &other) {
    std::lock_guard locked(one);
    std::memcpy(to, from, size);
  } else {
    std::scoped_lock locked(one, other);
    std::memcpy(to, from, size);
  }
}

void objc_getPropertyStruct(void *to, const void *from, ptrdiff_t size, BOOL atomic, BOOL) {
  atomic ? copyLocked(to, from, size_t(size)) : (void)std::memcpy(to, from, size_t(size));
}
void objc_setPropertyStruct(void *to, const void *from, ptrdiff_t size, BOOL atomic, BOOL) {
  objc_getPropertyStruct(to, from, size, atomic, NO);
}
void objc_copyPropertyStruct(void *to, const void *from, ptrdiff_t size, BOOL atomic, BOOL) {
  objc_getPropertyStruct(to, from, size, atomic, NO);
}

// Atomic C++ objects, copied by a function of the compiler's.
void objc_setCppObjectAtomic(void *to, const void *from, void (*copy)(void *, const void *)) {
  std::lock_guard locked(lockOf(to));
  copy(to, from);
}
void objc_getCppObjectAtomic(void *to, const void *from, void (*copy)(void *, const void *)) {
  std::lock_guard locked(lockOf(from));
  copy(to, from);
}
}
