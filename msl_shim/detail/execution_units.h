// Which threads perform an operation together. source: MSL 4 specification, section 2.22; public kernels.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {

template <size_t Size> struct execution_threads {
  static_assert(Size == 1, "execution_threads: only one thread is supported");
  static constexpr size_t static_size = Size;
  constexpr METAL_FUNC uint size() const { return Size; }
};
template <size_t Size> struct execution_simdgroups {
  static_assert(Size != 0, "execution_simdgroups: the number must be above 0");
  static constexpr size_t static_size = Size;
  constexpr METAL_FUNC uint size() const { return Size; }
};
typedef execution_threads<1> execution_thread;
typedef execution_simdgroups<1> execution_simdgroup;

template <class _T> inline constexpr bool is_execution_thread_v = is_same_v<_T, execution_thread>;
template <class _T> inline constexpr bool is_execution_simdgroups_v = false;
template <size_t _N> inline constexpr bool is_execution_simdgroups_v<execution_simdgroups<_N>> = true;

} // namespace metal
