// The numbers of kernels as C++ values: half and bfloat, vectors, and properties of number types.
//
// Half and Bfloat hold their 16 bits. They are made from a double by rounding to nearest even and convert to
// a float exactly. They have no arithmetic, so that a test does not accidentally compute in another precision
// than the kernel.
#pragma once

#include "../support/abi/scalar_type.h"
#include "../support/numbers/float_bits.h"
#include "../support/numbers/ulp.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace assay::testing {

struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit constexpr Half(double value) : bits(halfFromDouble(value)) {}
  static constexpr Half fromBits(uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }
  explicit constexpr operator float() const { return floatFromHalf(bits); }
};

struct Bfloat {
  uint16_t bits = 0;

  Bfloat() = default;
  explicit constexpr Bfloat(double value) : bits(bfloatFromDouble(value)) {}
  static constexpr Bfloat fromBits(uint16_t bits) {
    Bfloat bfloat;
    bfloat.bits = bits;
    return bfloat;
  }
  explicit constexpr operator float() const { return floatFromBfloat(bits); }
};

/// float4 is Vec<float, 4>.
template <class T, size_t N> using Vec = std::array<T, N>;

template <class T> inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <> inline constexpr bool kIsFloat<Half> = true;
template <> inline constexpr bool kIsFloat<Bfloat> = true;
template <class T> inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || kIsFloat<T>;

/// Bits of the significand after the point, and the exponent of the smallest normal number.
template <class T> struct FloatFormat {
  static constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  static constexpr int kLowest = std::numeric_limits<T>::min_exponent - 1;
};
template <> struct FloatFormat<Half> {
  static constexpr int kMantissa = 10, kLowest = -14;
};
template <> struct FloatFormat<Bfloat> {
  static constexpr int kMantissa = 7, kLowest = -126;
};

template <size_t kBytes>
using BitsOfSize = std::conditional_t<
    kBytes == 8, uint64_t,
    std::conditional_t<kBytes == 4, uint32_t, std::conditional_t<kBytes == 2, uint16_t, uint8_t>>>;

template <class T> constexpr uint64_t bitsOf(T value) {
  return std::bit_cast<BitsOfSize<sizeof(T)>>(value);
}

template <class T> constexpr double toDouble(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>)
    return static_cast<float>(value);
  else
    return static_cast<double>(value);
}

template <class T> bool isNan(T value) {
  if constexpr (kIsFloat<T>)
    return std::isnan(toDouble(value));
  else
    return false;
}

/// "0x3f800000"
std::string hexText(uint64_t bits, size_t bytes);

/// The shortest text that reads back as the value: "0.1", "-inf".
std::string numberText(float value);
std::string numberText(double value);
std::string numberText(int64_t value);
std::string numberText(uint64_t value);

/// Likewise for every number type of a kernel: "0.1", "-inf", "true".
template <class T> std::string valueText(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, double>)
    return numberText(value);
  else if constexpr (kIsFloat<T>)
    return numberText(static_cast<float>(value));
  else if constexpr (std::is_signed_v<T>)
    return numberText(static_cast<int64_t>(value));
  else
    return numberText(static_cast<uint64_t>(value));
}

/// "2.5 (0x40200000)"
template <class T> std::string withBits(T value) {
  return valueText(value) + " (" + hexText(bitsOf(value), sizeof(T)) + ")";
}
template <class T, size_t N> std::string withBits(const std::array<T, N> &vector) {
  std::string text;
  for (const T &element : vector)
    text += (text.empty() ? "{" : ", ") + withBits(element);
  return text + "}";
}

inline void PrintTo(Half value, std::ostream *os) {
  *os << valueText(value);
}
inline void PrintTo(Bfloat value, std::ostream *os) {
  *os << valueText(value);
}

/// The distance in representable numbers; the two zeros are one. Nothing for NaNs and unequal infinities.
template <class T> std::optional<uint64_t> ulpsBetween(T a, T b) {
  static_assert(kIsFloat<T>);
  const bool finite = std::isfinite(toDouble(a)) && std::isfinite(toDouble(b));
  if (!finite && (bitsOf(a) != bitsOf(b) || isNan(a)))
    return std::nullopt;
  const uint64_t x = uint64_t(ulpPlace<8 * sizeof(T)>(bitsOf(a))),
                 y = uint64_t(ulpPlace<8 * sizeof(T)>(bitsOf(b)));
  return int64_t(x) > int64_t(y) ? x - y : y - x;
}

/// One unit in the last place of a T at this value: the distance of the Ts next to it.
template <class T> double ulpAt(double value) {
  const int exponent =
      value == 0 ? FloatFormat<T>::kLowest : std::max(std::ilogb(value), FloatFormat<T>::kLowest);
  return std::ldexp(1.0, exponent - FloatFormat<T>::kMantissa);
}

/// `value` as a T if a T can hold it exactly.
template <class T, class V> std::optional<T> exactly(V value) {
  if constexpr (std::is_same_v<T, V>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<V, bool>) {
    return std::nullopt;
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<V>) {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  } else if constexpr (kIsFloat<T> && kIsNumber<V>) {
    const double wide = toDouble(value);
    const T narrow = T(wide);
    const bool same = std::isnan(wide) ? isNan(narrow) : toDouble(narrow) == wide;
    if constexpr (std::is_integral_v<V>)
      if (std::fabs(wide) > 0x1p53)
        return std::nullopt;
    return same ? std::optional(narrow) : std::nullopt;
  } else {
    return std::nullopt;
  }
}

/// The Metal type of a C++ type.
template <class T> struct MetalType;
template <ScalarType kType, uint32_t kElements = 1> struct MetalTypeIs {
  static constexpr ScalarType kScalar = kType;
  static constexpr uint32_t kCount = kElements;
};
template <> struct MetalType<bool> : MetalTypeIs<ScalarType::Bool> {};
template <> struct MetalType<int8_t> : MetalTypeIs<ScalarType::Char> {};
template <> struct MetalType<uint8_t> : MetalTypeIs<ScalarType::UChar> {};
template <> struct MetalType<int16_t> : MetalTypeIs<ScalarType::Short> {};
template <> struct MetalType<uint16_t> : MetalTypeIs<ScalarType::UShort> {};
template <> struct MetalType<int32_t> : MetalTypeIs<ScalarType::Int> {};
template <> struct MetalType<uint32_t> : MetalTypeIs<ScalarType::UInt> {};
template <> struct MetalType<int64_t> : MetalTypeIs<ScalarType::Long> {};
template <> struct MetalType<uint64_t> : MetalTypeIs<ScalarType::ULong> {};
template <> struct MetalType<Half> : MetalTypeIs<ScalarType::Half> {};
template <> struct MetalType<Bfloat> : MetalTypeIs<ScalarType::BFloat> {};
template <> struct MetalType<float> : MetalTypeIs<ScalarType::Float> {};
template <class T, size_t N>
struct MetalType<std::array<T, N>> : MetalTypeIs<MetalType<T>::kScalar, static_cast<uint32_t>(N)> {};

/// Reads a T from a record's bytes.
template <class T> T fromBytes(const uint8_t *bytes) {
  if constexpr (std::is_same_v<T, bool>) {
    return *bytes != 0;
  } else {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
}

} // namespace assay::testing
