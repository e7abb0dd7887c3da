// What comes with pointers without an address space, in Metal 4.1 and later
// (emulator/frontend/generic_pointers.h).
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers"; MSL
//         specification of 2026-06-04, section 1.5.4: placement new
#pragma once
#pragma clang system_header
#if __METAL_VERSION__ >= 410

#include "primitives.h"
#include "traits.h"

inline METAL_FUNC void *operator new(unsigned long, void *place) noexcept {
  return place;
}
inline METAL_FUNC void *operator new[](unsigned long, void *place) noexcept {
  return place;
}

namespace metal {
namespace __assay {

// The operand of a static_cast from a generic pointer: Clang has no such cast to another address space.
template <class _T> struct Generic {
  _T *pointer;
  template <class _U, class = decltype(static_cast<remove_addrspace_t<_U> *>(static_cast<_T *>(nullptr)))>
  METAL_FUNC operator _U *() const {
    return (_U *)static_cast<remove_addrspace_t<_U> *>(pointer);
  }
};
template <class _T> METAL_FUNC Generic<_T> generic(_T *pointer) {
  return {pointer};
}

// The space of __assay_points_to for the memory that a pointer to T leads to.
template <class _T> struct PointedSpace {
  static constexpr unsigned value = 0;
};
template <class _T> struct PointedSpace<threadgroup _T> {
  static constexpr unsigned value = 3;
};
template <class _T> struct PointedSpace<device _T> {
  static constexpr unsigned value = 5;
};
template <class _T> struct PointedSpace<constant _T>; // no generic pointer leads there

} // namespace __assay
} // namespace metal

// A function beside one for generic pointers (emulator/frontend/generic_pairs.h).
#define __ASSAY_FOR_THREAD __attribute__((annotate("assay.for.thread"), enable_if(true, "")))

// To a pointer without a space it is refused (emulator/frontend/space_rules.h).
template <class _T, class _U> METAL_FUNC _T addrspace_cast(_U *pointer) {
  static_assert(__is_pointer(_T), "addrspace_cast leads to a pointer");
  using _Space = metal::__assay::PointedSpace<__remove_pointer(_T)>;
  return __assay_points_to(pointer, _Space::value)
             ? _T(metal::__assay::generic((metal::remove_addrspace_t<_U> *)pointer))
             : nullptr;
}

#define __ASSAY_IS_ADDRSPACE(name, T)                                                                        \
  METAL_FUNC bool name(const volatile void *pointer) {                                                       \
    return __assay_points_to(pointer, metal::__assay::PointedSpace<T>::value);                               \
  }                                                                                                          \
  bool name(const volatile constant void *) = delete;
__ASSAY_IS_ADDRSPACE(is_thread_addrspace, int)
__ASSAY_IS_ADDRSPACE(is_threadgroup_addrspace, threadgroup int)
__ASSAY_IS_ADDRSPACE(is_device_addrspace, device int)
#undef __ASSAY_IS_ADDRSPACE

#else
#define __ASSAY_FOR_THREAD // there is no such pair
#endif
