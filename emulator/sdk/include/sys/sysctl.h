// BSD's questions to the kernel, by name. Linux has no such call: what programs ask about the machine is
// answered, and other names are unknown.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/// Writes a number of 4 or 8 bytes, as the caller's buffer is large; with no buffer, the size of the answer.
///
/// errors   -1 and errno: ENOENT (an unknown name), ENOMEM (a buffer that is too small), EPERM (a new value)
static inline int sysctlbyname(const char *name, void *old, size_t *oldLength, const void *value,
                               size_t length) {
  const struct {
    const char *name;
    int64_t answer;
    size_t size;
  } known[] = {
      {"hw.memsize", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), 8},
      {"hw.pagesize", sysconf(_SC_PAGESIZE), 8},
      {"hw.ncpu", sysconf(_SC_NPROCESSORS_ONLN), 4},
      {"hw.activecpu", sysconf(_SC_NPROCESSORS_ONLN), 4},
      {"hw.logicalcpu", sysconf(_SC_NPROCESSORS_ONLN), 4},
      {"hw.logicalcpu_max", sysconf(_SC_NPROCESSORS_CONF), 4},
      {"hw.physicalcpu", sysconf(_SC_NPROCESSORS_ONLN), 4},
      {"hw.physicalcpu_max", sysconf(_SC_NPROCESSORS_CONF), 4},
  };
  if (value || length) {
    errno = EPERM;
    return -1;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(name, known[i].name))
      continue;
    if (!old) {
      if (oldLength)
        *oldLength = known[i].size;
      return 0;
    }
    if (!oldLength || *oldLength < 4 || (*oldLength < 8 && known[i].answer > INT32_MAX)) {
      errno = ENOMEM;
      return -1;
    }
    const int32_t narrow = (int32_t)known[i].answer;
    const size_t size = *oldLength < 8 ? 4 : known[i].size;
    memcpy(old, size == 4 ? (const void *)&narrow : (const void *)&known[i].answer, size);
    *oldLength = size;
    return 0;
  }
  errno = ENOENT;
  return -1;
}
