// extents<I, E...>: how many elements a tensor has along each dimension, innermost first; each known to the
// compiler or given at run time. source: MSL specification, section 2.22.
#pragma once
#pragma clang system_header

#include "../metal_array"

namespace metal {

inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);

template <class I, size_t... E> struct extents {
  static_assert(is_integral_v<I>, "extents: the index type must be an integer type");
  typedef I index_type;
  typedef make_unsigned_t<I> size_type;
  typedef size_t rank_type;

  static constexpr METAL_FUNC rank_type rank() { return sizeof...(E); }
  static constexpr METAL_FUNC rank_type rank_dynamic() { return (size_t(E == dynamic_extent) + ... + 0); }
  static constexpr METAL_FUNC size_t static_extent(rank_type r) { return kStatic[r]; }

  constexpr METAL_FUNC extents() : values_{(E == dynamic_extent ? I(0) : I(E))...} {}

  /// One value for every dimension, or one for every dynamic dimension.
  template <class... N, class = enable_if_t<(sizeof...(N) > 0) && (is_convertible_v<N, I> && ...)>>
  explicit constexpr METAL_FUNC extents(N... n) : extents() {
    static_assert(sizeof...(N) == rank() || sizeof...(N) == rank_dynamic(),
                  "extents: give one value for each dimension, or one for each dynamic dimension");
    const I given[] = {static_cast<I>(n)...};
    fill(given, sizeof...(N));
  }
  template <class J, size_t N> explicit constexpr METAL_FUNC extents(array<J, N> n) : extents() {
    static_assert(N == rank() || N == rank_dynamic(),
                  "extents: give one value for each dimension, or one for each dynamic dimension");
    I given[N] = {};
    for (size_t i = 0; i < N; ++i)
      given[i] = static_cast<I>(n[i]);
    fill(given, N);
  }
  template <class J, size_t... F> constexpr METAL_FUNC extents(const extents<J, F...> &other) : extents() {
    static_assert(sizeof...(F) == rank(), "extents: the ranks differ");
    for (rank_type r = 0; r < rank(); ++r)
      if (kStatic[r] == dynamic_extent)
        values_[r] = static_cast<I>(other.extent(r));
  }

  constexpr METAL_FUNC index_type extent(rank_type r) const {
    return kStatic[r] == dynamic_extent ? values_[r] : static_cast<I>(kStatic[r]);
  }

  template <class J, size_t... F>
  friend constexpr METAL_FUNC bool operator==(const extents &a, const extents<J, F...> &b) {
    bool equal = sizeof...(F) == rank();
    for (rank_type r = 0; equal && r < rank(); ++r)
      equal = a.extent(r) == static_cast<I>(b.extent(r));
    return equal;
  }

private:
  static constexpr size_t kStatic[sizeof...(E) + 1] = {E..., 0};

  constexpr METAL_FUNC void fill(const I *given, size_t count) {
    for (rank_type r = 0, next = 0; r < rank(); ++r)
      if (kStatic[r] == dynamic_extent)
        values_[r] = given[count == rank() ? r : next++];
  }

  I values_[sizeof...(E) + 1];
};

namespace detail {
template <class I, class Sequence> struct DynamicExtents;
template <class I, size_t... R> struct DynamicExtents<I, index_sequence<R...>> {
  typedef extents<I, (static_cast<void>(R), dynamic_extent)...> type;
};
} // namespace detail

/// `Rank` dimensions, all of them given at run time.
template <class I, size_t Rank>
using dextents = typename detail::DynamicExtents<I, make_index_sequence<Rank>>::type;

} // namespace metal
