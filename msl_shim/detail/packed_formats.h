// What the bits of a number in one of the packed formats mean, and which bits a float has in it.
//
// Decoding. Exact. A scale of 0 is 2^-127, which a float holds only as a subnormal: the M5 makes it zero. A
//           scale of 255 is a NaN.
// Encoding. Of floats: to the nearest, ties to the even one; beyond the greatest finite number, that number
//           with its sign, infinities included. A NaN becomes a NaN; in E2M1, which has none, +6.
// Standing. That +-8 becomes +-6 in E2M1 and +-512 becomes +-448 in E4M3 is measured on an M5
//           (MPP-4.1-FP4-FP8-block of Anemll), as is rounding in the normal range of E4M3 (ds4: four million
//           values, on a beta of macOS 27, which had defects below 2^-6 and above 448 that are not modelled).
//           NaNs, and E5M2 beyond 57344, are choices of ours. How Apple rounds to integers and to scales is
//           not published, so pack() to these is an error.
// source: OCP Microscaling Formats 1.0, section 5.3; the reports above; incoai/splash ("saturating
//         round-to-nearest-even").
#pragma once
#pragma clang system_header

#include "traits.h"

// Sources without a version may be of Metal 4.1.
#if __cplusplus >= 201703L && __METAL_VERSION__ != 400
#define __ASSAY_METAL_4_1 1
#else
#define __ASSAY_METAL_4_1 0
#endif

namespace metal {

#define ASSAY_FORMAT(name, ...)                                                                              \
  struct name {};
#if !__ASSAY_METAL_4_1
#define ASSAY_FORMAT_4_1(...)
#endif
#include "packed_formats.def"

namespace __assay {

enum class FormatKind { Signed, Unsigned, Float, Scale };

template <class _F> struct Format {
  static constexpr bool kIsFormat = false;
};
#define ASSAY_FORMAT(name, alias, bits, kind, exponent, mantissa)                                            \
  template <> struct Format<name> {                                                                          \
    static constexpr bool kIsFormat = true;                                                                  \
    static constexpr int kBits = bits, kExponent = exponent, kMantissa = mantissa;                           \
    static constexpr FormatKind kKind = FormatKind::kind;                                                    \
  };
#if !__ASSAY_METAL_4_1
#define ASSAY_FORMAT_4_1(...)
#endif
#include "packed_formats.def"

template <class _F> inline constexpr bool kIsPackedFormat = Format<_F>::kIsFormat;

template <class _F> struct FloatFormat : Format<_F> {
  using Format<_F>::kExponent;
  using Format<_F>::kMantissa;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint kSign = 1u << (kExponent + kMantissa);
  static constexpr bool kInfinities = kExponent == 5, kNaNs = kExponent >= 4;
  // Codes without their sign.
  static constexpr uint kGreatest = kSign - 1 - (kInfinities ? 1u << kMantissa : kNaNs ? 1 : 0);
  static constexpr uint kNaN = kInfinities ? kGreatest + 3 : kNaNs ? kSign - 1 : kGreatest;
};

METAL_FUNC float floatOfBits(uint bits) {
  return __builtin_bit_cast(float, bits);
}
/// 2^n, for n of a normal float.
METAL_FUNC float powerOfTwo(int n) {
  return floatOfBits(static_cast<uint>(n + 127) << 23);
}

/// The number whose bits are the lowest ones of `bits`: an int of a format of integers, or else a float.
template <class _F> METAL_FUNC auto decoded(uint bits) {
  constexpr FormatKind kKind = Format<_F>::kKind;
  constexpr uint kMask = (1u << Format<_F>::kBits) - 1, kTop = 1u << (Format<_F>::kBits - 1);
  const uint code = bits & kMask;
  if constexpr (kKind == FormatKind::Unsigned)
    return static_cast<int>(code);
  else if constexpr (kKind == FormatKind::Signed)
    return static_cast<int>(code ^ kTop) - static_cast<int>(kTop);
  else if constexpr (kKind == FormatKind::Scale)
    return floatOfBits(code == 255 ? 0x7fc00000 : code << 23);
  else {
    typedef FloatFormat<_F> Of;
    const uint sign = (code & Of::kSign) << (31 - Of::kExponent - Of::kMantissa),
               size = code & (Of::kSign - 1);
    if (size > Of::kGreatest)
      return floatOfBits(sign | (Of::kInfinities && size == Of::kGreatest + 1 ? 0x7f800000 : 0x7fc00000));
    const float value = size >> Of::kMantissa == 0
                            ? static_cast<float>(size) * powerOfTwo(1 - Of::kBias - Of::kMantissa)
                            : floatOfBits((size << (23 - Of::kMantissa)) + (uint(127 - Of::kBias) << 23));
    return floatOfBits(sign | __builtin_bit_cast(uint, value));
  }
}

/// The code of a float in a format of floats.
template <class _F> METAL_FUNC uint encoded(float value) {
  typedef FloatFormat<_F> Of;
  constexpr int kDropped = 23 - Of::kMantissa;
  const uint bits = __builtin_bit_cast(uint, value), size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return Of::kNaN;
  uint code;
  if (size >> 23 > static_cast<uint>(127 - Of::kBias)) {
    const uint rounded = size + ((1u << (kDropped - 1)) - 1) + (size >> kDropped & 1);
    code = (rounded >> kDropped) - (static_cast<uint>(127 - Of::kBias) << Of::kMantissa);
  } else { // a subnormal, or the least normal number
    code = static_cast<uint>(__builtin_rintf(floatOfBits(size) * powerOfTwo(Of::kBias - 1 + Of::kMantissa)));
  }
  return (code > Of::kGreatest ? Of::kGreatest : code) | (bits >> 31 ? Of::kSign : 0);
}

} // namespace __assay
} // namespace metal
