// Memory by whole pages, as Mach gives it: zeroed, and at the start of a page.
#pragma once

#include "kern_return.h"
#include "mach_init.h"

#include <sys/mman.h>
#include <unistd.h>

#define VM_FLAGS_FIXED 0x0000
#define VM_FLAGS_ANYWHERE 0x0001

/// Maps `size` bytes, rounded up to whole pages, and writes where they are to *address.
///
/// flags    VM_FLAGS_ANYWHERE; a place of the caller's choice is KERN_INVALID_ARGUMENT
/// errors   KERN_INVALID_ARGUMENT (another task), KERN_NO_SPACE
static inline kern_return_t vm_allocate(vm_map_t task, vm_address_t *address, vm_size_t size, int flags) {
  if (task != mach_task_self() || !address || !(flags & VM_FLAGS_ANYWHERE))
    return KERN_INVALID_ARGUMENT;
  if (size == 0) {
    *address = 0;
    return KERN_SUCCESS;
  }
  void *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return KERN_NO_SPACE;
  *address = (vm_address_t)memory;
  return KERN_SUCCESS;
}

/// The pages that hold any of these bytes are given back.
static inline kern_return_t vm_deallocate(vm_map_t task, vm_address_t address, vm_size_t size) {
  if (task != mach_task_self())
    return KERN_INVALID_ARGUMENT;
  const vm_address_t page = (vm_address_t)sysconf(_SC_PAGESIZE);
  const vm_address_t begin = address & ~(page - 1);
  return size == 0 || munmap((void *)begin, address + size - begin) == 0 ? KERN_SUCCESS
                                                                         : KERN_INVALID_ADDRESS;
}

static inline kern_return_t mach_vm_allocate(vm_map_t task, mach_vm_address_t *address, mach_vm_size_t size,
                                             int flags) {
  vm_address_t found = 0;
  const kern_return_t result = vm_allocate(task, &found, size, flags);
  if (result == KERN_SUCCESS)
    *address = found;
  return result;
}

static inline kern_return_t mach_vm_deallocate(vm_map_t task, mach_vm_address_t address,
                                               mach_vm_size_t size) {
  return vm_deallocate(task, (vm_address_t)address, size);
}
