// @throw, @try, @synchronized as functions.
#pragma once

#include <objc/objc.h>

OBJC_EXPORT void objc_exception_throw(id exception) __attribute__((noreturn));
OBJC_EXPORT int objc_sync_enter(id object);
OBJC_EXPORT int objc_sync_exit(id object);

typedef void (*objc_uncaught_exception_handler)(id exception);
OBJC_EXPORT objc_uncaught_exception_handler
objc_setUncaughtExceptionHandler(objc_uncaught_exception_handler handler);
