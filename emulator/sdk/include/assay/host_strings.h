// BSD's bounded copies of strings, which Apple's <string.h> has and glibc 2.36 does not.
#pragma once

#include <string.h>

#if !defined(__GLIBC__) || (__GLIBC__ == 2 && __GLIBC_MINOR__ < 38)

#if defined(__cplusplus)
extern "C" {
#endif

/// Both return the length that the whole string would have had; `size` counts the ending zero.
static inline size_t strlcpy(char *to, const char *from, size_t size) {
  const size_t length = strlen(from);
  if (size) {
    const size_t copied = length < size ? length : size - 1;
    memcpy(to, from, copied);
    to[copied] = '\0';
  }
  return length;
}

static inline size_t strlcat(char *to, const char *from, size_t size) {
  const size_t before = strnlen(to, size);
  return before + (before == size ? strlen(from) : strlcpy(to + before, from, size - before));
}

#if defined(__cplusplus)
}
#endif

#endif
