// Where a tensor's elements are: the memory of a tensor_inline, by an element's distance from the origin.
//
// Elements of a packed format (packed_formats.def) follow one another in an array of uchar, the one with the
// lower index in the lower bits. Extents and strides count elements. They are operands of matmul2d and
// nothing else, so a program cannot read one by itself: public reports say that Apple's tensors then return
// an int4b_format without its sign.
// Rows of 4 and 2 bits without strides of their own begin at multiples of 128 elements: one public report on
// the A19, where packed rows of 128, 256, 384 and 512 elements gave right products, and of 64, 96, 160, 192,
// 224 and 352 wrong ones.
//
// A plane of scales (tensor_blockwise) has a byte for every kScaleBlock elements along dimension 0, and each
// element counts times its scale. Its rows follow one another without a gap.
// source: kernels in public repositories, and what their authors found on the M5 and the A19; for scales,
//         MPP-4.1-FP4-FP8-block of Anemll, which ran them on an M5.
#pragma once
#pragma clang system_header

#include "packed_formats.h"

namespace metal {
namespace __assay {

/// Of an element; 8 stands for whole bytes.
template <class _T> constexpr METAL_FUNC int bitsOf() {
  if constexpr (kIsPackedFormat<_T>)
    return Format<_T>::kBits;
  else
    return 8;
}
/// The elements between the beginnings of rows are a multiple of this.
template <class _T> inline constexpr long kRowStep = bitsOf<_T>() < 8 ? 128 : 1;

/// uchar in the address space of _T, and const if that is.
template <class _T> struct BytesOf {
  typedef uchar type;
};
template <class _T> struct BytesOf<const _T> {
  typedef const uchar type;
};
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
  typedef remove_cv_t<remove_addrspace_t<_T>> Element;
  static constexpr int kBits = Format<Element>::kBits, kShift = kBits == 2 ? 2 : kBits == 4 ? 1 : 0;
  Pointer data_;
  long first_ = 0;

  METAL_FUNC auto at(long i) const {
    const long n = first_ + i;
    return decoded<Element>(static_cast<uint>(data_[n >> kShift] >> (n & ((1 << kShift) - 1)) * kBits));
  }
  METAL_FUNC TensorElements from(long i) const { return {data_, first_ + i}; }
};

/// What an element is multiplied by; column and row: its indices.
struct NoScales {
  static constexpr bool kPresent = false;
  template <class _V> METAL_FUNC _V scaled(_V value, long, long) const { return value; }
  METAL_FUNC NoScales from(long, long) const { return {}; }
};
#define ASSAY_SCALE_BLOCK(elements) inline constexpr int kScaleBlock = elements;
#include "packed_formats.def"
METAL_FUNC long scalesInRow(long elements) {
  return (elements + kScaleBlock - 1) / kScaleBlock;
}
template <class _T> struct Scales {
  static constexpr bool kPresent = true;
  typedef _T Qualified;
  typedef remove_cv_t<remove_addrspace_t<_T>> Element;
  typedef typename BytesOf<_T>::type *Pointer;
  Pointer data_;
  long perRow_, column_ = 0, row_ = 0;

  template <class _V> METAL_FUNC float scaled(_V value, long column, long row) const {
    const long at = (row_ + row) * perRow_ + (column_ + column) / kScaleBlock;
    return static_cast<float>(value) * decoded<Element>(data_[at]);
  }
  METAL_FUNC Scales from(long column, long row) const {
    return {data_, perRow_, column_ + column, row_ + row};
  }
};

} // namespace __assay
} // namespace metal
