// Which threads perform an operation together, and how they hold a matrix. They come with the operations:
// <metal_stdlib> alone has no such names. source: MSL 4 specification, section 2.22; public kernels; Apple's
// headers (kagurasumusun/metal, 32023.883) for where they come from.
#pragma once
#pragma clang system_header

#include "cooperative_layout.h"

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

namespace __assay {
template <int Rows, int Columns, class Scope> struct LayoutOf;
template <int Rows, int Columns> struct LayoutOf<Rows, Columns, execution_thread> {
  typedef ThreadLayout<Rows, Columns> type;
};
template <int Rows, int Columns, size_t _N> struct LayoutOf<Rows, Columns, execution_simdgroups<_N>> {
  typedef FragmentLayout<Rows, Columns, static_cast<int>(_N)> type;
};
} // namespace __assay

} // namespace metal
