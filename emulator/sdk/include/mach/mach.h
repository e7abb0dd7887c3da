// What host programs use of Mach: memory by pages, the token of a task, results.
#pragma once

#include "kern_return.h"
#include "mach_init.h"
#include "vm_map.h"
#include "vm_page_size.h"
#include "vm_types.h"
