// Conversions: as C casts, modulo two to the bits, and to the nearest number of the type.
#include <climits>
#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <simd/simd.h>

namespace {

TEST(SimdConvert, TakesElementsAsCCastsDo) {
  EXPECT_TRUE(simd_equal(simd_int(simd_float4{1.9f, -1.9f, 0, 7}), (simd_int4){1, -1, 0, 7}));
  EXPECT_TRUE(simd_equal(simd_float(simd_uchar3{0, 128, 255}), (simd_float3){0, 128, 255}));
  EXPECT_TRUE(simd_equal(simd_double(simd_long2{LONG_MIN, 3}), (simd_double2){-0x1p63, 3}));
  EXPECT_TRUE(simd_equal(simd_half(simd_int2{2049, -3}), (simd_half2){2048, -3})); // to nearest, ties to even
  EXPECT_EQ(vector_float(simd_double8{0, 0, 0, 0, 0, 0, 0, 0x1.000001p0})[7], 1);
  EXPECT_EQ(simd_long(simd_half8(5))[7], 5);
}

TEST(SimdConvert, IntegersWrap) {
  EXPECT_TRUE(simd_equal(simd_char(simd_int2{300, -129}), (simd_char2){44, 127}));
  EXPECT_TRUE(simd_equal(simd_uint(simd_long2{-1, 1L << 32}), (simd_uint2){UINT_MAX, 0}));
  EXPECT_TRUE(simd_equal(simd_short(simd_ushort2{65535, 1}), (simd_short2){-1, 1}));
}

/// What the type's nearest number to x is, by comparison with its bounds in a type that holds them all.
template <class T, class X> T nearest(X x) {
  const __int128 least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const __int128 value = static_cast<__int128>(x);
  return static_cast<T>(value < least ? least : value > most ? most : value);
}

const long kIntegers[] = {0,       1,        -1,       127,      128,      -128,     -129,           255,
                          256,     32767,    32768,    -32768,   -32769,   65535,    65536,          INT_MAX,
                          INT_MIN, UINT_MAX, LONG_MAX, LONG_MIN, 1L << 31, 1L << 32, -(1L << 31) - 1};
const double kDoubles[] = {0.5,      -0.5,         127.5,         -128.5, 255.5,  65535.9,
                           -32768.9, 2147483647.5, -2147483648.5, 0x1p32, 0x1p63, -0x1p63,
                           0x1p64,   0x1.8p63,     -0x1p64,       0x1p90, -0x1p90};

#define EXPECT_NEAREST(to, type)                                                                             \
  for (const long x : kIntegers) {                                                                           \
    EXPECT_EQ(simd_##to##_sat((simd_long2)x).y, nearest<type>(x)) << #to << " of " << x;                     \
    const unsigned long u = x;                                                                               \
    EXPECT_EQ(simd_##to##_sat((simd_ulong3)u).z, nearest<type>(u)) << #to << " of " << u;                    \
    const int i = static_cast<int>(x);                                                                       \
    EXPECT_EQ(simd_##to##_sat((simd_int8)i)[7], nearest<type>(i)) << #to << " of " << i;                     \
  }                                                                                                          \
  for (const double x : kDoubles) {                                                                          \
    EXPECT_EQ(simd_##to##_sat((simd_double4)x).w, nearest<type>(x)) << #to << " of " << x;                   \
    const float f = static_cast<float>(x);                                                                   \
    EXPECT_EQ(simd_##to##_sat((simd_float2)f).x, nearest<type>(f)) << #to << " of " << f;                    \
  }                                                                                                          \
  EXPECT_EQ(simd_##to##_sat((simd_float2)std::numeric_limits<float>::infinity()).x,                          \
            std::numeric_limits<type>::max());                                                               \
  EXPECT_EQ(simd_##to##_sat((simd_half2)(-std::numeric_limits<float>::infinity())).x,                        \
            std::numeric_limits<type>::min());                                                               \
  EXPECT_EQ(simd_##to##_sat((simd_double2)std::numeric_limits<double>::quiet_NaN()).x,                       \
            std::numeric_limits<type>::min());

TEST(SimdConvert, SaturatesToTheNearestNumber) {
  EXPECT_NEAREST(char, char)
  EXPECT_NEAREST(uchar, unsigned char)
  EXPECT_NEAREST(short, short)
  EXPECT_NEAREST(ushort, unsigned short)
  EXPECT_NEAREST(int, int)
  EXPECT_NEAREST(uint, unsigned)
  EXPECT_NEAREST(long, long)
  EXPECT_NEAREST(ulong, unsigned long)
}

} // namespace
