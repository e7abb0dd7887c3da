// What the compiler calls for automatic reference counting, pools and weak references.
#pragma once

#include <objc/objc.h>

OBJC_EXPORT id objc_alloc(Class cls);
OBJC_EXPORT id objc_allocWithZone(Class cls);
OBJC_EXPORT id objc_alloc_init(Class cls);
OBJC_EXPORT id objc_retain(id object);
OBJC_EXPORT void objc_release(id object);
OBJC_EXPORT id objc_autorelease(id object);
OBJC_EXPORT id objc_retainAutorelease(id object);
OBJC_EXPORT id objc_autoreleaseReturnValue(id object);
OBJC_EXPORT id objc_retainAutoreleaseReturnValue(id object);
OBJC_EXPORT id objc_retainAutoreleasedReturnValue(id object);
OBJC_EXPORT id objc_unsafeClaimAutoreleasedReturnValue(id object);
OBJC_EXPORT id objc_retainBlock(id block);
OBJC_EXPORT void objc_storeStrong(id *location, id object);

OBJC_EXPORT void *objc_autoreleasePoolPush(void);
OBJC_EXPORT void objc_autoreleasePoolPop(void *pool);

OBJC_EXPORT id objc_initWeak(id *location, id object);
OBJC_EXPORT id objc_storeWeak(id *location, id object);
OBJC_EXPORT id objc_loadWeak(id *location);
OBJC_EXPORT id objc_loadWeakRetained(id *location);
OBJC_EXPORT void objc_destroyWeak(id *location);
OBJC_EXPORT void objc_copyWeak(id *to, id *from);
OBJC_EXPORT void objc_moveWeak(id *to, id *from);

// The reference count that stands before each instance. A root class's -retain and -release call these.
OBJC_EXPORT id objc_retain_fast_np(id object);
OBJC_EXPORT void objc_release_fast_np(id object);
OBJC_EXPORT size_t object_getRetainCount_np(id object);
