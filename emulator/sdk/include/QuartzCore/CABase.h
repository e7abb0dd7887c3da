// The clock of Core Animation, in seconds. It is monotonic.
#pragma once

#include <time.h>

static inline double CACurrentMediaTime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
