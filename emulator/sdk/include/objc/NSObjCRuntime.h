// Integer types and enumeration macros of Foundation; they need no class.
#pragma once

#include <objc/objc.h>

typedef long NSInteger;
typedef unsigned long NSUInteger;

#define NSIntegerMax LONG_MAX
#define NSIntegerMin LONG_MIN
#define NSUIntegerMax ULONG_MAX
#define NSINTEGER_DEFINED 1

#define NS_ENUM(type, name)                                                                                  \
  enum name : type name;                                                                                     \
  enum name : type
#ifdef __cplusplus
#define NS_OPTIONS(type, name)                                                                               \
  type name;                                                                                                 \
  enum : type
#else
#define NS_OPTIONS(type, name)                                                                               \
  enum name : type name;                                                                                     \
  enum name : type
#endif
#define NS_CLOSED_ENUM(type, name) NS_ENUM(type, name)
#define NS_ERROR_ENUM(domain, name) NS_ENUM(NSInteger, name)
#define NS_TYPED_ENUM
#define NS_TYPED_EXTENSIBLE_ENUM
#define NS_STRING_ENUM
#define NS_EXTENSIBLE_STRING_ENUM
