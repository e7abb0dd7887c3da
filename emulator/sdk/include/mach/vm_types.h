// Mach's types for addresses and sizes of memory, and for the name of a task.
#pragma once

#include <stdint.h>

typedef uint32_t mach_port_t;
typedef mach_port_t task_t;
typedef mach_port_t vm_map_t;
typedef mach_port_t task_id_token_t;
typedef uintptr_t vm_address_t;
typedef uintptr_t vm_offset_t;
typedef uintptr_t vm_size_t;
typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_size_t;

#define MACH_PORT_NULL 0
#define TASK_NULL 0
