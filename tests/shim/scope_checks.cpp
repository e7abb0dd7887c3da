// Memory flags, orders and scopes: the numbers of Apple's predefined macros, what is there before the first
// include, and the overloads. Compiling this file is the test.
// source: as in detail/scopes.h.

// A program may name the scopes before it includes anything, and define the one for the system itself.
namespace metal {
constexpr constant metal::thread_scope thread_scope_system = static_cast<thread_scope>(3);
}
static_assert(metal::thread_scope_system == 3);

#include <metal_stdlib>

static_assert(__METAL_MEMORY_FLAGS_NONE__ == 0 && __METAL_MEMORY_FLAGS_DEVICE__ == 1 &&
              __METAL_MEMORY_FLAGS_THREADGROUP__ == 2 && __METAL_MEMORY_FLAGS_TEXTURE__ == 4 &&
              __METAL_MEMORY_FLAGS_THREADGROUP_IMAGEBLOCK__ == 8 && __METAL_MEMORY_FLAGS_OBJECT_DATA__ == 16);
static_assert(__METAL_MEMORY_ORDER_RELAXED__ == 0 && __METAL_MEMORY_ORDER_ACQUIRE__ == 2 &&
              __METAL_MEMORY_ORDER_RELEASE__ == 3 && __METAL_MEMORY_ORDER_ACQ_REL__ == 4 &&
              __METAL_MEMORY_ORDER_SEQ_CST__ == 5);
static_assert(__METAL_MEMORY_SCOPE_THREAD__ == 0 && __METAL_MEMORY_SCOPE_THREADGROUP__ == 1 &&
              __METAL_MEMORY_SCOPE_DEVICE__ == 2 && __METAL_MEMORY_SCOPE_SIMDGROUP__ == 4);

static_assert(metal::thread_scope_thread == 0 && metal::thread_scope_threadgroup == 1 &&
              metal::thread_scope_device == 2 && metal::thread_scope::thread_scope_simdgroup == 4);
static_assert(metal::memory_order_relaxed == 0 && metal::memory_order_acquire == 2 &&
              metal::memory_order_release == 3 && metal::memory_order_acq_rel == 4 &&
              metal::memory_order::memory_order_seq_cst == 5);
static_assert(int(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup) == 3);
static_assert(metal::is_same_v<decltype(metal::atomic_load_explicit((device metal::atomic_uint *)nullptr,
                                                                    metal::memory_order_relaxed)),
                               uint>);

void calls(volatile coherent(system) device uint *a, coherent(device) device float *b) {
  using namespace metal;
  a[0] = uint(b[0]);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, metal::thread_scope_system);
  atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel);
  threadgroup_barrier(mem_flags::mem_none);
  threadgroup_barrier(mem_flags::mem_device, thread_scope_device);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_barrier(mem_flags::mem_threadgroup, thread_scope_simdgroup);
}
