// Integer functions of every type. Expected values come from exact arithmetic in wider types.
// source: MSL specification, section 6.3.
#include "signatures.h"

#include <gmock/gmock.h>

#include <bit>
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace assay::test;

namespace {

typedef __int128 Wide;

#define EACH_INTEGER(M, name)                                                                                \
  M(name, char, int8_t)                                                                                      \
  M(name, uchar, uint8_t)                                                                                    \
  M(name, short, int16_t)                                                                                    \
  M(name, ushort, uint16_t)                                                                                  \
  M(name, int, int32_t) M(name, uint, uint32_t) M(name, long, int64_t) M(name, ulong, uint64_t)
#define DECLARE1(name, metal, T) T scalar_##metal##_##name(T);
#define DECLARE2(name, metal, T) T scalar_##metal##_##name(T, T);
#define DECLARE3(name, metal, T) T scalar_##metal##_##name(T, T, T);
#define DECLARE_BITS(name, metal, T)                                                                         \
  T scalar_##metal##_extract_bits(T, uint32_t, uint32_t);                                                    \
  T scalar_##metal##_insert_bits(T, T, uint32_t, uint32_t);

extern "C" {
EACH_INTEGER(DECLARE1, abs)
EACH_INTEGER(DECLARE1, clz)
EACH_INTEGER(DECLARE1, ctz)
EACH_INTEGER(DECLARE1, popcount)
EACH_INTEGER(DECLARE1, reverse_bits)
EACH_INTEGER(DECLARE2, absdiff)
EACH_INTEGER(DECLARE2, addsat)
EACH_INTEGER(DECLARE2, subsat)
EACH_INTEGER(DECLARE2, hadd)
EACH_INTEGER(DECLARE2, rhadd)
EACH_INTEGER(DECLARE2, mulhi)
EACH_INTEGER(DECLARE2, rotate)
EACH_INTEGER(DECLARE2, min)
EACH_INTEGER(DECLARE2, max)
EACH_INTEGER(DECLARE3, madhi)
EACH_INTEGER(DECLARE3, madsat)
EACH_INTEGER(DECLARE3, clamp)
EACH_INTEGER(DECLARE3, median3)
EACH_INTEGER(DECLARE_BITS, bits)
int32_t scalar_int_mad24(int32_t, int32_t, int32_t);
uint32_t scalar_uint_mad24(uint32_t, uint32_t, uint32_t);
void shim_integer_vectors(const int32_t *, int32_t *);
int16_t shim_interleave_char(int8_t, int8_t);
uint16_t shim_interleave_uchar(uint8_t, uint8_t);
int32_t shim_interleave_short(int16_t, int16_t);
uint32_t shim_interleave_ushort(uint16_t, uint16_t);
int64_t shim_interleave_int(int32_t, int32_t);
uint64_t shim_interleave_uint(uint32_t, uint32_t);
int8_t shim_deinterleave_short(int16_t, bool);
uint8_t shim_deinterleave_ushort(uint16_t, bool);
int16_t shim_deinterleave_int(int32_t, bool);
uint16_t shim_deinterleave_uint(uint32_t, bool);
int32_t shim_deinterleave_long(int64_t, bool);
uint32_t shim_deinterleave_ulong(uint64_t, bool);
}

// Small, large, and in between: every pair is tried.
template <class T> std::vector<T> values() {
  const T top = std::numeric_limits<T>::max(), bottom = std::numeric_limits<T>::min();
  return {T(0),       T(1),       T(2),   T(3),          T(5),          T(7),    T(-1),      T(-2),      top,
          T(top - 1), T(top / 2), bottom, T(bottom + 1), T(bottom / 2), T(0x5a), T(top / 3), T(~T(0x5a))};
}
template <class T> T saturated(Wide exact) {
  const Wide top = std::numeric_limits<T>::max(), bottom = std::numeric_limits<T>::min();
  return T(exact > top ? top : exact < bottom ? bottom : exact);
}
template <class T> T median(T x, T y, T z) {
  return std::max(std::min(x, y), std::min(std::max(x, y), z));
}
template <class T> std::make_unsigned_t<T> bits(T x) {
  return std::make_unsigned_t<T>(x);
}

#define CHECK_INTEGER(name, metal, T)                                                                        \
  for (T x : values<T>()) {                                                                                  \
    SCOPED_TRACE(#metal " x = " + std::to_string(x));                                                        \
    typedef std::make_unsigned_t<T> U;                                                                       \
    constexpr int width = sizeof(T) * 8;                                                                     \
    EXPECT_EQ(scalar_##metal##_abs(x), T(Wide(x) < 0 ? U(0) - U(x) : U(x)));                                 \
    EXPECT_EQ(scalar_##metal##_clz(x), T(std::countl_zero(bits(x))));                                        \
    EXPECT_EQ(scalar_##metal##_ctz(x), T(std::countr_zero(bits(x))));                                        \
    EXPECT_EQ(scalar_##metal##_popcount(x), T(std::popcount(bits(x))));                                      \
    U reversed = 0;                                                                                          \
    for (int i = 0; i < width; ++i)                                                                          \
      reversed = U(reversed | U((bits(x) >> i & 1) << (width - 1 - i)));                                     \
    EXPECT_EQ(scalar_##metal##_reverse_bits(x), T(reversed));                                                \
    for (T y : values<T>()) {                                                                                \
      SCOPED_TRACE("y = " + std::to_string(y));                                                              \
      const Wide wx = x, wy = y;                                                                             \
      EXPECT_EQ(scalar_##metal##_absdiff(x, y), T(U(wx > wy ? wx - wy : wy - wx)));                          \
      EXPECT_EQ(scalar_##metal##_addsat(x, y), saturated<T>(wx + wy));                                       \
      EXPECT_EQ(scalar_##metal##_subsat(x, y), saturated<T>(wx - wy));                                       \
      EXPECT_EQ(scalar_##metal##_hadd(x, y), T((wx + wy) >> 1));                                             \
      EXPECT_EQ(scalar_##metal##_rhadd(x, y), T((wx + wy + 1) >> 1));                                        \
      const T high =                                                                                         \
          std::is_signed_v<T> ? T((wx * wy) >> width) : T((static_cast<unsigned __int128>(x) * y) >> width); \
      EXPECT_EQ(scalar_##metal##_mulhi(x, y), high);                                                         \
      EXPECT_EQ(scalar_##metal##_rotate(x, y), T(std::rotl(bits(x), int(bits(y) % width))));                 \
      EXPECT_EQ(scalar_##metal##_min(x, y), std::min(x, y));                                                 \
      EXPECT_EQ(scalar_##metal##_max(x, y), std::max(x, y));                                                 \
      for (T z : {T(0), T(1), T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {        \
        EXPECT_EQ(scalar_##metal##_madhi(x, y, z), T(U(high) + U(z)));                                       \
        EXPECT_EQ(scalar_##metal##_median3(x, y, z), median(x, y, z));                                       \
        if (y <= z) {                                                                                        \
          EXPECT_EQ(scalar_##metal##_clamp(x, y, z), std::clamp(x, y, z));                                   \
        }                                                                                                    \
        if (std::is_signed_v<T> || width < 64) {                                                             \
          EXPECT_EQ(scalar_##metal##_madsat(x, y, z), saturated<T>(wx * wy + Wide(z)));                      \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }

TEST(IntegerFunctions, AgreeWithExactArithmeticInEveryType){EACH_INTEGER(CHECK_INTEGER, all)}

TEST(IntegerFunctions, UnsignedLongMadsatSaturates) {
  EXPECT_EQ(scalar_ulong_madsat(~0ull, ~0ull, 1), ~0ull);
  EXPECT_EQ(scalar_ulong_madsat(~0ull, 1, 0), ~0ull);
  EXPECT_EQ(scalar_ulong_madsat(~0ull, 1, 1), ~0ull);
  EXPECT_EQ(scalar_ulong_madsat(1ull << 32, 1ull << 31, 5), (1ull << 63) + 5);
}

#define CHECK_BITS(name, metal, T)                                                                           \
  for (T x : values<T>()) {                                                                                  \
    constexpr uint32_t width = sizeof(T) * 8;                                                                \
    for (uint32_t offset : {0u, 1u, 3u, width - 1, width})                                                   \
      for (uint32_t count : {0u, 1u, 5u, width}) {                                                           \
        if (offset + count > width)                                                                          \
          continue;                                                                                          \
        SCOPED_TRACE(#metal " " + std::to_string(x) + " " + std::to_string(offset) + " " +                   \
                     std::to_string(count));                                                                 \
        const unsigned __int128 mask = (static_cast<unsigned __int128>(1) << count) - 1;                     \
        const unsigned __int128 field = static_cast<unsigned __int128>(bits(x)) >> offset & mask;            \
        const bool negative = std::is_signed_v<T> && count > 0 && (field >> (count - 1) & 1);                \
        EXPECT_EQ(scalar_##metal##_extract_bits(x, offset, count), T(negative ? field | ~mask : field));     \
        const T inserted = T((bits(x) & ~(mask << offset)) | ((bits(T(0x35)) & mask) << offset));            \
        EXPECT_EQ(scalar_##metal##_insert_bits(x, T(0x35), offset, count), inserted);                        \
      }                                                                                                      \
  }
TEST(IntegerFunctions, BitFieldsAreSignExtendedAndInserted){EACH_INTEGER(CHECK_BITS, bits)}

TEST(IntegerFunctions, Mad24UsesTheLow24Bits) {
  EXPECT_EQ(scalar_int_mad24(-3, 5, 7), -8);
  EXPECT_EQ(scalar_int_mad24(0x1000001, 3, 0), 3);
  EXPECT_EQ(scalar_uint_mad24(0xffffff, 0xffffff, 1), 0xfffffe000001u % (1ull << 32) + 1);
}

TEST(IntegerFunctions, WorkByComponentAndTakeScalars) {
  alignas(16) const int32_t v[4] = {-5, 0, 3, INT_MIN};
  alignas(16) int32_t out[20];
  shim_integer_vectors(v, out);
  EXPECT_EQ(std::vector<int32_t>(out, out + 20),
            (std::vector<int32_t>{2, 2,       3,  2, -1, 0, 1,           -1,      5,       0,
                                  3, INT_MIN, 31, 0, 2,  1, INT_MAX - 5, INT_MAX, INT_MAX, -1}));
}

// Bit i of x is bit 2i, bit i of y is bit 2i + 1.
template <class T, class Twice>
void checkInterleave(Twice (*interleave)(T, T), T (*deinterleave)(Twice, bool), T x, T y) {
  std::make_unsigned_t<Twice> all = 0;
  for (unsigned i = 0; i < sizeof(T) * CHAR_BIT; ++i) {
    all |= static_cast<decltype(all)>(static_cast<decltype(all)>(bits(x) >> i & 1) << 2 * i);
    all |= static_cast<decltype(all)>(static_cast<decltype(all)>(bits(y) >> i & 1) << (2 * i + 1));
  }
  EXPECT_EQ(interleave(x, y), Twice(all)) << int64_t(x) << " " << int64_t(y);
  EXPECT_EQ(deinterleave(Twice(all), false), x) << int64_t(x) << " " << int64_t(y);
  EXPECT_EQ(deinterleave(Twice(all), true), y) << int64_t(x) << " " << int64_t(y);
}
template <class T, class Twice>
void checkInterleaves(Twice (*interleave)(T, T), T (*deinterleave)(Twice, bool)) {
  for (const T x : values<T>())
    for (const T y : values<T>())
      checkInterleave(interleave, deinterleave, x, y);
}

TEST(IntegerFunctions, InterleavePutsTheFirstNumberAtTheEvenBits) {
  EXPECT_EQ(shim_interleave_uchar(0xff, 0), 0x5555);
  EXPECT_EQ(shim_interleave_uchar(3, 5), 39); // x = 011, y = 101: 10 01 11
  for (int x = 0; x < 256; ++x)
    for (int y = 0; y < 256; ++y)
      checkInterleave(shim_interleave_uchar, shim_deinterleave_ushort, uint8_t(x), uint8_t(y));
  checkInterleaves(shim_interleave_char, shim_deinterleave_short);
  checkInterleaves(shim_interleave_short, shim_deinterleave_int);
  checkInterleaves(shim_interleave_ushort, shim_deinterleave_uint);
  checkInterleaves(shim_interleave_int, shim_deinterleave_long);
  checkInterleaves(shim_interleave_uint, shim_deinterleave_ulong);
}

TEST(IntegerHeader, DeclaresEveryFunctionForEveryType) {
  expectSignatures("metal_integer", {
                                        {kIntegers, "T", {"abs(x)",           "addsat(x, y)",
                                                          "clamp(x, y, z)",   "clz(x)",
                                                          "ctz(x)",           "extract_bits(x, 1u, 2u)",
                                                          "hadd(x, y)",       "insert_bits(x, y, 1u, 2u)",
                                                          "madhi(x, y, z)",   "madsat(x, y, z)",
                                                          "max(x, y)",        "max3(x, y, z)",
                                                          "median3(x, y, z)", "min(x, y)",
                                                          "min3(x, y, z)",    "mulhi(x, y)",
                                                          "popcount(x)",      "reverse_bits(x)",
                                                          "rhadd(x, y)",      "rotate(x, y)",
                                                          "subsat(x, y)"}},
                                        {kIntegers, "Unsigned<T>", {"absdiff(x, y)"}},
                                        {kInts, "T", {"mad24(x, y, z)", "mul24(x, y)"}},
                                    });
}

} // namespace
