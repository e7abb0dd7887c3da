// BSD's call that asks the kernel about the machine, by name or by number. Linux has no such call. Here the
// names that programs use are answered, and others are unknown. All processors count as fast ones.
#pragma once

#include <assay/mac_version.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CTL_KERN 1
#define CTL_HW 6
#define KERN_OSTYPE 1
#define KERN_OSRELEASE 2
#define HW_MACHINE 1
#define HW_MODEL 2
#define HW_NCPU 3
#define HW_PAGESIZE 7
#define HW_CACHELINE 16
#define HW_MEMSIZE 24
#define HW_AVAILCPU 25

#if defined(__aarch64__)
#define ASSAY_MAC_MACHINE "arm64"
#else
#define ASSAY_MAC_MACHINE "x86_64"
#endif
#define ASSAY_AS_TEXT_(number) #number
#define ASSAY_AS_TEXT(number) ASSAY_AS_TEXT_(number)

/// What the processor calls itself, as far as `size` allows.
static inline void assay_processorName(char *name, size_t size) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown processor");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
      const char *text = strchr(line, ':') + 1;
      text += strspn(text, " ");
      snprintf(name, size, "%.*s", (int)strcspn(text, "\n"), text);
      break;
    }
  if (file)
    fclose(file);
}

static inline int assay_answerText(const char *text, void *old, size_t *oldLength) {
  const size_t size = strlen(text) + 1;
  const int fits = !old || (oldLength && *oldLength >= size);
  if (old && fits)
    memcpy(old, text, size);
  if (oldLength && fits)
    *oldLength = size;
  if (!fits)
    errno = ENOMEM;
  return fits ? 0 : -1;
}

/// The answer if it is a number, with its size in bytes.
static inline int assay_findNumber(const char *name, int64_t *answer, size_t *size) {
  const int64_t online = sysconf(_SC_NPROCESSORS_ONLN), all = sysconf(_SC_NPROCESSORS_CONF);
  const struct {
    const char *name;
    int64_t answer;
    size_t size;
  } known[] = {
      {"hw.memsize", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), 8},
      {"hw.pagesize", sysconf(_SC_PAGESIZE), 8},
      {"hw.cachelinesize", 64, 8},
      {"hw.ncpu", online, 4},
      {"hw.activecpu", online, 4},
      {"hw.logicalcpu", online, 4},
      {"hw.logicalcpu_max", all, 4},
      {"hw.physicalcpu", online, 4},
      {"hw.physicalcpu_max", all, 4},
      {"hw.nperflevels", 1, 4},
      {"hw.perflevel0.logicalcpu", online, 4},
      {"hw.perflevel0.logicalcpu_max", all, 4},
      {"hw.perflevel0.physicalcpu", online, 4},
      {"hw.perflevel0.physicalcpu_max", all, 4},
      {"machdep.cpu.core_count", online, 4},
      {"machdep.cpu.thread_count", online, 4},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (!strcmp(name, known[i].name)) {
      *answer = known[i].answer;
      *size = known[i].size;
      return 1;
    }
  return 0;
}

/// Writes a number of 4 or 8 bytes, as the caller's buffer is large, or a text; with no buffer, the size of
/// the answer.
///
/// errors   -1 and errno: ENOENT (an unknown name), ENOMEM (a buffer that is too small), EPERM (a new value)
static inline int sysctlbyname(const char *name, void *old, size_t *oldLength, const void *value,
                               size_t length) {
  char processor[256];
  const struct {
    const char *name, *answer;
  } texts[] = {
      {"machdep.cpu.brand_string", processor},
      {"hw.model", "Assay"},
      {"hw.machine", ASSAY_MAC_MACHINE},
      {"kern.ostype", "Darwin"},
      {"kern.osrelease", ASSAY_DARWIN_RELEASE},
      {"kern.osproductversion", ASSAY_AS_TEXT(ASSAY_MAC_MAJOR) "." ASSAY_AS_TEXT(ASSAY_MAC_MINOR)},
  };
  if (value || length) {
    errno = EPERM;
    return -1;
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    if (!strcmp(name, texts[i].name)) {
      if (texts[i].answer == processor)
        assay_processorName(processor, sizeof processor);
      return assay_answerText(texts[i].answer, old, oldLength);
    }
  int64_t number;
  size_t size;
  if (!assay_findNumber(name, &number, &size)) {
    errno = ENOENT;
    return -1;
  }
  if (!old) {
    if (oldLength)
      *oldLength = size;
    return 0;
  }
  if (!oldLength || *oldLength < 4 || (*oldLength < 8 && number > INT32_MAX)) {
    errno = ENOMEM;
    return -1;
  }
  const int32_t narrow = (int32_t)number;
  if (*oldLength < 8)
    size = 4;
  memcpy(old, size == 4 ? (const void *)&narrow : (const void *)&number, size);
  *oldLength = size;
  return 0;
}

/// The same by numbers: the kind of question and the question.
static inline int sysctl(const int *numbers, unsigned count, void *old, size_t *oldLength, const void *value,
                         size_t length) {
  const struct {
    int kind, question;
    const char *name;
  } known[] = {
      {CTL_KERN, KERN_OSTYPE, "kern.ostype"},
      {CTL_KERN, KERN_OSRELEASE, "kern.osrelease"},
      {CTL_HW, HW_MACHINE, "hw.machine"},
      {CTL_HW, HW_MODEL, "hw.model"},
      {CTL_HW, HW_NCPU, "hw.ncpu"},
      {CTL_HW, HW_PAGESIZE, "hw.pagesize"},
      {CTL_HW, HW_CACHELINE, "hw.cachelinesize"},
      {CTL_HW, HW_MEMSIZE, "hw.memsize"},
      {CTL_HW, HW_AVAILCPU, "hw.activecpu"},
  };
  for (size_t i = 0; count == 2 && i < sizeof known / sizeof *known; ++i)
    if (numbers[0] == known[i].kind && numbers[1] == known[i].question)
      return sysctlbyname(known[i].name, old, oldLength, value, length);
  errno = ENOENT;
  return -1;
}
