// mpp::tensor_ops::matmul2d: the product of two matrices by the threads of an execution scope.
// detail/matmul.h says what it computes, detail/cooperative_layout.h which thread holds which element.
//
// Apple's template parameter is a descriptor, of class type, which C++17 does not allow. Here it is the
// number that a descriptor converts to; matmul2d<descriptor, scope> is written the same.
// source: Apple's public header of this name and the kernels of ggml, MLX and mlx-native.
#pragma once
#pragma clang system_header

#if __cplusplus >= 201703L // before Metal 4 there are no tensors, and these headers are empty

#include "../detail/cooperative_reduction.h"
#include "../detail/execution_units.h"
#include "../detail/matmul.h"
#include "../detail/matmul_checks.h"

namespace mpp {
namespace tensor_ops {

template <class _T> inline constexpr _T dynamic_length_v = metal::numeric_limits<_T>::max();
template <class _T> struct dynamic_length : metal::integral_constant<_T, dynamic_length_v<_T>> {};

struct matmul2d_descriptor {
  enum class mode { multiply, multiply_accumulate };
  typedef unsigned __int128 __assay_code;

  int m, n, k;
  bool transpose_left, transpose_right, relaxed_precision;
  mode matmul_mode;

  constexpr METAL_FUNC matmul2d_descriptor(int m, int n, int k = static_cast<int>(metal::dynamic_extent),
                                           bool transpose_left = false, bool transpose_right = false,
                                           bool relaxed_precision = false, mode matmul_mode = mode::multiply)
      : m(m), n(n), k(k), transpose_left(transpose_left), transpose_right(transpose_right),
        relaxed_precision(relaxed_precision), matmul_mode(matmul_mode) {}

  constexpr METAL_FUNC operator __assay_code() const {
    const unsigned flags = transpose_left | transpose_right << 1 | relaxed_precision << 2 |
                           (matmul_mode == mode::multiply_accumulate) << 3;
    return static_cast<__assay_code>(static_cast<unsigned>(m)) << 96 |
           static_cast<__assay_code>(static_cast<unsigned>(n)) << 64 |
           static_cast<__assay_code>(static_cast<unsigned>(k)) << 32 | flags;
  }
  explicit constexpr METAL_FUNC matmul2d_descriptor(__assay_code code)
      : m(static_cast<int>(code >> 96)), n(static_cast<int>(code >> 64)), k(static_cast<int>(code >> 32)),
        transpose_left((code & 1) != 0), transpose_right((code >> 1 & 1) != 0),
        relaxed_precision((code >> 2 & 1) != 0),
        matmul_mode((code >> 3 & 1) != 0 ? mode::multiply_accumulate : mode::multiply) {}
};

template <matmul2d_descriptor::__assay_code Descriptor, class Scope, class... Args> class matmul2d {
  static_assert(
      metal::is_execution_thread_v<Scope> || metal::is_execution_simdgroups_v<Scope>,
      "matmul2d: the scope must be execution_thread, execution_simdgroup or execution_simdgroups<N>");

public:
  static constexpr matmul2d_descriptor descriptor = matmul2d_descriptor(Descriptor);
  typedef Scope scope;

private:
  static constexpr bool kOfOneThread = metal::is_execution_thread_v<Scope>;
  static constexpr bool kDynamicDepth = metal::__assay::isDynamicLength(descriptor.k);
  // A k of 0 stands in an example of the specification and compiles on a Mac. What it computes is not
  // published.
  static constexpr bool kNoDepth = descriptor.k == 0;
  static constexpr int kDepth = kDynamicDepth || kNoDepth ? 1 : descriptor.k;
  static_assert(descriptor.m > 0 && descriptor.n > 0 && kDepth > 0,
                "matmul2d: m and n must be above 0, and k not below it, unless it is dynamic");

  // See detail/strict_layout.h. Left: the element type of the left operand.
  template <class Left>
  static constexpr bool kIsStrict =
      !descriptor.relaxed_precision && metal::is_same_v<metal::remove_cv_t<Left>, float> &&
      metal::is_same_v<Scope, metal::execution_simdgroup>;
  template <int Rows, int Columns, bool Strict = false>
  using LayoutFor = metal::conditional_t<Strict, metal::__assay::StrictLayout<Rows, Columns>,
                                         typename metal::__assay::LayoutOf<Rows, Columns, Scope>::type>;
  typedef metal::__assay::MatmulRole Role;
  template <Role Is, class Left, class Right, class Element, int Rows, int Columns>
  using MadeFor = metal::__assay::MatmulLayout<LayoutFor<Rows, Columns, kIsStrict<Left>>, Descriptor, Is,
                                               Left, Right, Element>;
  template <Role Is, class _T, class Left, class Right, class Element, class Coord, int Rows, int Columns>
  using Cooperative = metal::cooperative_tensor<_T, metal::extents<Coord, Columns, Rows>,
                                                MadeFor<Is, Left, Right, Element, Rows, Columns>>;
  // With its const. Of what is no tensor, which is refused where it is used, the type itself.
  template <class _T, class = void> struct ElementIn {
    typedef _T type;
  };
  template <class _T>
  struct ElementIn<_T, decltype(static_cast<void>(static_cast<typename _T::element_type *>(nullptr)))> {
    typedef metal::remove_addrspace_t<typename _T::element_type> type;
  };
  template <class _T>
  using ElementOf = typename ElementIn<metal::remove_addrspace_t<metal::remove_cv_t<_T>>>::type;
  template <class _A, class _B>
  static constexpr bool kSamePlaces = metal::is_same_v<typename metal::__assay::PlacesOf<_A>::type,
                                                       typename metal::__assay::PlacesOf<_B>::type>;
  // As stored.
  static constexpr int kLeftRows = descriptor.transpose_left ? kDepth : descriptor.m;
  static constexpr int kLeftColumns = descriptor.transpose_left ? descriptor.m : kDepth;
  static constexpr int kRightRows = descriptor.transpose_right ? descriptor.n : kDepth;
  static constexpr int kRightColumns = descriptor.transpose_right ? kDepth : descriptor.n;
  template <class Left, class Right, class Element>
  using DestinationLayout =
      MadeFor<Role::destination, ElementOf<Left>, ElementOf<Right>, Element, descriptor.m, descriptor.n>;
  template <class Left, class Right, class Element, bool OfRows>
  using Reduced = metal::__assay::ReducedLayout<DestinationLayout<Left, Right, Element>, OfRows>;

public:
  template <class Left, class Right, class Element, class Coord = int, class...>
  using cooperative_tensor_left_input_t =
      Cooperative<Role::left, Left, Left, Right, Element, Coord, kLeftRows, kLeftColumns>;
  template <class Left, class Right, class Element, class Coord = int, class...>
  using cooperative_tensor_right_input_t =
      Cooperative<Role::right, Right, Left, Right, Element, Coord, kRightRows, kRightColumns>;
  template <class Left, class Right, class Element, class Coord = int, class...>
  using cooperative_tensor_destination_t =
      metal::cooperative_tensor<Element, metal::extents<Coord, descriptor.n, descriptor.m>,
                                DestinationLayout<Left, Right, Element>>;

  /// Left and Right: the element types of both operands.
  template <class Left, class Right, class Element, class Coord = int>
  METAL_FUNC cooperative_tensor_left_input_t<Left, Right, Element, Coord>
  get_left_input_cooperative_tensor() const {
    checkInput<Left, Right, Element, Coord>();
    metal::__assay::checkNotPacked<Left>();
    return {};
  }
  template <class Left, class Right, class Element, class Coord = int>
  METAL_FUNC cooperative_tensor_right_input_t<Left, Right, Element, Coord>
  get_right_input_cooperative_tensor() const {
    checkInput<Left, Right, Element, Coord>();
    metal::__assay::checkNotPacked<Right>();
    return {};
  }

  /// The destination of another operation as an operand of this one.
  template <class Left, class Right, class Element, class Coord = int, class _T, class _E, class _L>
  METAL_FUNC cooperative_tensor_left_input_t<Left, Right, Element, Coord>
  get_left_input_cooperative_tensor(const metal::cooperative_tensor<_T, _E, _L> &source) const {
    checkInput<Left, Right, Element, Coord>();
    return converted<cooperative_tensor_left_input_t<Left, Right, Element, Coord>, false>(source);
  }
  template <class Left, class Right, class Element, class Coord = int, class _T, class _E, class _L>
  METAL_FUNC cooperative_tensor_right_input_t<Left, Right, Element, Coord>
  get_right_input_cooperative_tensor(const metal::cooperative_tensor<_T, _E, _L> &source) const {
    checkInput<Left, Right, Element, Coord>();
    return converted<cooperative_tensor_right_input_t<Left, Right, Element, Coord>, true>(source);
  }
  /// Whether the source has the layout of the operand.
  template <class Left, class Right, class Element, class _T, class _E, class _L>
  METAL_FUNC bool is_compatible_as_left_input(const metal::cooperative_tensor<_T, _E, _L> &) const {
    checkInput<Left, Right, Element, int>();
    return canBecome<cooperative_tensor_left_input_t<Left, Right, Element>, _T, _E, _L, false>();
  }
  template <class Left, class Right, class Element, class _T, class _E, class _L>
  METAL_FUNC bool is_compatible_as_right_input(const metal::cooperative_tensor<_T, _E, _L> &) const {
    checkInput<Left, Right, Element, int>();
    return canBecome<cooperative_tensor_right_input_t<Left, Right, Element>, _T, _E, _L, true>();
  }

  /// Left and Right: the types of both operands. Zero until run() or the program writes it.
  template <class Left, class Right, class Element, class Coord = int>
  METAL_FUNC cooperative_tensor_destination_t<Left, Right, Element, Coord>
  get_destination_cooperative_tensor() const {
    static_assert(metal::__assay::kIsOperand<Left> && metal::__assay::kIsOperand<Right>,
                  "matmul2d: get_destination_cooperative_tensor takes the types of both operands, "
                  "not their element types");
    metal::__assay::checkOperandElement<ElementOf<Left>>();
    metal::__assay::checkOperandElement<ElementOf<Right>>();
    metal::__assay::checkDestinationElement<Element>();
    return {};
  }

  template <class Left, class Right, class Element, class Coord = int, class...>
  using cooperative_tensor_row_reduction_destination_t =
      metal::cooperative_tensor<Element, metal::extents<Coord, descriptor.m>,
                                Reduced<Left, Right, Element, true>>;
  template <class Left, class Right, class Element, class Coord = int, class...>
  using cooperative_tensor_column_reduction_destination_t =
      metal::cooperative_tensor<Element, metal::extents<Coord, descriptor.n>,
                                Reduced<Left, Right, Element, false>>;
  /// One value for each row, or for each column, of a destination.
  template <class Left, class Right, class Element, class Coord = int>
  METAL_FUNC cooperative_tensor_row_reduction_destination_t<Left, Right, Element, Coord>
  get_row_reduction_destination_cooperative_tensor() const {
    checkReduced<Left, Right, Element>();
    return {};
  }
  template <class Left, class Right, class Element, class Coord = int>
  METAL_FUNC cooperative_tensor_column_reduction_destination_t<Left, Right, Element, Coord>
  get_column_reduction_destination_cooperative_tensor() const {
    checkReduced<Left, Right, Element>();
    return {};
  }

  /// All threads of the scope together. See detail/matmul.h.
  template <class Left, class Right, class Destination>
  METAL_FUNC void run(Left &left, Right &right, Destination &destination) const {
    typedef metal::remove_cv_t<Left> _L;
    typedef metal::remove_cv_t<Right> _R;
    typedef metal::remove_cv_t<Destination> _D;
    static_assert(metal::__assay::kIsOperand<_L> && metal::__assay::kIsOperand<_R> &&
                      metal::__assay::kIsOperand<_D>,
                  "matmul2d: operands and destination must be tensors or cooperative tensors");
    checkRole<Left, Role::left>();
    checkRole<Right, Role::right>();
    checkRole<Destination, Role::destination>();
    static_assert(rank<_L>() == 2 && rank<_R>() == 2 && rank<_D>() == 2,
                  "matmul2d: tensors must have rank 2");
    static_assert(metal::__assay::kMatmulTypes<typename _L::value_type, typename _R::value_type,
                                               typename _D::value_type>,
                  "matmul2d does not take this combination of element types");
    static_assert(!metal::__assay::kIsScaled<_L> || !descriptor.transpose_left,
                  "matmul2d: the left tensor must not be transposed if it has scales");
    static_assert(!metal::__assay::kIsScaled<_R> || descriptor.transpose_right,
                  "matmul2d: the right tensor must be transposed if it has scales");
    static_assert(!metal::__assay::kIsScaled<_D>, "matmul2d: the destination must not have scales");
    checkShape<_L, kLeftRows, kLeftColumns>();
    checkShape<_R, kRightRows, kRightColumns>();
    typedef typename LayoutIn<_D>::type Layout;
    static_assert(metal::is_same_v<Layout, LayoutFor<descriptor.m, descriptor.n>> ||
                      metal::is_same_v<Layout, LayoutFor<descriptor.m, descriptor.n, true>>,
                  "matmul2d: the destination cooperative tensor is that of another operation");
    checkMadeFor<_L, _R, _D>();
    metal::__assay::checkTile<kOfOneThread, descriptor.m, descriptor.n>();
    metal::__assay::checkIndexTypes<_L, _R, _D>();
    checkSpace<_L>();
    checkSpace<_R>();
    checkSpace<_D>();
    if constexpr (metal::__assay::kIsCooperative<_L> && metal::__assay::kIsCooperative<_R>)
      metal::__assay::checkShapeOfFragments<descriptor.m, descriptor.n, kDepth>();
    else if constexpr (!kDynamicDepth)
      metal::__assay::checkDepth<metal::__assay::bitsOf<typename _L::value_type>() < 8 ||
                                     metal::__assay::bitsOf<typename _R::value_type>() < 8,
                                 descriptor.k>();
    if constexpr (kOfOneThread)
      metal::__assay::checkElementsOfOneThread<typename _L::value_type, typename _R::value_type>();
    if constexpr (metal::is_execution_simdgroups_v<Scope> && Scope::static_size != 1)
      metal::__assay::requireThreadgroupOf<Scope>("matmul2d");
    constexpr bool kAccumulate = descriptor.matmul_mode == matmul2d_descriptor::mode::multiply_accumulate;
    const auto to = metal::__assay::destinationOf<Layout>(destination);
    if constexpr (kNoDepth) {
      __assay_refuse("matmul2d with a k of 0", __assay_refusal::kNoDepth);
    } else if constexpr (metal::__assay::kIsCooperative<_L> || metal::__assay::kIsCooperative<_R>) {
      metal::__assay::multiplyFragments<kAccumulate, descriptor.transpose_left, descriptor.transpose_right,
                                        LayoutFor<kLeftRows, kLeftColumns>,
                                        LayoutFor<kRightRows, kRightColumns>, Layout>(left, right, to);
    } else {
      const auto a = metal::__assay::operandOf<descriptor.transpose_left>(left);
      const auto b = metal::__assay::operandOf<descriptor.transpose_right>(right);
      const int depth = kDynamicDepth ? (a.columns_ < b.rows_ ? a.columns_ : b.rows_) : kDepth;
      metal::__assay::multiply<kAccumulate, Layout>(a, b, depth, to);
    }
  }

private:
  // A destination in memory has none, and the usual one is quick.
  template <class _T, class = void> struct LayoutIn {
    typedef LayoutFor<descriptor.m, descriptor.n> type;
  };
  template <class _T, class _E, class _L> struct LayoutIn<metal::cooperative_tensor<_T, _E, _L>> {
    typedef typename metal::__assay::PlacesOf<_L>::type type;
  };

  template <class _T> static constexpr size_t rank() { return _T::extents_type::rank(); }

  static METAL_FUNC constexpr void checkCooperative() {
    static_assert(metal::is_same_v<Scope, metal::execution_simdgroup>,
                  "matmul2d: cooperative tensors as operands need execution_simdgroup");
    static_assert(!kDynamicDepth && !kNoDepth,
                  "matmul2d: k must not be dynamic with cooperative tensors as operands");
  }
  template <class Left, class Right, class Element, class Coord>
  static METAL_FUNC constexpr void checkInput() {
    checkCooperative();
    metal::__assay::checkIndexOfOperand<Coord>();
    metal::__assay::checkOperandElement<Left>();
    metal::__assay::checkOperandElement<Right>();
    metal::__assay::checkDestinationElement<Element>();
  }
  template <class Left, class Right, class Element> static METAL_FUNC constexpr void checkReduced() {
    static_assert(metal::__assay::kIsOperand<Left> && metal::__assay::kIsOperand<Right>,
                  "matmul2d: a reduction is made for the types of both operands, not their element types");
    metal::__assay::checkReducedElement<ElementOf<Left>>();
    metal::__assay::checkReducedElement<ElementOf<Right>>();
    metal::__assay::checkDestinationElement<Element>();
  }
  // "Left operand must be a tensor or matmul2d left input cooperative tensor", and so on.
  template <class _T, Role Is> static METAL_FUNC constexpr void checkRole() {
    if constexpr (metal::__assay::kIsCooperative<metal::remove_cv_t<_T>>) {
      static_assert(!metal::is_const_v<_T>, "matmul2d: run takes no cooperative tensor that is const");
      typedef typename _T::layout Layout;
      static_assert(Is != Role::left || metal::__assay::kIsOfRole<Layout, Role::left>,
                    "matmul2d: the left operand must be a tensor or a left input cooperative tensor");
      static_assert(Is != Role::right || metal::__assay::kIsOfRole<Layout, Role::right>,
                    "matmul2d: the right operand must be a tensor or a right input cooperative tensor");
      static_assert(Is != Role::destination || metal::__assay::kIsMatmulDestination<Layout>,
                    "matmul2d: the destination must be a tensor or a destination cooperative tensor");
      // "Operands cannot be cooperative tensor with execution_thread": the operands are judged by checkShape.
      static_assert(Is != Role::destination || !kOfOneThread,
                    "matmul2d: with a scope of one thread the destination must be a tensor, and no "
                    "cooperative tensor");
    }
  }
  template <class _T, int Rows, int Columns> static METAL_FUNC constexpr void checkShape() {
    if constexpr (metal::__assay::kIsCooperative<_T>) {
      checkCooperative();
      static_assert(_T::layout::kMatrixRows == Rows && _T::layout::kMatrixColumns == Columns,
                    "matmul2d: a cooperative operand has another shape than the descriptor says");
    }
  }
  template <class _L, class _R, class _D> static METAL_FUNC constexpr void checkMadeFor() {
    typedef typename _L::value_type Left;
    typedef typename _R::value_type Right;
    typedef typename _D::value_type Element;
    if constexpr (metal::__assay::kIsCooperative<_L>)
      metal::__assay::leftWasMadeFor<typename _L::layout, Left, Right, Element>();
    if constexpr (metal::__assay::kIsCooperative<_R>)
      metal::__assay::rightWasMadeFor<typename _R::layout, Left, Right, Element>();
    if constexpr (metal::__assay::kIsCooperative<_D>)
      metal::__assay::destinationWasMadeFor<typename _D::layout, Left, Right, Element>();
  }
  template <class _T> static METAL_FUNC constexpr void checkSpace() {
    if constexpr (metal::__assay::kIsCooperative<_T>) {
    } else if constexpr (metal::is_execution_thread_v<Scope>)
      static_assert(metal::__assay::kInDeviceOrThread<typename _T::element_type>,
                    "matmul2d: with a scope of one thread tensors must be in device or thread memory, and "
                    "one has elements of $1");
    else
      static_assert(metal::__assay::kInDeviceOrThreadgroup<typename _T::element_type>,
                    "matmul2d: with a scope of simdgroups tensors must be in device or threadgroup memory, "
                    "and one has elements of $1");
  }
  // Whether the source, which must be one that can become the operand To, has its layout.
  template <class To, class _T, class _E, class _L, bool AsRight>
  static METAL_FUNC constexpr bool canBecome() {
    static_assert(AsRight || !descriptor.transpose_left,
                  "matmul2d: an operand made of a destination cannot be transposed");
    static_assert(!AsRight || !descriptor.transpose_right,
                  "matmul2d: an operand made of a destination cannot be transposed");
    static_assert(metal::__assay::kIsMatmulDestination<_L>,
                  "matmul2d: an operand is made of the destination of another matmul2d, not of an operand");
    static_assert(metal::is_same_v<_T, typename To::value_type>,
                  "matmul2d: the source has elements of $1, and the operand that is made of it of $2");
    static_assert(metal::is_same_v<typename _E::index_type, int>,
                  "matmul2d: the indices of a destination that becomes an operand must be int, and are $1");
    if constexpr (metal::__assay::kIsMatmulDestination<_L>) {
      typedef typename To::layout Operand;
      static_assert(_L::kSimdgroups == 1,
                    "matmul2d: an operand is made of a destination whose scope is execution_simdgroup");
      static_assert(_L::kMatrixRows == Operand::kMatrixRows && _L::kMatrixColumns == Operand::kMatrixColumns,
                    "matmul2d: a cooperative operand has another shape than the descriptor says");
      return kSamePlaces<_L, Operand>;
    }
    return false;
  }
  template <class To, bool AsRight, class _T, class _E, class _L>
  static METAL_FUNC To converted(const metal::cooperative_tensor<_T, _E, _L> &from) {
    To to;
    if constexpr (canBecome<To, _T, _E, _L, AsRight>())
      for (ushort i = 0; i < to.get_capacity(); ++i)
        to[i] = from[i];
    else
      __assay_refuse("an operand of matmul2d is made of a cooperative tensor with another layout",
                     __assay_refusal::kAnotherLayout);
    return to;
  }
};

enum class reduction_operation { sum, max, min };

template <class ElementType> struct reduction_operation_identity {
  static constexpr constant ElementType sum_identity = static_cast<ElementType>(0);
  static constexpr constant ElementType max_identity = metal::numeric_limits<ElementType>::lowest();
  static constexpr constant ElementType min_identity = metal::numeric_limits<ElementType>::max();
};

/// All threads of the scope together. The identity is that of a sum unless it is given, whatever the
/// operation: so Apple's header has it.
#define __ASSAY_REDUCE(name, OfRows, what)                                                                   \
  template <class _T, class _E, class _L, class _F, class _K>                                                \
  METAL_FUNC void name(metal::cooperative_tensor<_T, _E, _L> &source,                                        \
                       metal::cooperative_tensor<_T, _F, _K> &destination, reduction_operation operation,    \
                       _T identity) {                                                                        \
    typedef metal::__assay::ReductionOf<_K, OfRows> Of;                                                      \
    static_assert(metal::__assay::kIsMatmulDestination<_L>,                                                  \
                  #name ": rows and columns are those of a destination of matmul2d");                        \
    static_assert(Of::kIs, #name ": the destination is not that of the " what " of a matrix");               \
    if constexpr (metal::__assay::kIsMatmulDestination<_L> && Of::kIs)                                       \
      if constexpr (metal::__assay::canReduce<typename Of::Matrix, _L>())                                    \
        metal::__assay::reduce<OfRows>(source, destination,                                                  \
                                       static_cast<metal::__assay::Reduction>(operation), identity);         \
  }                                                                                                          \
  template <class _T, class _E, class _L, class _F, class _K>                                                \
  METAL_FUNC void name(metal::cooperative_tensor<_T, _E, _L> &source,                                        \
                       metal::cooperative_tensor<_T, _F, _K> &destination,                                   \
                       reduction_operation operation = reduction_operation::sum)                             \
      __attribute__((                                                                                        \
          diagnose_if(operation != reduction_operation::sum,                                                 \
                      "the identity is 0 unless it is given, so a maximum is never below 0 and a "           \
                      "minimum never above it",                                                              \
                      "warning"))) {                                                                         \
    name(source, destination, operation, reduction_operation_identity<_T>::sum_identity);                    \
  }
__ASSAY_REDUCE(reduce_rows, true, "rows")
__ASSAY_REDUCE(reduce_columns, false, "columns")
#undef __ASSAY_REDUCE

/// Whether destination.map_iterator, of a reduction, takes the iterators of the source, a matrix.
template <class _T, class _U, class _E, class _F, class _L, class _K>
METAL_FUNC bool is_iterator_compatible(const metal::cooperative_tensor<_T, _E, _L> &,
                                       const metal::cooperative_tensor<_U, _F, _K> &) {
  static_assert(metal::__assay::kIsOfMatmul<_L>,
                "is_iterator_compatible: the source must be a matrix of matmul2d");
  static_assert(metal::__assay::kIsReduced<_K>,
                "is_iterator_compatible: the destination must be a reduction of rows or columns");
  if constexpr (metal::__assay::kIsOfMatmul<_L> && metal::__assay::kIsReduced<_K>)
    return metal::is_same_v<_T, _U> && metal::__assay::kIteratorLeadsTo<_L, _K>;
  return false;
}

} // namespace tensor_ops
} // namespace mpp

#endif
