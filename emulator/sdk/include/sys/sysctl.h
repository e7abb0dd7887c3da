// BSD's questions to the kernel, by name. Linux has no such call: the size of memory is answered, other names
// are unknown.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static inline int sysctlbyname(const char *name, void *old, size_t *oldLength, const void *value,
                               size_t length) {
  (void)value, (void)length;
  if (strcmp(name, "hw.memsize") || !old || !oldLength || *oldLength < sizeof(uint64_t)) {
    errno = ENOENT;
    return -1;
  }
  const uint64_t size = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  memcpy(old, &size, sizeof size);
  *oldLength = sizeof size;
  return 0;
}
