// Metal's 16-bit floats on the host, and the rounding of a double to any of the three: written for the
// references, so that nothing of them is the emulator's.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace assay::projects {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};

/// Digits of the significand and the exponent of the smallest normal number.
template <class T> struct Format;
template <> struct Format<float> {
  static constexpr int digits = 24, minExponent = -126;
  static constexpr double largest = 0x1.fffffep127;
};
template <> struct Format<Half> {
  static constexpr int digits = 11, minExponent = -14;
  static constexpr double largest = 0x1.ffcp15;
};
template <> struct Format<Bfloat> {
  static constexpr int digits = 8, minExponent = -126;
  static constexpr double largest = 0x1.fep127;
};

template <class T>
inline constexpr bool kIsFloat =
    std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

/// The largest relative error of one rounding to nearest.
template <class T> inline constexpr double kUnit = 0;
template <> inline constexpr double kUnit<float> = 0x1p-24;
template <> inline constexpr double kUnit<Half> = 0x1p-11;
template <> inline constexpr double kUnit<Bfloat> = 0x1p-8;

/// The nearest number of T, ties to even; infinity past the largest.
template <class T> double roundTo(double x) {
  using F = Format<T>;
  if (x == 0 || !std::isfinite(x))
    return x;
  int exponent; // x = m * 2^exponent with m in [1/2, 1)
  std::frexp(x, &exponent);
  const int lastPlace = std::max(exponent - F::digits, F::minExponent - (F::digits - 1));
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -lastPlace)), lastPlace);
  return std::fabs(rounded) > F::largest ? std::copysign(std::numeric_limits<double>::infinity(), x)
                                         : rounded;
}

/// The value as a T, rounded to nearest.
template <class T> T as(double x) {
  if constexpr (std::is_same_v<T, float>) {
    return float(x); // one rounding: IEEE's own conversion
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return Bfloat{uint16_t(std::bit_cast<uint32_t>(float(roundTo<Bfloat>(x))) >> 16)};
  } else if constexpr (std::is_same_v<T, Half>) {
    const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const double y = std::fabs(roundTo<Half>(x));
    if (std::isnan(y))
      return Half{uint16_t(sign | 0x7e00)};
    if (std::isinf(y))
      return Half{uint16_t(sign | 0x7c00)};
    if (y < 0x1p-14)
      return Half{uint16_t(sign | uint16_t(y * 0x1p24))};
    int exponent;
    const double fraction = std::frexp(y, &exponent); // in [1/2, 1)
    return Half{uint16_t(sign | (exponent + 14) << 10 | (uint16_t(fraction * 0x1p11) & 0x3ff))};
  } else {
    return T(x);
  }
}

template <class T> double value(T x) {
  if constexpr (std::is_same_v<T, Bfloat>) {
    return std::bit_cast<float>(uint32_t(x.bits) << 16);
  } else if constexpr (std::is_same_v<T, Half>) {
    const int exponent = x.bits >> 10 & 31, mantissa = x.bits & 0x3ff;
    const double magnitude = exponent == 31 ? (mantissa ? std::numeric_limits<double>::quiet_NaN()
                                                        : std::numeric_limits<double>::infinity())
                             : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                            : std::ldexp(mantissa, -24);
    return x.bits & 0x8000 ? -magnitude : magnitude;
  } else {
    return double(x);
  }
}

template <class T> std::vector<double> values(const std::vector<T> &in) {
  std::vector<double> out;
  for (const T &x : in)
    out.push_back(value(x));
  return out;
}
template <class T> std::vector<T> allAs(const std::vector<double> &in) {
  std::vector<T> out;
  for (const double x : in)
    out.push_back(as<T>(x));
  return out;
}

} // namespace assay::projects
