// From a receiver and a selector to a method. objc_msgSend (message_send_*.S) reads a class's dispatch table
// without a lock. Selectors that it does not find there come here: +initialize, the search up the
// superclasses, the entry in the table.
//
// Tables are only written with the runtime's lock held, and never freed, so a reader needs no lock: it sees
// an entry or it does not, and without one it comes here. Until +initialize has finished, a class keeps the
// empty table, so that every message takes this path and other threads wait; the thread that runs +initialize
// passes. Rejected: a hash table for each class. It needs a third register and a loop in the fast path, and a
// way to free the old table when it grows while others read it.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

namespace {

// The page of classes that know no method yet.
constinit DispatchPage emptyPage{};

template <size_t... I> constexpr DispatchTable tableOfEmptyPages(std::index_sequence<I...>) {
  return {{((void)I, &emptyPage)...}};
}

DispatchTable *newTable() {
  auto *table = new DispatchTable;
  for (auto &page : table->pages)
    page.store(&emptyPage, std::memory_order_relaxed);
  return table;
}

// With the lock held.
void remember(Class cls, uintptr_t selector, IMP imp) {
  if (cls->table.load(std::memory_order_relaxed) == &emptyTable)
    cls->table.store(newTable(), std::memory_order_release);
  auto &slot = cls->table.load(std::memory_order_relaxed)->pages[selector >> 8];
  if (slot.load(std::memory_order_relaxed) == &emptyPage)
    slot.store(new DispatchPage{}, std::memory_order_release);
  slot.load(std::memory_order_relaxed)->imps[selector & 255].store(imp, std::memory_order_release);
}

IMP cached(Class cls, uintptr_t selector) {
  const DispatchTable *table = cls->table.load(std::memory_order_acquire);
  return table->pages[selector >> 8]
      .load(std::memory_order_acquire)
      ->imps[selector & 255]
      .load(std::memory_order_acquire);
}

// The thread that runs a class's +initialize. `extra` of the class points to one during that time.
struct ClassState {
  std::thread::id initializer;
};

std::condition_variable &initialized() {
  static std::condition_variable &condition = *new std::condition_variable;
  return condition;
}

AssayForwardHook forwardHook = nullptr;
void (*mutationHandler)(id) = nullptr;

// The exception comes from the method that was not there, and not from the search for it, which unwinds
// through no frame of objc_msgSend. The receiver's register depends on what such a method returns, so that
// thread-local variables say whom the message was for.
thread_local id unknownReceiver;
thread_local objc_selector unknownOp;

void doesNotRecognize() {
  static objc_selector complain{{"doesNotRecognizeSelector:"}, nullptr};
  objc_selector op = unknownOp;
  reinterpret_cast<void (*)(id, SEL, SEL)>(objc_msgSend)(unknownReceiver, &complain, &op);
}

IMP unknownSelector(id receiver, Class cls, uintptr_t selector) {
  objc_selector named{};
  named.index = selector;
  if (forwardHook)
    if (IMP imp = forwardHook(receiver, &named))
      return imp;
  static objc_selector complain{{"doesNotRecognizeSelector:"}, nullptr};
  if (const uintptr_t complaint = indexOf(&complain); selector != complaint && lookUp(cls, complaint)) {
    unknownReceiver = receiver;
    unknownOp = named;
    return reinterpret_cast<IMP>(doesNotRecognize);
  }
  const char *name;
  {
    Locked locked(runtimeLock());
    name = selectorName(selector);
  }
  stop("%c[%s %s]: unknown selector", flagsOf(cls) & kClassIsMeta ? '+' : '-', cls->name, name);
}

} // namespace

Class taggedClasses[8];

// Filled at compile time: images load classes before constructors run.
constinit DispatchTable emptyTable = tableOfEmptyPages(std::make_index_sequence<256>());

objc_method *findOwnMethod(Class cls, uintptr_t selector) {
  for (MethodList *list = cls->methods; list; list = list->next)
    for (int i = 0; i < list->count; ++i)
      if (list->at(i).selector->index == selector)
        return &list->at(i);
  return nullptr;
}

objc_method *findMethod(Class cls, uintptr_t selector) {
  for (; cls; cls = cls->superclass)
    if (objc_method *method = findOwnMethod(cls, selector))
      return method;
  return nullptr;
}

void forgetCached(Class cls, uintptr_t selector) {
  DispatchTable *table = cls->table.load(std::memory_order_relaxed);
  DispatchPage *page = table->pages[selector >> 8].load(std::memory_order_relaxed);
  if (page != &emptyPage)
    page->imps[selector & 255].store(nullptr, std::memory_order_release);
  for (Class each = cls->firstSubclass; each; each = each->nextSibling)
    forgetCached(each, selector);
}

// The superclass first, then this class: once, in the first thread that sends a message, while other threads
// wait.
void initializeClass(Class cls) {
  if (flagsOf(cls) & kClassIsMeta)
    cls = static_cast<Class>(cls->extra);
  if (__atomic_load_n(&cls->flags, __ATOMIC_ACQUIRE) & kClassInitialized)
    return;
  if (cls->superclass)
    initializeClass(cls->superclass);
  static objc_selector initialize{{"initialize"}, nullptr};
  const uintptr_t selector = indexOf(&initialize);
  std::unique_lock lock(runtimeLock());
  while (!(cls->flags & kClassInitialized) && cls->extra) {
    if (static_cast<ClassState *>(cls->extra)->initializer == std::this_thread::get_id())
      return;
    initialized().wait(lock);
  }
  if (cls->flags & kClassInitialized)
    return;
  ClassState state{std::this_thread::get_id()};
  cls->extra = &state;
  objc_method *method = findMethod(cls->isa, selector);
  lock.unlock();
  // An exception leaves the class initialised, as on Apple's runtime: the method is not run twice.
  struct Done {
    Class cls;
    std::unique_lock<std::mutex> &lock;
    ~Done() {
      lock.lock();
      cls->extra = nullptr;
      __atomic_or_fetch(&cls->flags, kClassInitialized, __ATOMIC_RELEASE);
      __atomic_or_fetch(&cls->isa->flags, kClassInitialized, __ATOMIC_RELEASE);
      initialized().notify_all();
    }
  } done{cls, lock};
  if (method)
    reinterpret_cast<void (*)(id, SEL)>(method->imp)(reinterpret_cast<id>(cls), &initialize);
}

IMP lookUp(Class cls, uintptr_t selector) {
  if (IMP imp = cached(cls, selector))
    return imp;
  initializeClass(cls);
  Locked locked(runtimeLock());
  objc_method *method = findMethod(cls, selector);
  if (!method)
    return nullptr;
  if (cls->flags & kClassInitialized)
    remember(cls, selector, method->imp);
  return method->imp;
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

// Where objc_msgSend goes for selectors that the table lacks. The receiver is not nil.
__attribute__((visibility("hidden"))) IMP assay_slowLookUp(id receiver, SEL op) {
  Class cls = classOf(receiver);
  if (!cls)
    stop("message %s to a tagged pointer %p whose class is not registered", sel_getName(op),
         static_cast<void *>(receiver));
  const uintptr_t selector = indexOf(op);
  if (IMP imp = lookUp(cls, selector))
    return imp;
  return unknownSelector(receiver, cls, selector);
}

static id nothing(id, SEL) {
  return nullptr;
}

IMP objc_msg_lookup(id receiver, SEL op) {
  return receiver ? assay_slowLookUp(receiver, op) : reinterpret_cast<IMP>(nothing);
}

IMP objc_msg_lookup_super(struct objc_super *super, SEL op) {
  if (!super->receiver)
    return reinterpret_cast<IMP>(nothing);
  const uintptr_t selector = indexOf(op);
  if (IMP imp = lookUp(super->super_class, selector))
    return imp;
  return unknownSelector(super->receiver, super->super_class, selector);
}

// Compiled code of direct methods calls this for a class whose flag kClassInitialized is not set.
void objc_send_initialize(id cls) {
  initializeClass(reinterpret_cast<Class>(cls));
}

AssayForwardHook assay_setForwardHook(AssayForwardHook hook) {
  return std::exchange(forwardHook, hook);
}

BOOL objc_registerSmallObjectClass_np(Class cls, uintptr_t tag) {
  if (tag == 0 || tag > kTagMask || taggedClasses[tag])
    return NO;
  taggedClasses[tag] = cls;
  return YES;
}

IMP class_getMethodImplementation(Class cls, SEL selector) {
  if (!cls || !selector)
    return nullptr;
  return lookUp(cls, indexOf(selector));
}

BOOL class_respondsToSelector(Class cls, SEL selector) {
  return class_getMethodImplementation(cls, selector);
}

void objc_setEnumerationMutationHandler(void (*handler)(id)) {
  mutationHandler = handler;
}

void objc_enumerationMutation(id object) {
  if (mutationHandler)
    mutationHandler(object);
  stop("%s %p was changed while it was enumerated", object_getClassName(object), static_cast<void *>(object));
}
}
