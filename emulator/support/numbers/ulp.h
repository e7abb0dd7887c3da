// How far apart two values of one scalar type are, counted in representable values: units in the last place.
//
// The bits of a float, read as sign and magnitude, count the values away from zero. So the distance is the
// difference of two integers, also across zero and across powers of two. Both zeros have one place: 0 and -0
// are 0 apart although their bits differ. Infinity is the place after the largest finite number. For integers
// and bools the distance is the difference, so that one term serves every type. A NaN has no place, and any
// other value is kNoUlps away from it; the caller decides whether NaNs count as equal.
#pragma once

#include "../abi/scalar_type.h"
#include "float_bits.h"

#include <bit>
#include <cstdint>

namespace assay {

/// The distance between a NaN and any value that is no NaN.
inline constexpr uint64_t kNoUlps = ~uint64_t(0);

/// Bits of a float as wide as `kBits`, as an integer that grows with the value; both zeros are 0.
template <int kBits> constexpr int64_t ulpPlace(uint64_t bits) {
  const int64_t magnitude = int64_t(bits & ((uint64_t(1) << (kBits - 1)) - 1));
  return bits >> (kBits - 1) & 1 ? -magnitude : magnitude;
}

/// Whether the bits are a NaN of this type. False for a type that is not a float.
constexpr bool isNan(uint64_t bits, ScalarType type) {
  switch (type) {
  case ScalarType::Float: return isNanBits(uint32_t(bits));
  case ScalarType::Half: return (bits & 0x7fff) > 0x7c00;
  case ScalarType::BFloat: return (bits & 0x7fff) > 0x7f80;
  default: return false;
  }
}

/// a, b   the bits of two values of `type`, zero-extended
/// Two NaNs are 0 apart, whatever their bits; a NaN and a number are kNoUlps apart.
constexpr uint64_t ulpDistance(uint64_t a, uint64_t b, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  if (info.cls == ScalarClass::Float) {
    const bool nanA = isNan(a, type), nanB = isNan(b, type);
    if (nanA || nanB)
      return nanA == nanB ? 0 : kNoUlps;
    const int64_t at = info.bytes == 4 ? ulpPlace<32>(a) : ulpPlace<16>(a);
    const int64_t to = info.bytes == 4 ? ulpPlace<32>(b) : ulpPlace<16>(b);
    return uint64_t(at < to ? to - at : at - to);
  }
  // Integers: sign-extended differences wrap to what they are in 64 bits.
  const unsigned shift = 64 - info.bytes * 8u;
  if (info.cls == ScalarClass::Signed) {
    const int64_t at = int64_t(a << shift) >> shift, to = int64_t(b << shift) >> shift;
    return at < to ? uint64_t(to) - uint64_t(at) : uint64_t(at) - uint64_t(to);
  }
  return a < b ? b - a : a - b;
}

inline uint64_t ulpDistance(float a, float b) {
  return ulpDistance(std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b), ScalarType::Float);
}

} // namespace assay
