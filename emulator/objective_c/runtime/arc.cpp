// Reference counting: instances, the count before each of them, and the compiler's calls for manual and
// automatic counting.
//
// The word before an instance holds three flags and the number of references beyond the first. One atomic
// change takes it from no further reference to "deallocating", so a weak reference becomes a strong one
// either before that or not at all.
#include <cstdlib>
#include <cstring>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

void *allocateObject(size_t size) {
  void *memory = std::calloc(1, sizeof(Header) + size);
  return memory ? static_cast<Header *>(memory) + 1 : nullptr;
}

void freeObject(void *object) {
  std::free(static_cast<Header *>(object) - 1);
}

bool retainUnlessDeallocating(id object) {
  auto &count = headerOf(object).count;
  uint64_t value = count.load(std::memory_order_relaxed);
  do {
    if (value & kDeallocating)
      return false;
  } while (!count.compare_exchange_weak(value, value + kOneReference, std::memory_order_relaxed));
  return true;
}

void destroySideTables(id object) {
  const uint64_t bits = headerOf(object).count.load(std::memory_order_acquire);
  if (bits & kHasAssociations)
    clearAssociations(object);
  if (bits & kHasWeakReferences)
    clearWeakReferences(object);
}

namespace {

objc_selector selAlloc{{"alloc"}, nullptr}, selAllocWithZone{{"allocWithZone:"}, nullptr},
    selInit{{"init"}, nullptr}, selRetain{{"retain"}, nullptr}, selRelease{{"release"}, nullptr},
    selAutorelease{{"autorelease"}, nullptr}, selDealloc{{"dealloc"}, nullptr};

template <class Result> Result send(id object, objc_selector &selector) {
  return reinterpret_cast<Result (*)(id, SEL)>(objc_msgSend)(object, &selector);
}

bool countsItself(Class cls) {
  return flagsOf(cls) & kClassCountsItself;
}

} // namespace

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

id class_createInstance(Class cls, size_t extraBytes) {
  if (!cls)
    return nullptr;
  id object = static_cast<id>(allocateObject(size_t(cls->instanceSize) + extraBytes));
  if (!object)
    return nullptr;
  object->isa = cls;
  // C++ members are constructed from the root class down.
  Class chain[64];
  int depth = 0;
  for (Class each = cls; each; each = each->superclass)
    if (each->construct) {
      if (depth == 64)
        stop("class %s has more than 64 superclasses with C++ members", cls->name);
      chain[depth++] = each;
    }
  while (depth)
    reinterpret_cast<void (*)(id, SEL)>(chain[--depth]->construct)(object, nullptr);
  return object;
}

id object_dispose(id object) {
  if (!object || isTagged(object))
    return nullptr;
  for (Class each = object->isa; each; each = each->superclass)
    if (each->destruct)
      reinterpret_cast<void (*)(id, SEL)>(each->destruct)(object, nullptr);
  destroySideTables(object);
  freeObject(object);
  return nullptr;
}

id objc_retain_fast_np(id object) {
  headerOf(object).count.fetch_add(kOneReference, std::memory_order_relaxed);
  return object;
}

void objc_release_fast_np(id object) {
  auto &count = headerOf(object).count;
  uint64_t value = count.load(std::memory_order_relaxed);
  while (true) {
    if (value & kDeallocating) // -dealloc may retain and release the object; the count no longer matters
      return;
    const bool last = value < kOneReference;
    const uint64_t next = last ? value | kDeallocating : value - kOneReference;
    if (!count.compare_exchange_weak(value, next, std::memory_order_acq_rel, std::memory_order_relaxed))
      continue;
    if (!last)
      return;
    // From here on weak references give nil, because the flag is set; object_dispose clears the variables.
    if (isBlock(object))
      disposeBlock(object);
    else
      send<void>(object, selDealloc);
    return;
  }
}

size_t object_getRetainCount_np(id object) {
  const uint64_t value = headerOf(object).count.load(std::memory_order_relaxed);
  return value & kDeallocating ? 0 : value / kOneReference + 1;
}

id objc_retain(id object) {
  if (!object || isTagged(object))
    return object;
  if (isBlock(object))
    return static_cast<id>(_Block_copy(object));
  if (!countsItself(object->isa))
    return objc_retain_fast_np(object);
  return send<id>(object, selRetain);
}

void _Block_release(const void *block);

void objc_release(id object) {
  if (!object || isTagged(object))
    return;
  if (isBlock(object))
    return _Block_release(object);
  if (!countsItself(object->isa))
    return objc_release_fast_np(object);
  send<void>(object, selRelease);
}

id objc_autorelease(id object) {
  if (!object || isTagged(object))
    return object;
  if (isBlock(object) || !countsItself(object->isa))
    return assay_poolAdd(object);
  return send<id>(object, selAutorelease);
}

id objc_alloc(Class cls) {
  return send<id>(reinterpret_cast<id>(cls), selAlloc);
}
// The compiler makes [cls allocWithZone:nil] of it, which +alloc itself says.
id objc_allocWithZone(Class cls) {
  return reinterpret_cast<id (*)(id, SEL, void *)>(objc_msgSend)(reinterpret_cast<id>(cls), &selAllocWithZone,
                                                                 nullptr);
}
id objc_alloc_init(Class cls) {
  return send<id>(objc_alloc(cls), selInit);
}

id objc_retainAutorelease(id object) {
  return objc_autorelease(objc_retain(object));
}
id objc_autoreleaseReturnValue(id object) {
  return objc_autorelease(object);
}
id objc_retainAutoreleaseReturnValue(id object) {
  return objc_retainAutorelease(object);
}
id objc_retainAutoreleasedReturnValue(id object) {
  return objc_retain(object);
}
id objc_unsafeClaimAutoreleasedReturnValue(id object) {
  return object;
}
id objc_retainBlock(id block) {
  return static_cast<id>(_Block_copy(block));
}

void objc_storeStrong(id *location, id object) {
  id old = *location;
  *location = objc_retain(object);
  objc_release(old);
}
}
