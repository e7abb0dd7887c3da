// Our part on an installed libobjc2: Apple's functions that it lacks, and an answer to unknown selectors
// other than 0.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <objc/message.h>
#include <objc/runtime.h>

extern "C" {

// libobjc2's hook: called for a message that the receiver's class does not know.
extern IMP (*__objc_msg_forward2)(id receiver, SEL op);
}

namespace {

AssayForwardHook forwardHook = nullptr;

// See dispatch.cpp.
thread_local id unknownReceiver;
thread_local SEL unknownOp;

void doesNotRecognize() {
  reinterpret_cast<void (*)(id, SEL, SEL)>(objc_msgSend)(
      unknownReceiver, sel_registerName("doesNotRecognizeSelector:"), unknownOp);
}

IMP unknownSelector(id receiver, SEL op) {
  if (forwardHook)
    if (IMP imp = forwardHook(receiver, op))
      return imp;
  Class cls = object_getClass(receiver);
  if (class_respondsToSelector(cls, sel_registerName("doesNotRecognizeSelector:"))) {
    unknownReceiver = receiver;
    unknownOp = op;
    return reinterpret_cast<IMP>(doesNotRecognize);
  }
  const bool isClass = class_isMetaClass(cls);
  std::fprintf(stderr, "objc: %c[%s %s]: unknown selector\n", isClass ? '+' : '-', class_getName(cls),
               sel_getName(op));
  std::abort();
}

[[gnu::constructor]] void install() {
  __objc_msg_forward2 = unknownSelector;
}

} // namespace

extern "C" BOOL object_isClass(id object) {
  return class_isMetaClass(object_getClass(object));
}

extern "C" AssayForwardHook assay_setForwardHook(AssayForwardHook hook) {
  return std::exchange(forwardHook, hook);
}
