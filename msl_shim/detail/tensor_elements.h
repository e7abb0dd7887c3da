// Where a tensor's elements are: the memory of a tensor_inline, by an element's distance from the origin.
//
// int4b_format and uint4b_format name elements of four bits, two to a byte, the one with the even index in
// the low half; int4b_format is in two's complement. The data is an array of uchar, extents and strides count
// elements. They are right operands of matmul2d and nothing else, so a program cannot read one by itself:
// public reports say that Apple's tensors then return an int4b_format without its sign.
// Rows without strides of their own begin at multiples of 128 elements: one public report on the A19, where
// packed rows of 128, 256, 384 and 512 elements gave right products, and of 64, 96, 160, 192, 224 and 352
// wrong ones.
// source: kernels in public repositories, and what their authors found on the M5 and the A19.
#pragma once
#pragma clang system_header

#include "traits.h"

namespace metal {

struct int4b_format;
struct uint4b_format;

namespace __assay {

template <class _T> inline constexpr bool kIsPackedFormat = false;
template <> inline constexpr bool kIsPackedFormat<int4b_format> = true;
template <> inline constexpr bool kIsPackedFormat<uint4b_format> = true;
inline constexpr long kPackedRowStep = 128;

/// uchar in the address space of _T, and const if that is.
template <class _T> struct BytesOf;
template <class _T> struct BytesOf<device _T> {
  typedef device uchar type;
};
template <class _T> struct BytesOf<const device _T> {
  typedef const device uchar type;
};
template <class _T> struct BytesOf<const constant _T> {
  typedef const constant uchar type;
};
template <class _T> struct BytesOf<threadgroup _T> {
  typedef threadgroup uchar type;
};
template <class _T> struct BytesOf<const threadgroup _T> {
  typedef const threadgroup uchar type;
};

template <class _T, bool Packed = kIsPackedFormat<remove_cv_t<remove_addrspace_t<_T>>>>
struct TensorElements {
  typedef _T *Pointer;
  Pointer data_;

  METAL_FUNC _T &at(long i) const { return data_[i]; }
  METAL_FUNC TensorElements from(long i) const { return {data_ + i}; }
};

template <class _T> struct TensorElements<_T, true> {
  typedef typename BytesOf<_T>::type *Pointer;
  static constexpr bool kSigned = __is_same(remove_cv_t<remove_addrspace_t<_T>>, int4b_format);
  Pointer data_;
  long first_ = 0;

  METAL_FUNC int at(long i) const {
    const long n = first_ + i;
    const int half = data_[n >> 1] >> (n & 1) * 4 & 15;
    return kSigned ? (half ^ 8) - 8 : half;
  }
  METAL_FUNC TensorElements from(long i) const { return {data_, first_ + i}; }
};

} // namespace __assay
} // namespace metal
