// Message sending as C functions. They are not variadic: cast them to the method's type before the call.
#pragma once

#include <objc/objc.h>

#if defined(__OBJC__) || defined(__cplusplus)
OBJC_EXPORT id objc_msgSend(id self, SEL op, ...);
OBJC_EXPORT void objc_msgSend_stret(id self, SEL op, ...);
OBJC_EXPORT long double objc_msgSend_fpret(id self, SEL op, ...);
#else
OBJC_EXPORT void objc_msgSend(void);
OBJC_EXPORT void objc_msgSend_stret(void);
OBJC_EXPORT void objc_msgSend_fpret(void);
#endif
OBJC_EXPORT IMP objc_msg_lookup(id receiver, SEL op);
OBJC_EXPORT IMP objc_msg_lookup_super(struct objc_super *super, SEL op);

// Called with a receiver and a selector that its class does not know, before the process stops. It may return
// an implementation; if it returns NULL, the process stops. For tests and debuggers.
typedef IMP (*AssayForwardHook)(id receiver, SEL op);
OBJC_EXPORT AssayForwardHook assay_setForwardHook(AssayForwardHook hook);
