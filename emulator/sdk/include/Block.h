// Blocks: copying one to the heap and releasing it. The compiler calls the other functions.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *_Block_copy(const void *block);
void _Block_release(const void *block);
void _Block_object_assign(void *destination, const void *object, int flags);
void _Block_object_dispose(const void *object, int flags);

extern void *_NSConcreteGlobalBlock[17];
extern void *_NSConcreteStackBlock[17];

#ifdef __cplusplus
}
#endif

#define Block_copy(...) ((__typeof(__VA_ARGS__))_Block_copy((const void *)(__VA_ARGS__)))
#define Block_release(...) _Block_release((const void *)(__VA_ARGS__))
