// The sums, maxima or minima of the rows or columns of a cooperative tensor, as one with one dimension.
//
// Problem.  Apple leaves to the device which thread holds which value. map_iterator gives a thread the value
//           of a row for each element of the row that it holds.
// Choice.   A thread holds the values of all rows (or columns) in which it has elements, so threads have
//           copies. The order in which elements are combined is unpublished: here first those of a thread, in
//           the order of its places, then those of its neighbours in a butterfly.
// Limit.    As in Apple's header, one simdgroup reduces and maps. One thread may hold a reduction, load and
//           store it; one of several simdgroups, over which rows are spread, is an error.
// source:   MSL 4 specification, section 7.2.1; public kernels (flash attention).
#pragma once
#pragma clang system_header

#include "matmul_layout.h"

#include <metal_cooperative_tensor>
#include <metal_math>
#include <metal_simdgroup>

namespace metal {
namespace __assay {

/// Which row or column of a matrix with the layout a thread has the value of, in which place.
template <class Layout, bool OfRows> struct ReducedLayout {
  static_assert(Layout::kSimdgroups <= 1,
                "matmul2d: reductions of cooperative tensors of several simdgroups are not supported");
  static constexpr int kSimdgroups = Layout::kSimdgroups;
  static constexpr int kLength = OfRows ? Layout::kMatrixRows : Layout::kMatrixColumns;
  static constexpr int kFragment = OfRows ? 16 : Layout::kPeriod, kOfFragment = OfRows ? 2 : Layout::kRun;
  static constexpr int kStep = OfRows ? 8 : 1;
  static constexpr int kCapacity =
      Layout::kSimdgroups == 0 ? kLength : (kLength + kFragment - 1) / kFragment * kOfFragment;

  static METAL_FUNC int positionOf(int place) {
    if constexpr (Layout::kSimdgroups == 0)
      return place;
    const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
    return place / kOfFragment * kFragment + place % kOfFragment * kStep +
           (OfRows ? fragmentRow(lane, 0) : firstColumnOf<Layout>(lane));
  }
  /// Of a row or column in which the thread has elements.
  static METAL_FUNC int placeOf(int position) {
    return position / kFragment * kOfFragment + position % kFragment / kStep % kOfFragment;
  }
  /// Whether the thread is the first of those that have its values.
  static METAL_FUNC bool isFirst() {
    if constexpr (Layout::kSimdgroups == 0)
      return true;
    const int lane = static_cast<int>(__assay_builtin(kThreadIndexInSimdgroup, 0));
    return (OfRows ? fragmentColumn(lane, 0) : fragmentRow(lane, 0)) == 0;
  }
  /// Lanes that differ only in this bit have elements of the same rows (or columns).
  static constexpr METAL_FUNC bool sharedAcross(int bit) {
    return OfRows ? fragmentRow(bit, 0) == fragmentRow(0, 0) : fragmentColumn(bit, 0) == fragmentColumn(0, 0);
  }
};
template <class Layout, bool OfRows> struct PlacesOf<ReducedLayout<Layout, OfRows>> {
  typedef ReducedLayout<typename PlacesOf<Layout>::type, OfRows> type;
};

/// Whether a layout is that of a reduction, of a destination of matmul2d with the layout Matrix.
template <class Layout, bool OfRows> struct ReductionOf {
  static constexpr bool kIs = false;
};
template <class Layout, bool OfRows> struct ReductionOf<ReducedLayout<Layout, OfRows>, OfRows> {
  static constexpr bool kIs = true;
  typedef Layout Matrix;
};

template <class Layout> inline constexpr bool kIsReduced = false;
template <class Layout, bool OfRows> inline constexpr bool kIsReduced<ReducedLayout<Layout, OfRows>> = true;

/// Whether an iterator of a matrix with the layout From leads to the value of its row or column.
template <class From, class To> inline constexpr bool kIteratorLeadsTo = false;
template <class From, class Layout, bool OfRows>
inline constexpr bool kIteratorLeadsTo<From, ReducedLayout<Layout, OfRows>> =
    kIsMatmulDestination<From> && From::kSimdgroups == 1 && Layout::kSimdgroups == 1 &&
    (OfRows || From::kRun == Layout::kRun) &&
    (OfRows ? From::kMatrixRows : From::kMatrixColumns) == ReducedLayout<Layout, OfRows>::kLength;

template <bool OfRows, int _Matrix, int _Reduced> constexpr METAL_FUNC void checkMappedLength() {
  if constexpr (OfRows)
    static_assert(kEqual<_Matrix, _Reduced>,
                  "map_iterator: the iterator is that of a matrix of $1 rows, and the reduction that of one "
                  "of $2");
  else
    static_assert(kEqual<_Matrix, _Reduced>,
                  "map_iterator: the iterator is that of a matrix of $1 columns, and the reduction that of "
                  "one of $2");
}
/// Whether the value that an iterator of From leads to is known, of iterators that a reduction takes.
/// "Source must be a matmul2d destination cooperative tensor", "map_index requires a single SIMD group", and
/// so on.
template <class From, class To, bool OfRows> constexpr METAL_FUNC bool canMap() {
  typedef typename From::layout Layout;
  typedef typename To::layout Reduced;
  static_assert(kIsMatmulDestination<Layout>,
                "map_iterator: the iterator must be that of a destination of matmul2d");
  static_assert(is_same_v<typename From::value_type, typename To::value_type>,
                "map_iterator: the matrix has elements of $1, and the reduction of $2");
  if constexpr (kIsMatmulDestination<Layout>) {
    checkMappedLength<OfRows, OfRows ? Layout::kMatrixRows : Layout::kMatrixColumns, Reduced::kLength>();
    return canReduceIn<Layout::kSimdgroups>() && canReduceIn<Reduced::kSimdgroups>() &&
           kIteratorLeadsTo<Layout, Reduced>;
  }
  return false;
}

} // namespace __assay

template <class ElementType, class Extents, class Layout, bool OfRows>
struct cooperative_tensor<ElementType, Extents, __assay::ReducedLayout<Layout, OfRows>> {
  typedef ElementType element_type;
  typedef ElementType value_type;
  typedef ElementType &reference;
  typedef const ElementType &const_reference;
  typedef Extents extents_type;
  typedef __assay::ReducedLayout<Layout, OfRows> layout;
  typedef typename Extents::index_type index_type;
  typedef typename Extents::rank_type rank_type;
  typedef ushort thread_index_type;
  typedef ushort thread_size_type;
  typedef __assay::CooperativeIterator<cooperative_tensor, ElementType> iterator;
  typedef __assay::CooperativeIterator<const cooperative_tensor, const ElementType> const_iterator;

  static constexpr METAL_FUNC rank_type get_rank() { return Extents::rank(); }
  static constexpr METAL_FUNC size_t get_static_extent(rank_type r) { return Extents::static_extent(r); }
  constexpr METAL_FUNC thread_size_type get_capacity() const { return layout::kCapacity; }

  METAL_FUNC bool is_valid_element(thread_index_type i) const {
    return layout::positionOf(i) < layout::kLength;
  }
  METAL_FUNC bool is_valid_element(const_iterator it) const { return is_valid_element(it.index_); }
  METAL_FUNC bool is_valid_element(iterator it) const { return is_valid_element(it.index_); }
  METAL_FUNC array<index_type, 1> get_multidimensional_index(thread_index_type i) const {
    __assay::checkCoordinate<index_type>();
    return {static_cast<index_type>(layout::positionOf(i))};
  }
  METAL_FUNC array<index_type, 1> get_multidimensional_index(const_iterator it) const {
    return get_multidimensional_index(it.index_);
  }
  METAL_FUNC array<index_type, 1> get_multidimensional_index(iterator it) const {
    return get_multidimensional_index(it.index_);
  }

  METAL_FUNC reference operator[](thread_index_type i) { return elements_[i]; }
  METAL_FUNC const_reference operator[](thread_index_type i) const { return elements_[i]; }
  METAL_FUNC value_type get(thread_index_type i) const {
    return is_valid_element(i) ? elements_[i] : value_type(0);
  }
  METAL_FUNC void set(thread_index_type i, value_type value) {
    if (is_valid_element(i))
      elements_[i] = value;
  }

  /// As those of a matrix.
  template <class _T, class _E, class... _D> METAL_FUNC void load(const tensor<_T, _E, _D...> &from) {
    checkMemory<_T, _E>();
    for (thread_index_type i = 0; i < get_capacity(); ++i) {
      const int at = layout::positionOf(i);
      elements_[i] = at < layout::kLength ? from.load(from.get_extent(0) == 1 ? 0 : at) : value_type(0);
    }
  }
  template <class _T, class _E, class... _D> METAL_FUNC void store(const tensor<_T, _E, _D...> &to) const {
    checkMemory<_T, _E>();
    for (thread_index_type i = 0; i < get_capacity(); ++i)
      if (layout::isFirst() && is_valid_element(i))
        to.store(elements_[i], layout::positionOf(i));
  }

  __ASSAY_COOPERATIVE_ACCESS

  METAL_FUNC iterator begin() { return {this, 0}; }
  METAL_FUNC iterator end() { return {this, get_capacity()}; }
  METAL_FUNC const_iterator begin() const { return {this, 0}; }
  METAL_FUNC const_iterator end() const { return {this, get_capacity()}; }
  METAL_FUNC iterator get_iterator(thread_index_type i) { return {this, i}; }
  METAL_FUNC const_iterator get_iterator(thread_index_type i) const { return {this, i}; }

  /// The value of the row (or column) of an element of a matrix.
  template <class _T, class _E> METAL_FUNC iterator map_iterator(__assay::CooperativeIterator<_T, _E> it) {
    return {this, placeFor(it)};
  }
  template <class _T, class _E>
  METAL_FUNC const_iterator map_iterator(__assay::CooperativeIterator<_T, _E> it) const {
    return {this, placeFor(it)};
  }

  element_type elements_[layout::kCapacity] = {};

private:
  template <class _T, class _E> static METAL_FUNC void checkMemory() {
    static_assert(is_same_v<remove_cv_t<remove_addrspace_t<_T>>, value_type>,
                  "cooperative_tensor: load and store need a tensor of the same element type");
    static_assert(
        __assay::kInDeviceOrThreadgroup<_T>,
        "cooperative_tensor: load and store need a tensor in device or threadgroup memory, and this "
        "one has elements of $1");
    static_assert(_E::rank() == 1, "cooperative_tensor: load and store need a tensor of the same rank");
  }
  template <class _T, class _E>
  static METAL_FUNC thread_index_type placeFor(__assay::CooperativeIterator<_T, _E> it) {
    if constexpr (__assay::canMap<remove_cv_t<_T>, cooperative_tensor, OfRows>()) {
      const auto at = it.get_multidimensional_index();
      return static_cast<thread_index_type>(layout::placeOf(static_cast<int>(OfRows ? at[1] : at[0])));
    } else {
      __assay_refuse("map_iterator from a matrix with another layout than the one that is reduced",
                     __assay_refusal::kAnotherLayout);
      return 0;
    }
  }
};

namespace __assay {

enum class Reduction { sum, max, min };

template <class _T> METAL_FUNC _T reduced(Reduction operation, _T a, _T b) {
  return operation == Reduction::sum   ? _T(a + b)
         : operation == Reduction::max ? _T(max(a, b))
                                       : _T(min(a, b));
}

/// All lanes of the simdgroup together.
template <bool OfRows, class _T, class _E, class _L, class _F, class To>
METAL_FUNC void reduce(const cooperative_tensor<_T, _E, _L> &from, cooperative_tensor<_T, _F, To> &to,
                       Reduction operation, _T identity) {
  for (int i = 0; i < To::kCapacity; ++i)
    to.elements_[i] = identity;
  for (ushort i = 0; i < from.get_capacity(); ++i)
    if (from.is_valid_element(i)) {
      const auto at = from.get_multidimensional_index(i);
      _T &value = to.elements_[To::placeOf(static_cast<int>(OfRows ? at[1] : at[0]))];
      value = reduced(operation, value, from[i]);
    }
  for (int bit = 1; bit < 32; bit *= 2)
    if (To::sharedAcross(bit))
      for (int i = 0; i < To::kCapacity; ++i)
        to.elements_[i] =
            reduced(operation, to.elements_[i], simd_shuffle_xor(to.elements_[i], static_cast<ushort>(bit)));
}

} // namespace __assay
} // namespace metal
