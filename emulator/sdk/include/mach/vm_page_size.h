// The size of a page of memory under Mach's name.
#pragma once

#include <unistd.h>

#define vm_page_size ((unsigned long)sysconf(_SC_PAGESIZE))
