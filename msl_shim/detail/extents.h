// extents<I, E...>: how many elements a tensor has along each dimension, innermost first; each known to the
// compiler or given at run time.
// source: MSL specification, section 2.22.
#pragma once
#pragma clang system_header
#if __ASSAY_LIBRARY_HAS(TENSOR)

#include <metal_array>

namespace metal {

inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);

namespace __assay {
template <class _I>
inline constexpr make_unsigned_t<_I> kMostExtent = __is_signed(_I) ? make_unsigned_t<_I>(-1) >> 1
                                                                   : make_unsigned_t<_I>(-1);
template <class _I, class _J> inline constexpr bool kHoldsExtents = kMostExtent<_I> >= kMostExtent<_J>;
} // namespace __assay

template <class _I, size_t... _E> struct __ASSAY_OBJECTS_IN_THREAD extents {
  static_assert(is_integral_v<_I>, "extents: the index type must be an integer type");
  typedef _I index_type;
  typedef make_unsigned_t<_I> size_type;
  typedef size_t rank_type;

  static constexpr METAL_FUNC rank_type rank() { return sizeof...(_E); }
  static constexpr METAL_FUNC rank_type rank_dynamic() { return (size_t(_E == dynamic_extent) + ... + 0); }
  static constexpr METAL_FUNC size_t static_extent(rank_type r) { return kStatic[r]; }

  constexpr METAL_FUNC extents() : values_{(_E == dynamic_extent ? _I(0) : _I(_E))...} {}

  /// One value for each dynamic dimension.
  template <class... _N, class = enable_if_t<(sizeof...(_N) > 0) && (is_convertible_v<_N, _I> && ...)>,
            class = enable_if_t<sizeof...(_N) == (size_t(_E == dynamic_extent) + ... + 0)>>
  explicit constexpr METAL_FUNC extents(_N... n) : extents() {
    const _I given[] = {static_cast<_I>(n)...};
    for (rank_type r = 0, next = 0; r < rank(); ++r)
      if (kStatic[r] == dynamic_extent)
        values_[r] = given[next++];
  }
  /// Explicit if the index type holds less than the other one.
  template <class _J, size_t... _F,
            enable_if_t<(sizeof...(_F) == sizeof...(_E)) && !__assay::kHoldsExtents<_I, _J>, int> = 0>
  explicit constexpr METAL_FUNC extents(const extents<_J, _F...> &other) : extents() {
    take(other);
  }
  template <class _J, size_t... _F,
            enable_if_t<(sizeof...(_F) == sizeof...(_E)) && __assay::kHoldsExtents<_I, _J>, int> = 0>
  constexpr METAL_FUNC extents(const extents<_J, _F...> &other) : extents() {
    take(other);
  }

  constexpr METAL_FUNC index_type extent(rank_type r) const {
    return kStatic[r] == dynamic_extent ? values_[r] : static_cast<_I>(kStatic[r]);
  }

  template <class _J, size_t... _F>
  friend constexpr METAL_FUNC bool operator==(const extents &a, const extents<_J, _F...> &b) {
    bool equal = sizeof...(_F) == rank();
    for (rank_type r = 0; equal && r < rank(); ++r)
      equal = a.extent(r) == static_cast<_I>(b.extent(r));
    return equal;
  }

private:
  static constexpr size_t kStatic[sizeof...(_E) + 1] = {_E..., 0};

  template <class _Other> constexpr METAL_FUNC void take(const _Other &other) {
    for (rank_type r = 0; r < rank(); ++r)
      if (kStatic[r] == dynamic_extent)
        values_[r] = static_cast<_I>(other.extent(r));
  }

  _I values_[sizeof...(_E) + 1];
};

namespace __assay {
template <class _I, class Sequence> struct DynamicExtents;
template <class _I, size_t... _R> struct DynamicExtents<_I, index_sequence<_R...>> {
  typedef extents<_I, (static_cast<void>(_R), dynamic_extent)...> type;
};
} // namespace __assay

/// `Rank` dimensions, all of them given at run time.
template <class _I, size_t Rank>
using dextents = typename __assay::DynamicExtents<_I, make_index_sequence<Rank>>::type;

} // namespace metal

#endif
