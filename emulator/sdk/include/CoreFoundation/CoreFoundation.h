// The small part of CoreFoundation that clients of Metal use. Its objects are Foundation objects, with the
// same reference counts.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <TargetConditionals.h>
#include <dispatch/dispatch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef const void *CFTypeRef;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef unsigned char Boolean;
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned long CFHashCode;
typedef double CFTimeInterval;
typedef CFTimeInterval CFAbsoluteTime;
typedef uint32_t CFStringEncoding;
typedef struct {
  CFIndex location, length;
} CFRange;

enum { kCFStringEncodingASCII = 0x0600, kCFStringEncodingUTF8 = 0x08000100 };

CFTypeRef CFRetain(CFTypeRef object);
void CFRelease(CFTypeRef object);
CFIndex CFGetRetainCount(CFTypeRef object);
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void);

CFStringRef __CFStringMakeConstantString(const char *text); // UTF-8

// The class of the strings that __builtin___CFStringMakeConstantString emits: {isa, flags, bytes, length}.
extern void *__CFConstantStringClassReference[];

#ifdef __cplusplus
}
#endif

#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
