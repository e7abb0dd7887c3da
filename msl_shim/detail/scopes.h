// The options by which barriers, fences and atomics order memory. Predeclared: part of the prelude, because
// programs name metal::thread_scope before they include anything.
//
// source: MSL specification, sections on synchronization and atomics; the numbers are those of the macros
// that Apple's compiler predefines (metal -E -dM).
#pragma once
#pragma clang system_header

#define __METAL_MEMORY_FLAGS_NONE__ 0
#define __METAL_MEMORY_FLAGS_DEVICE__ 1
#define __METAL_MEMORY_FLAGS_THREADGROUP__ 2
#define __METAL_MEMORY_FLAGS_TEXTURE__ 4
#define __METAL_MEMORY_FLAGS_THREADGROUP_IMAGEBLOCK__ 8
#define __METAL_MEMORY_FLAGS_OBJECT_DATA__ 16

#define __METAL_MEMORY_ORDER_RELAXED__ 0
#define __METAL_MEMORY_ORDER_ACQUIRE__ 2
#define __METAL_MEMORY_ORDER_RELEASE__ 3
#define __METAL_MEMORY_ORDER_ACQ_REL__ 4
#define __METAL_MEMORY_ORDER_SEQ_CST__ 5

// The system scope has none: programs that use it define it themselves, as 3.
#define __METAL_MEMORY_SCOPE_THREAD__ 0
#define __METAL_MEMORY_SCOPE_THREADGROUP__ 1
#define __METAL_MEMORY_SCOPE_DEVICE__ 2
#define __METAL_MEMORY_SCOPE_SIMDGROUP__ 4

namespace metal {

// The bits are passed to __assay_threadgroup_barrier as they are.
enum class mem_flags {
  mem_none = __METAL_MEMORY_FLAGS_NONE__,
  mem_device = __METAL_MEMORY_FLAGS_DEVICE__,
  mem_threadgroup = __METAL_MEMORY_FLAGS_THREADGROUP__,
  mem_texture = __METAL_MEMORY_FLAGS_TEXTURE__,
  mem_threadgroup_imageblock = __METAL_MEMORY_FLAGS_THREADGROUP_IMAGEBLOCK__,
  mem_object_data = __METAL_MEMORY_FLAGS_OBJECT_DATA__,
  // Of Metal 1, before flags could be joined; Apple's header still has it, and so has OpenSubdiv.
  mem_device_and_threadgroup __attribute__((deprecated("use mem_device | mem_threadgroup instead"))) =
      mem_device | mem_threadgroup
};
constexpr METAL_FUNC mem_flags operator|(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<int>(a) | static_cast<int>(b));
}
constexpr METAL_FUNC mem_flags operator&(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<int>(a) & static_cast<int>(b));
}
constexpr METAL_FUNC mem_flags operator^(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<int>(a) ^ static_cast<int>(b));
}
constexpr METAL_FUNC mem_flags operator~(mem_flags a) {
  return static_cast<mem_flags>(~static_cast<int>(a));
}

// Orders of atomics and the scope of the system.
#define __ASSAY_ORDERS (__ASSAY_ANY_VERSION || __METAL_VERSION__ >= 410)

// The library itself says the numbers, for versions without the names.
#if __ASSAY_LIBRARY_HAS(THREAD_SCOPE)
enum thread_scope {
  thread_scope_thread = __METAL_MEMORY_SCOPE_THREAD__,
  thread_scope_threadgroup = __METAL_MEMORY_SCOPE_THREADGROUP__,
  thread_scope_device = __METAL_MEMORY_SCOPE_DEVICE__,
  thread_scope_simdgroup = __METAL_MEMORY_SCOPE_SIMDGROUP__
};

// Since Metal 4.1. Programs also define thread_scope_system in namespace metal themselves. Their name wins
// over one that is only reached through a using directive.
#if __ASSAY_ORDERS
namespace __assay_scopes {
inline constexpr thread_scope thread_scope_system = static_cast<thread_scope>(3);
}
using namespace __assay_scopes;
#endif
#endif

// The values are also those of Clang's atomic built-ins.
enum memory_order {
  memory_order_relaxed = __METAL_MEMORY_ORDER_RELAXED__,
#if __ASSAY_ORDERS
  memory_order_acquire = __METAL_MEMORY_ORDER_ACQUIRE__,
  memory_order_release = __METAL_MEMORY_ORDER_RELEASE__,
  memory_order_acq_rel = __METAL_MEMORY_ORDER_ACQ_REL__,
#endif
#undef __ASSAY_ORDERS
#if __ASSAY_LIBRARY_HAS(ATOMIC_FENCE)
  memory_order_seq_cst = __METAL_MEMORY_ORDER_SEQ_CST__
#endif
};

} // namespace metal
