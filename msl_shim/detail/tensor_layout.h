// Where a tensor keeps its extents and strides: in itself, or in a record that the host has made.
//
// A tensor_handle is eight bytes, the address of the host's record, as an MTLTensor's gpuResourceID is eight
// bytes in an argument buffer. The record is a TensorAbi (emulator/support/abi/tensor_abi.h); lowering reads
// its fields, so that a kernel's argument becomes the buffer that the host has bound
// (emulator/lowering/host_tensors.h).
#pragma once
#pragma clang system_header

#include "extents.h"
#include "tensor_elements.h"

extern "C" {
/// Extents are the fields from 0 on, strides those from 16 on.
__attribute__((const)) long __assay_tensor_field(const constant void *record, unsigned field);
/// The first element.
__attribute__((const)) device void *__assay_tensor_device(const constant void *record);
__attribute__((const)) const constant void *__assay_tensor_constant(const constant void *record);
/// The first one of its plane of scales.
__attribute__((const)) device void *__assay_tensor_scales_device(const constant void *record);
__attribute__((const)) const constant void *__assay_tensor_scales_constant(const constant void *record);
}

namespace metal {
namespace __assay {

inline constexpr size_t kMostTensorDimensions = 16;

template <class _T> inline constexpr bool kIsInDevice = false;
template <class _T> inline constexpr bool kIsInDevice<device _T> = true;
template <class _T> inline constexpr bool kIsInConstant = false;
template <class _T> inline constexpr bool kIsInConstant<constant _T> = true;

/// The layout of a tensor_inline, and of a part of a tensor_handle.
template <class _T, class Extents, class PlaneScales> struct OwnLayout {
  typedef typename Extents::index_type Index;
  TensorElements<_T> elements_;
  Extents extents_;
  array<Index, Extents::rank()> strides_;
  PlaneScales scales_;

  METAL_FUNC const TensorElements<_T> &elements() const { return elements_; }
  METAL_FUNC const PlaneScales &scales() const { return scales_; }
  METAL_FUNC const Extents &extents() const { return extents_; }
  METAL_FUNC Index extent(size_t r) const { return extents_.extent(r); }
  METAL_FUNC Index stride(size_t r) const { return strides_[r]; }
  METAL_FUNC const array<Index, Extents::rank()> &strides() const { return strides_; }
};

/// The layout of a tensor_handle: what the compiler does not know is in the record.
template <class _T, class Extents, class PlaneScales> struct HostLayout {
  typedef typename Extents::index_type Index;
  const constant void *record_ = nullptr;

  METAL_FUNC bool isNull() const { return record_ == nullptr; }
  METAL_FUNC TensorElements<_T> elements() const {
    if constexpr (kIsInDevice<_T>)
      return {(typename TensorElements<_T>::Pointer)__assay_tensor_device(record_)};
    else
      return {(typename TensorElements<_T>::Pointer)__assay_tensor_constant(record_)};
  }
  METAL_FUNC PlaneScales scales() const {
    if constexpr (!PlaneScales::kPresent)
      return {};
    else if constexpr (kIsInDevice<typename PlaneScales::Qualified>)
      return {(typename PlaneScales::Pointer)__assay_tensor_scales_device(record_), scalesInRow(extent(0))};
    else
      return {(typename PlaneScales::Pointer)__assay_tensor_scales_constant(record_), scalesInRow(extent(0))};
  }
  METAL_FUNC Index extent(size_t r) const {
    return Extents::static_extent(r) == dynamic_extent ? field(r)
                                                       : static_cast<Index>(Extents::static_extent(r));
  }
  // Elements of a row follow one another: Metal asks it of every MTLTensor.
  METAL_FUNC Index stride(size_t r) const { return r == 0 ? Index(1) : field(kMostTensorDimensions + r); }
  METAL_FUNC Extents extents() const { return extentsOf(make_index_sequence<Extents::rank()>()); }
  METAL_FUNC array<Index, Extents::rank()> strides() const {
    array<Index, Extents::rank()> all;
    for (size_t r = 0; r < Extents::rank(); ++r)
      all[r] = stride(r);
    return all;
  }

private:
  template <size_t... _R> METAL_FUNC Extents extentsOf(index_sequence<_R...>) const {
    return dextents<Index, sizeof...(_R)>(extent(_R)...);
  }
  METAL_FUNC Index field(size_t n) const {
    return static_cast<Index>(__assay_tensor_field(record_, static_cast<unsigned>(n)));
  }
};

} // namespace __assay
} // namespace metal
