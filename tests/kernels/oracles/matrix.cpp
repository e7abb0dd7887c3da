// Exact half arithmetic; see matrix.h.
#include "matrix.h"

#include <algorithm>

namespace assay::oracle {
namespace {

__extension__ typedef __int128 Wide;

bool isNan(uint16_t half) {
  return (half & 0x7fff) > 0x7c00;
}
bool isInfinite(uint16_t half) {
  return (half & 0x7fff) == 0x7c00;
}

// A finite half in units of 2^-24.
int64_t units(uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  const int64_t magnitude = exponent ? int64_t(mantissa | 0x400) << (exponent - 1) : mantissa;
  return half & 0x8000 ? -magnitude : magnitude;
}

// The half nearest to value * 2^-scale, ties to even; `sign` is that of a zero.
uint16_t roundToHalf(Wide value, int scale, bool sign) {
  if (value != 0)
    sign = value < 0;
  Wide magnitude = value < 0 ? -value : value;
  const uint16_t signBit = sign ? 0x8000 : 0;
  int bits = 0;
  while (magnitude >> bits)
    ++bits;
  // The last place kept, in powers of two of `value`: eleven bits, but none below 2^-24.
  const int last = std::max(bits - 11, scale - 24);
  if (last > 0) {
    const Wide unit = Wide(1) << last, rest = magnitude % unit, half = unit / 2;
    magnitude /= unit;
    magnitude += rest > half || (rest == half && magnitude % 2);
  } else {
    magnitude <<= -last;
  }
  // Now magnitude * 2^(last - scale), at most 2^11.
  int exponent = last - scale + 24; // 0: multiples of 2^-24
  if (magnitude == 0x800)
    magnitude = 0x400, ++exponent;
  if (magnitude < 0x400)
    return uint16_t(signBit | uint16_t(magnitude)); // subnormal, or zero
  return exponent + 1 >= 31 ? uint16_t(signBit | 0x7c00)
                            : uint16_t(signBit | (exponent + 1) << 10 | uint16_t(magnitude & 0x3ff));
}

} // namespace

uint16_t halfFma(uint16_t a, uint16_t b, uint16_t c) {
  constexpr uint16_t kNan = 0x7e00;
  const bool productSign = (a ^ b) & 0x8000, zeroFactor = !(a & 0x7fff) || !(b & 0x7fff);
  const bool infiniteProduct = isInfinite(a) || isInfinite(b);
  if (isNan(a) || isNan(b) || isNan(c) || (infiniteProduct && zeroFactor))
    return kNan;
  if (infiniteProduct)
    return isInfinite(c) && bool(c & 0x8000) != productSign ? kNan : uint16_t(productSign ? 0xfc00 : 0x7c00);
  if (isInfinite(c))
    return c;
  const Wide sum = Wide(units(a)) * units(b) + Wide(units(c)) * (1 << 24);
  const bool bothNegative = productSign && (c & 0x8000); // of a sum that is zero
  return roundToHalf(sum, 48, bothNegative);
}

float fromHalf(uint16_t bits) {
  if (isNan(bits))
    return std::bit_cast<float>(0x7fc00000u);
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  return isInfinite(bits) ? sign * kInfinity : std::copysign(float(units(bits)) * 0x1p-24f, sign);
}

uint16_t toHalf(float value) {
  if (std::isnan(value))
    return 0x7e00;
  const bool sign = std::signbit(value);
  const uint16_t infinity = sign ? 0xfc00 : 0x7c00;
  if (std::fabs(value) >= 0x1p17f)
    return infinity;
  // Below 2^-80 nothing is left of it, but that it is not a tie.
  if (std::fabs(value) < 0x1p-60f)
    return sign ? 0x8000 : 0;
  return roundToHalf(Wide(std::ldexp(double(value), 84)), 84, sign);
}

} // namespace assay::oracle
