// This process in Mach's words. There is no other task here, so one name is enough.
#pragma once

#include "vm_types.h"

static inline mach_port_t mach_task_self(void) {
  return 1;
}
