// Which sanitizer this source is compiled for: ASSAY_ASAN, ASSAY_TSAN or neither, and the attributes that it
// needs.
#pragma once

// GCC defines macros for it, Clang 19 answers __has_feature only.
#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define ASSAY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_ASAN 1
#elif __has_feature(thread_sanitizer)
#define ASSAY_TSAN 1
#endif
#endif

// For a function that calls a compiled kernel. UBSan reads the type of a function that Clang has placed
// before its code; before a compiled kernel there may be no memory at all.
#if defined(__clang__)
#define ASSAY_CALLS_COMPILED_CODE __attribute__((no_sanitize("function")))
#else
#define ASSAY_CALLS_COMPILED_CODE
#endif
