// Arguments in device, threadgroup or constant memory, for calls of functions of which another one takes
// thread memory (emulator/frontend/memory_overloads.h).
#pragma once
#pragma clang system_header

#include "primitives.h"
#include "traits.h"

// A namespace without functions: a call with such an object looks for more of them there.
namespace __assay_memories {

template <class _T, class _U> inline constexpr bool kInOneMemory = false;
#define __ASSAY_MEMORY(space)                                                                                \
  template <class _T, class _U> inline constexpr bool kInOneMemory<space _T, space _U> = true;
__ASSAY_MEMORY(device)
__ASSAY_MEMORY(threadgroup)
__ASSAY_MEMORY(constant)
#undef __ASSAY_MEMORY
template <class _T, class _U>
using IfInOneMemory = metal::enable_if_t<__is_convertible(_T *, _U *) && kInOneMemory<_T, _U>>;

// A pointer that converts to pointers into its own memory alone.
template <class _T> struct PointerIntoMemory {
  _T *pointer;
  template <class _U, class = IfInOneMemory<_T, _U>> constexpr METAL_FUNC operator _U *() const {
    return pointer;
  }
};
// An object that binds to references to its own memory alone. It has no value, which would bind to references
// to const in thread memory.
template <class _T> struct ObjectInMemory {
  _T *object;
  template <class _U, class = IfInOneMemory<_T, _U>> constexpr METAL_FUNC operator _U &() const {
    return *object;
  }
};

} // namespace __assay_memories

// __assay_in_memory(x) is x as such an object. Around it, __assay_const_memory is x as Clang deduces
// templates from it: a pointer or a reference to const. What is not in one of these memories stays as it is.
template <class _T> constexpr METAL_FUNC _T &&__assay_in_memory(_T &&x) {
  return static_cast<_T &&>(x);
}
template <class _T> constexpr METAL_FUNC _T &&__assay_const_memory(_T &&x) {
  return static_cast<_T &&>(x);
}
#define __ASSAY_MEMORY(space)                                                                                \
  template <class _T> constexpr METAL_FUNC auto __assay_in_memory(space _T *x) {                             \
    return __assay_memories::PointerIntoMemory<space _T>{x};                                                 \
  }                                                                                                          \
  template <class _T> constexpr METAL_FUNC auto __assay_in_memory(space _T &x) {                             \
    return __assay_memories::ObjectInMemory<space _T>{&x};                                                   \
  }                                                                                                          \
  template <class _T, size_t _n> constexpr METAL_FUNC auto __assay_in_memory(space _T(&x)[_n]) {             \
    return __assay_memories::PointerIntoMemory<space _T>{x};                                                 \
  }                                                                                                          \
  template <class _T>                                                                                        \
  constexpr METAL_FUNC const space _T *__assay_const_memory(                                                 \
      __assay_memories::PointerIntoMemory<space _T> x) {                                                     \
    return x.pointer;                                                                                        \
  }                                                                                                          \
  template <class _T>                                                                                        \
  constexpr METAL_FUNC const space _T &__assay_const_memory(__assay_memories::ObjectInMemory<space _T> x) {  \
    return *x.object;                                                                                        \
  }
__ASSAY_MEMORY(device)
__ASSAY_MEMORY(threadgroup)
__ASSAY_MEMORY(constant)
#undef __ASSAY_MEMORY
