// The monotonic clock under Mach's name: it ticks in nanoseconds.
#pragma once

#include <mach/mach.h>
#include <time.h>

typedef struct mach_timebase_info {
  uint32_t numer;
  uint32_t denom;
} mach_timebase_info_data_t;

static inline kern_return_t mach_timebase_info(struct mach_timebase_info *info) {
  info->numer = info->denom = 1;
  return KERN_SUCCESS;
}

static inline uint64_t mach_absolute_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
