// Mach's names that Metal's headers mention: results and the token of a task. There is no Mach here.
#pragma once

#include <stdint.h>

typedef int kern_return_t;
typedef uint32_t mach_port_t;
typedef mach_port_t task_id_token_t;
typedef uintptr_t vm_address_t;
typedef uintptr_t vm_size_t;
typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_size_t;

#define KERN_SUCCESS 0
#define KERN_INVALID_ARGUMENT 4
#define KERN_FAILURE 5
#define KERN_NOT_SUPPORTED 46
