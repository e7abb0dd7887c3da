// What comes with pointers without an address space, in Metal 4.1 and later
// (emulator/frontend/generic_pointers.h).
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers"; MSL
//         specification of 2026-06-04, section 1.5.4: placement new
#pragma once
#pragma clang system_header
#if __METAL_VERSION__ >= 410

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

} // namespace __assay
} // namespace metal

#define __ASSAY_ASKS_FOR_SPACE                                                                               \
  __attribute__((error("which memory a generic pointer points to cannot be asked for at run time here")))
template <class _T, class _U> __ASSAY_ASKS_FOR_SPACE _T addrspace_cast(_U *pointer);
__ASSAY_ASKS_FOR_SPACE bool is_thread_addrspace(const volatile void *pointer);
__ASSAY_ASKS_FOR_SPACE bool is_device_addrspace(const volatile void *pointer);
__ASSAY_ASKS_FOR_SPACE bool is_threadgroup_addrspace(const volatile void *pointer);
#undef __ASSAY_ASKS_FOR_SPACE

#endif
