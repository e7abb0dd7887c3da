// Which conversions are built into Apple's compiler.
//
// Its vectors are built in, and ours are classes. So `ray r = 1.0f` and `pixel = 0.5f` need one conversion of
// the program's there, and here two, of which C++ makes none: a class that is made of a vector has a
// constructor for what converts to the vector, too.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {
namespace __assay {

template <class _T>
inline constexpr bool kBuiltIn =
    is_arithmetic_v<__remove_cv(remove_addrspace_t<__remove_cv(_T)>)> || __is_enum(_T);
// For a constructor of a class that has one of a _To, which is a vector.
template <class _From, class _To>
using IfBuiltIn =
    enable_if_t<kVector<_To> && kBuiltIn<_From> &&__is_convertible(_From, _To) && !__is_same(_From, _To)>;

// A class that converts to a built-in vector has the operators of two vectors. Beside a scalar it has none,
// and it is no bool.
struct VectorOperands {};
template <class _T>
inline constexpr bool kVectorOperand = __is_base_of(VectorOperands, __remove_cv(remove_addrspace_t<_T>));
template <class _A, class _B>
using IfBesideScalar = enable_if_t<(kVectorOperand<_A> && !kVector<_B> && kBuiltIn<_B>) ||
                                   (kVectorOperand<_B> && !kVector<_A> && kBuiltIn<_A>)>;
template <class _A, class _B> using IfVectorOperand = enable_if_t<kVectorOperand<_A> || kVectorOperand<_B>>;

} // namespace __assay

// A namespace of its own, for what uses operators in the other one. A class finds it by a base that is here.
namespace __assay_operands {
struct VectorOperands : __assay::VectorOperands {};
#define __ASSAY_NO_OPERATOR(op, If)                                                                          \
  template <class _A, class _B, class = __assay::If<_A, _B>>                                                 \
  void operator op(const _A &, const _B &) = delete;
__ASSAY_NO_OPERATOR(+, IfBesideScalar)
__ASSAY_NO_OPERATOR(-, IfBesideScalar)
__ASSAY_NO_OPERATOR(*, IfBesideScalar)
__ASSAY_NO_OPERATOR(/, IfBesideScalar)
__ASSAY_NO_OPERATOR(==, IfBesideScalar)
__ASSAY_NO_OPERATOR(!=, IfBesideScalar)
__ASSAY_NO_OPERATOR(<, IfBesideScalar)
__ASSAY_NO_OPERATOR(<=, IfBesideScalar)
__ASSAY_NO_OPERATOR(>, IfBesideScalar)
__ASSAY_NO_OPERATOR(>=, IfBesideScalar)
__ASSAY_NO_OPERATOR(&&, IfVectorOperand)
__ASSAY_NO_OPERATOR(||, IfVectorOperand)
#undef __ASSAY_NO_OPERATOR
template <class _A, class = __assay::IfVectorOperand<_A, _A>> void operator!(const _A &) = delete;
} // namespace __assay_operands
} // namespace metal
