// Which sanitizer this source is compiled for: ASSAY_ASAN, ASSAY_TSAN or neither.
#pragma once

// GCC says it by macros, Clang 19 by __has_feature alone.
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
