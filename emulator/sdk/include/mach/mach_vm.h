// mach_vm_allocate and mach_vm_deallocate.
#pragma once

#include "vm_map.h"
