// Objective-C's basic types: id, Class, SEL, IMP, BOOL. BOOL is bool, as on Apple's 64-bit ARM, so that C++
// callers which return bool and Objective-C callers which return BOOL read the same register the same way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define OBJC_EXTERN extern "C"
#else
#define OBJC_EXTERN extern
#endif
#define OBJC_EXPORT OBJC_EXTERN __attribute__((visibility("default")))
#define OBJC_ROOT_CLASS __attribute__((objc_root_class))

typedef struct objc_class *Class;
typedef struct objc_selector *SEL;
typedef struct objc_object {
  Class isa;
} *id;
typedef id (*IMP)(id, SEL, ...);
typedef bool BOOL;

struct objc_super {
  id receiver;
  Class super_class;
};

#define OBJC_BOOL_IS_BOOL 1
#ifdef __OBJC__
#define YES __objc_yes
#define NO __objc_no
#else
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#endif

// A plain pointer, so that host code can compare nil with C pointers and store it in them.
#ifndef nil
#ifdef __cplusplus
#define nil nullptr
#else
#define nil ((void *)0)
#endif
#endif
#ifndef Nil
#define Nil nil
#endif

#ifndef __has_feature // g++
#define __has_feature(name) 0
#endif
#ifdef __OBJC__
#define OBJC_RETURNS_RETAINED __attribute__((ns_returns_retained))
#else
#define OBJC_RETURNS_RETAINED
#endif

#if !__has_feature(objc_arc)
#ifndef __strong
#define __strong
#endif
#ifndef __unsafe_unretained
#define __unsafe_unretained
#endif
#ifndef __autoreleasing
#define __autoreleasing
#endif
#endif

OBJC_EXPORT const char *sel_getName(SEL selector);
OBJC_EXPORT SEL sel_registerName(const char *name);
OBJC_EXPORT const char *object_getClassName(id object);
