// Grand Central Dispatch, the subset that hosts of Metal use. In Objective-C its objects are Objective-C
// objects (OS_OBJECT_USE_OBJC is 1, as on a Mac): ARC counts them, and without ARC dispatch_retain and
// dispatch_release do. In C and C++ they are opaque pointers. Both are the same objects.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef __OBJC__
#include <objc/NSObject.h>
#ifndef OS_OBJECT_USE_OBJC
#define OS_OBJECT_USE_OBJC 1
#endif
#else
#undef OS_OBJECT_USE_OBJC
#define OS_OBJECT_USE_OBJC 0
#endif
#if OS_OBJECT_USE_OBJC
#if __has_feature(objc_arc)
#define OS_OBJECT_USE_OBJC_RETAIN_RELEASE 1
#define OS_OBJECT_BRIDGE __bridge
#endif
#define OS_OBJECT_RETURNS_RETAINED __attribute__((ns_returns_retained))
#else
#define OS_OBJECT_RETURNS_RETAINED
#endif
#ifndef OS_OBJECT_BRIDGE
#define OS_OBJECT_USE_OBJC_RETAIN_RELEASE 0
#define OS_OBJECT_BRIDGE
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __OBJC__
@protocol OS_dispatch_object <NSObject>
@end
@protocol OS_dispatch_queue <OS_dispatch_object>
@end
@protocol OS_dispatch_queue_global <OS_dispatch_queue>
@end
@protocol OS_dispatch_queue_main <OS_dispatch_queue>
@end
@protocol OS_dispatch_queue_attr <OS_dispatch_object>
@end
@protocol OS_dispatch_group <OS_dispatch_object>
@end
@protocol OS_dispatch_semaphore <OS_dispatch_object>
@end
@protocol OS_dispatch_data <OS_dispatch_object>
@end
#endif

#if OS_OBJECT_USE_OBJC
typedef NSObject<OS_dispatch_queue> *dispatch_queue_t;
typedef NSObject<OS_dispatch_queue_global> *dispatch_queue_global_t;
typedef NSObject<OS_dispatch_queue_main> *dispatch_queue_main_t;
typedef NSObject<OS_dispatch_queue_attr> *dispatch_queue_attr_t;
typedef NSObject<OS_dispatch_group> *dispatch_group_t;
typedef NSObject<OS_dispatch_semaphore> *dispatch_semaphore_t;
typedef NSObject<OS_dispatch_data> *dispatch_data_t;
#else
typedef struct dispatch_queue_s *dispatch_queue_t;
typedef struct dispatch_queue_s *dispatch_queue_global_t;
typedef struct dispatch_queue_s *dispatch_queue_main_t;
typedef struct dispatch_queue_attr_s *dispatch_queue_attr_t;
typedef struct dispatch_group_s *dispatch_group_t;
typedef struct dispatch_semaphore_s *dispatch_semaphore_t;
typedef struct dispatch_data_s *dispatch_data_t;
#endif
typedef long dispatch_once_t;
typedef uint64_t dispatch_time_t;
typedef unsigned int dispatch_qos_class_t;
typedef unsigned int qos_class_t;
typedef void (*dispatch_function_t)(void *context);
#ifdef __BLOCKS__
typedef void (^dispatch_block_t)(void);
#endif

// Any of the objects above.
#if OS_OBJECT_USE_OBJC
typedef NSObject<OS_dispatch_object> *dispatch_object_t;
#elif defined(__cplusplus)
typedef void *dispatch_object_t;
#else
typedef union {
  struct dispatch_object_s *_object;
  struct dispatch_queue_s *_queue;
  struct dispatch_group_s *_group;
  struct dispatch_semaphore_s *_semaphore;
  struct dispatch_data_s *_data;
} dispatch_object_t __attribute__((__transparent_union__));
#endif

#define DISPATCH_QUEUE_SERIAL ((dispatch_queue_attr_t)0)
#define DISPATCH_QUEUE_CONCURRENT ((OS_OBJECT_BRIDGE dispatch_queue_attr_t)(&_dispatch_queue_attr_concurrent))
extern struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent;
#define DISPATCH_TARGET_QUEUE_DEFAULT ((dispatch_queue_t)0)
#define DISPATCH_APPLY_AUTO ((dispatch_queue_t)0)

#define DISPATCH_QUEUE_PRIORITY_HIGH 2
#define DISPATCH_QUEUE_PRIORITY_DEFAULT 0
#define DISPATCH_QUEUE_PRIORITY_LOW (-2)
#define DISPATCH_QUEUE_PRIORITY_BACKGROUND (-32768)
enum {
  QOS_CLASS_USER_INTERACTIVE = 0x21,
  QOS_CLASS_USER_INITIATED = 0x19,
  QOS_CLASS_DEFAULT = 0x15,
  QOS_CLASS_UTILITY = 0x11,
  QOS_CLASS_BACKGROUND = 0x09,
  QOS_CLASS_UNSPECIFIED = 0x00
};

#define DISPATCH_TIME_NOW (0ull)
#define DISPATCH_TIME_FOREVER (~0ull)
#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define USEC_PER_SEC 1000000ull
#define NSEC_PER_USEC 1000ull
#define DISPATCH_CURRENT_QUEUE_LABEL ((dispatch_queue_t)0)

#if OS_OBJECT_USE_OBJC_RETAIN_RELEASE
// ARC refuses these messages, with the place of the call.
#define dispatch_retain(object) ((void)[(object) retain])
#define dispatch_release(object) [(object) release]
#else
void dispatch_retain(dispatch_object_t object);
void dispatch_release(dispatch_object_t object);
#endif
void dispatch_set_context(dispatch_object_t object, void *context);
void *dispatch_get_context(dispatch_object_t object);
void dispatch_set_finalizer_f(dispatch_object_t object, dispatch_function_t finalizer);

dispatch_queue_t dispatch_queue_create(const char *label,
                                       dispatch_queue_attr_t attributes) OS_OBJECT_RETURNS_RETAINED;
dispatch_queue_t dispatch_queue_create_with_target(const char *label, dispatch_queue_attr_t attributes,
                                                   dispatch_queue_t target) OS_OBJECT_RETURNS_RETAINED;
dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attributes,
                                                              dispatch_qos_class_t qos, int relativePriority);
dispatch_queue_global_t dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
dispatch_queue_main_t dispatch_get_main_queue(void);
const char *dispatch_queue_get_label(dispatch_queue_t queue);
void dispatch_main(void) __attribute__((noreturn));

void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_barrier_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work);
void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context, void (*work)(void *, size_t));
void dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t work);

dispatch_group_t dispatch_group_create(void) OS_OBJECT_RETURNS_RETAINED;
void dispatch_group_enter(dispatch_group_t group);
void dispatch_group_leave(dispatch_group_t group);
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t timeout);
void dispatch_group_async_f(dispatch_group_t group, dispatch_queue_t queue, void *context,
                            dispatch_function_t work);
void dispatch_group_notify_f(dispatch_group_t group, dispatch_queue_t queue, void *context,
                             dispatch_function_t work);

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) OS_OBJECT_RETURNS_RETAINED;
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t timeout);
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore);

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t deltaNanoseconds);
dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t deltaNanoseconds);

size_t dispatch_data_get_size(dispatch_data_t data);

#ifdef __BLOCKS__
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_apply(size_t iterations, dispatch_queue_t queue, void (^block)(size_t iteration));
void dispatch_once(dispatch_once_t *predicate, dispatch_block_t block);
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);

// Bytes, shared and counted. DISPATCH_DATA_DESTRUCTOR_DEFAULT copies them, _FREE gives them to free().
#define DISPATCH_DATA_DESTRUCTOR_DEFAULT ((dispatch_block_t)0)
#define DISPATCH_DATA_DESTRUCTOR_FREE (_dispatch_data_destructor_free)
extern const dispatch_block_t _dispatch_data_destructor_free;
extern struct dispatch_data_s _dispatch_data_empty;
#define dispatch_data_empty ((OS_OBJECT_BRIDGE dispatch_data_t)(&_dispatch_data_empty))
dispatch_data_t dispatch_data_create(const void *buffer, size_t size, dispatch_queue_t queue,
                                     dispatch_block_t destructor) OS_OBJECT_RETURNS_RETAINED;
dispatch_data_t dispatch_data_create_map(dispatch_data_t data, const void **buffer,
                                         size_t *size) OS_OBJECT_RETURNS_RETAINED;
typedef bool (^dispatch_data_applier_t)(dispatch_data_t region, size_t offset, const void *buffer,
                                        size_t size);
bool dispatch_data_apply(dispatch_data_t data, dispatch_data_applier_t applier);
#endif

#ifdef __cplusplus
}
#endif
