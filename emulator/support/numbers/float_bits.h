// The bits of half (binary16), bfloat and float: conversions with round to nearest even, subnormals kept,
// NaNs made quiet. Integer arithmetic only, so the result depends neither on the CPU nor on MXCSR.
//
// One narrowing serves every pair of formats. It shifts the significand right by the difference in width,
// plus the amount by which the smaller exponent range makes it subnormal. It rounds on the bits that fell
// out, and lets a carry run into the exponent, which is then correct.
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

/// Bits of a float format as narrow as `To`, from the bits of one at least as wide in both fields.
template <int kFromMantissa, int kFromExponent, int kToMantissa, int kToExponent>
constexpr uint64_t narrowFloatBits(uint64_t from) {
  constexpr int kFromBias = (1 << (kFromExponent - 1)) - 1, kToBias = (1 << (kToExponent - 1)) - 1;
  constexpr uint64_t kFromInfinity = (uint64_t(1) << kFromExponent) - 1,
                     kToInfinity = (1u << kToExponent) - 1;
  constexpr int kDropped = kFromMantissa - kToMantissa;

  const uint64_t sign = (from >> (kFromMantissa + kFromExponent) & 1) << (kToMantissa + kToExponent);
  const uint64_t mantissa = from & ((uint64_t(1) << kFromMantissa) - 1);
  const uint64_t exponent = from >> kFromMantissa & kFromInfinity;
  if (exponent == kFromInfinity) {
    const uint64_t quiet = mantissa ? uint64_t(1) << (kToMantissa - 1) | mantissa >> kDropped : 0;
    return sign | kToInfinity << kToMantissa | quiet;
  }
  const uint64_t significand = exponent ? mantissa | uint64_t(1) << kFromMantissa : mantissa;
  const int scale =
      (exponent ? int(exponent) : 1) - kFromBias; // value = significand * 2^(scale - mantissa width)
  const int below = 1 - kToBias - scale;          // binades under the smallest normal
  const int shift = kDropped + (below > 0 ? below : 0);
  if (shift > kFromMantissa + 1) // under half of the smallest subnormal
    return sign;
  uint64_t kept = significand;
  if (shift) {
    const uint64_t half = uint64_t(1) << (shift - 1), rest = significand & (2 * half - 1);
    kept >>= shift;
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (below <= 0) // `kept` holds the implicit bit, which counts as one exponent step
    kept += uint64_t(-below) << kToMantissa;
  return sign | (kept < kToInfinity << kToMantissa ? kept : kToInfinity << kToMantissa);
}

constexpr uint16_t halfFromFloat(float value) {
  return uint16_t(narrowFloatBits<23, 8, 10, 5>(std::bit_cast<uint32_t>(value)));
}
constexpr uint16_t halfFromDouble(double value) {
  return uint16_t(narrowFloatBits<52, 11, 10, 5>(std::bit_cast<uint64_t>(value)));
}
constexpr uint16_t bfloatFromFloat(float value) {
  return uint16_t(narrowFloatBits<23, 8, 7, 8>(std::bit_cast<uint32_t>(value)));
}
constexpr uint16_t bfloatFromDouble(double value) {
  return uint16_t(narrowFloatBits<52, 11, 7, 8>(std::bit_cast<uint64_t>(value)));
}

constexpr uint32_t floatBitsFromHalf(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 31)
    return sign | 0x7f800000 | (mantissa ? 0x400000 | mantissa << 13 : 0);
  if (exponent)
    return sign | (exponent + 112) << 23 | mantissa << 13;
  if (!mantissa)
    return sign;
  const uint32_t top = 31 - uint32_t(std::countl_zero(mantissa)); // of a subnormal: mantissa * 2^-24
  return sign | (top + 103) << 23 | (mantissa << (23 - top) & 0x7fffff);
}
constexpr float floatFromHalf(uint16_t half) {
  return std::bit_cast<float>(floatBitsFromHalf(half));
}

constexpr uint32_t floatBitsFromBfloat(uint16_t bfloat) {
  const bool nan = (bfloat & 0x7fff) > 0x7f80;
  return uint32_t(bfloat) << 16 | (nan ? 0x400000 : 0);
}
constexpr float floatFromBfloat(uint16_t bfloat) {
  return std::bit_cast<float>(floatBitsFromBfloat(bfloat));
}

constexpr bool isNanBits(uint32_t floatBits) {
  return (floatBits & 0x7fffffff) > 0x7f800000;
}
constexpr bool isSubnormalBits(uint32_t floatBits) {
  return (floatBits & 0x7f800000) == 0 && (floatBits & 0x7fffff) != 0;
}

inline constexpr uint32_t kCanonicalNanFloat = 0x7fc00000;
inline constexpr uint16_t kCanonicalNanHalf = 0x7e00;
inline constexpr uint16_t kCanonicalNanBfloat = 0x7fc0;

} // namespace assay
