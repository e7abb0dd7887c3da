// A part of Apple's <simd/simd.h>, which has the types of packed vectors.
#pragma once
#pragma clang system_header

#include <metal_types>

#define __ASSAY_SIMD_PACKED_NAMES(name)                                                                      \
  typedef metal::packed_##name##2 simd_packed_##name##2;                                                     \
  typedef metal::packed_##name##4 simd_packed_##name##4;                                                     \
  namespace metal {                                                                                          \
  namespace packed {                                                                                         \
  typedef metal::packed_##name##2 name##2;                                                                   \
  typedef metal::packed_##name##4 name##4;                                                                   \
  }                                                                                                          \
  }
__ASSAY_SIMD_PACKED_NAMES(char)
__ASSAY_SIMD_PACKED_NAMES(uchar)
__ASSAY_SIMD_PACKED_NAMES(short)
__ASSAY_SIMD_PACKED_NAMES(ushort)
__ASSAY_SIMD_PACKED_NAMES(int)
__ASSAY_SIMD_PACKED_NAMES(uint)
__ASSAY_SIMD_PACKED_NAMES(long)
__ASSAY_SIMD_PACKED_NAMES(ulong)
__ASSAY_SIMD_PACKED_NAMES(half)
__ASSAY_SIMD_PACKED_NAMES(float)
#undef __ASSAY_SIMD_PACKED_NAMES
