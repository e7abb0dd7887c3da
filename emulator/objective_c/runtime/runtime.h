// What the files of the Objective-C runtime share. objc/runtime.h and its neighbours are the public side.
#pragma once

#include <mutex>

#include "objective_c/runtime/abi.h"
#include <objc/message.h>
#include <objc/objc-arc.h>
#include <objc/objc-exception.h>

namespace assay::objc {

// Guards the tables of classes, selectors and protocols and the lists of methods. Not held while methods run.
std::mutex &runtimeLock();
using Locked = std::lock_guard<std::mutex>;

// Prints one line that starts with "objc: " on stderr and aborts: for programs that no runtime could
// continue.
[[noreturn]] void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Selectors (selector.cpp). With the lock held.
void registerSelector(SEL selector);
const char *selectorName(uintptr_t index);
uintptr_t indexOf(SEL selector); // of a registered or a fresh selector; takes the lock only for a fresh one

// Classes (class.cpp). With the lock held.
void loadClass(Class cls);
void attachCategory(const objc_category &category);
Class findClass(const char *name);
void addMethods(Class cls, MethodList *list);
void addClassName(const char *name, Class cls);
void computeCounting(Class cls);

// Dispatch (dispatch.cpp).
inline constexpr uintptr_t kTagMask = 7;
extern Class taggedClasses[8];
inline bool isTagged(id object) {
  return reinterpret_cast<uintptr_t>(object) & kTagMask;
}
inline Class classOf(id object) {
  return isTagged(object) ? taggedClasses[reinterpret_cast<uintptr_t>(object) & kTagMask] : object->isa;
}
extern DispatchTable emptyTable;
objc_method *findMethod(Class cls, uintptr_t selector);    // own and inherited; with the lock held
objc_method *findOwnMethod(Class cls, uintptr_t selector); // with the lock held
void forgetCached(Class cls, uintptr_t selector);          // in the class and below; with the lock held
void initializeClass(Class cls);                           // +initialize, once; without the lock
IMP lookUp(Class cls, uintptr_t selector);                 // null if there is none; without the lock

// Protocols (protocol.cpp). With the lock held.
void registerProtocol(Protocol *protocol);
Protocol *findProtocol(const char *name);
void adoptProtocolClass(Class cls); // called when the class named Protocol is loaded

// Memory (arc.cpp, weak.cpp, associate.cpp). An instance has this header before its first byte.
struct Header {
  uint64_t unused; // keeps instances aligned to 16 bytes
  std::atomic<uint64_t> count;
};
enum CountBits : uint64_t {
  kHasWeakReferences = 1,
  kHasAssociations = 2,
  kDeallocating = 4,
  kOneReference = 8 // the count of references beyond the first, from here on
};
inline Header &headerOf(id object) {
  return reinterpret_cast<Header *>(object)[-1];
}
void *allocateObject(size_t size); // zeroed, with a header
void freeObject(void *object);
bool retainUnlessDeallocating(id object);
bool isPermanent(
    id object); // not on the heap: a class, a tagged object, a constant, a block that was not copied
void clearWeakReferences(id object);
void clearAssociations(id object);
void destroySideTables(id object); // both, if the object has any

/// For a class that another thread may be initialising: its flags change then.
inline unsigned long flagsOf(const objc_class *cls) {
  return __atomic_load_n(&cls->flags, __ATOMIC_RELAXED);
}

// Blocks (block.cpp).
bool isBlock(id object);
bool isHeapBlock(id object);
extern "C" void *_Block_copy(const void *block);
void disposeBlock(id block);
void loadBlockClasses();

} // namespace assay::objc

// Adds an object to the innermost pool of the thread, without asking its class how it counts.
extern "C" id assay_poolAdd(id object);
