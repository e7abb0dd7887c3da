// Integer, common, relational and geometric functions, and the exact parts of the mathematical ones. Expected
// values come from exact arithmetic in wider types. source: MSL specification, sections 6.2 and 6.4 to 6.7.
#include <gmock/gmock.h>

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>
#include <xmmintrin.h>

namespace {

typedef __int128 Wide;

#define EACH_INTEGER(M, name)                                                                                \
  M(name, char, int8_t)                                                                                      \
  M(name, uchar, uint8_t)                                                                                    \
  M(name, short, int16_t) M(name, ushort, uint16_t) M(name, int, int32_t) M(name, uint, uint32_t)            \
      M(name, long, int64_t) M(name, ulong, uint64_t)
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

#define DECLARE_FLOATS(metal, T)                                                                             \
  T scalar_##metal##_fract(T);                                                                               \
  T scalar_##metal##_saturate(T);                                                                            \
  T scalar_##metal##_sign(T);                                                                                \
  T scalar_##metal##_rint(T);                                                                                \
  T scalar_##metal##_round(T);                                                                               \
  T scalar_##metal##_trunc(T);                                                                               \
  T scalar_##metal##_ceil(T);                                                                                \
  T scalar_##metal##_floor(T);                                                                               \
  T scalar_##metal##_fmin(T, T);                                                                             \
  T scalar_##metal##_fmax(T, T);                                                                             \
  T scalar_##metal##_step(T, T);                                                                             \
  T scalar_##metal##_clamp(T, T, T);                                                                         \
  T scalar_##metal##_mix(T, T, T);                                                                           \
  T scalar_##metal##_smoothstep(T, T, T);                                                                    \
  T scalar_##metal##_fmedian3(T, T, T);                                                                      \
  T scalar_##metal##_fma(T, T, T);                                                                           \
  T scalar_##metal##_ldexp(T, int);                                                                          \
  T scalar_##metal##_frexp(T, int *);                                                                        \
  T scalar_##metal##_modf(T, T *);                                                                           \
  T scalar_##metal##_sincos(T, T *);                                                                         \
  int scalar_##metal##_ilogb(T);                                                                             \
  uint32_t scalar_##metal##_classes(T);
DECLARE_FLOATS(float, float)
DECLARE_FLOATS(half, _Float16)
float scalar_float_tanh(float);
float scalar_float_tan(float);
float scalar_float_sinh(float);
float scalar_float_cosh(float);
float scalar_float_sqrt(float);
float scalar_float_exp10(float);
float scalar_float_log10(float);
float scalar_float_pow(float, float);
float scalar_float_atan2(float, float);
void shim_vector_calls(const float *, float *);
void shim_integer_vectors(const int32_t *, int32_t *);
void shim_unpack(uint32_t, float *);
uint32_t shim_pack_unorm4x8(const float *);
uint32_t shim_pack_snorm4x8(const float *);
uint32_t shim_pack_snorm2x16(const float *);
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

const float kInf = INFINITY, kNan = NAN;

TEST(MinMax, ANumberWinsOverNaN) {
  EXPECT_EQ(scalar_float_fmin(kNan, 1), 1.0f);
  EXPECT_EQ(scalar_float_fmin(1, kNan), 1.0f);
  EXPECT_EQ(scalar_float_fmax(kNan, -kInf), -kInf);
  EXPECT_TRUE(std::isnan(scalar_float_fmax(kNan, kNan)));
  EXPECT_EQ(float(scalar_half_fmax(_Float16(kNan), _Float16(2))), 2.0f);
}
TEST(MinMax, OfEqualZerosTheFirstIsReturned) {
  EXPECT_TRUE(std::signbit(scalar_float_fmin(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(scalar_float_fmin(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(scalar_float_fmax(-0.0f, 0.0f)));
}
TEST(MinMax, MedianIsTheMiddleOne) {
  EXPECT_EQ(scalar_float_fmedian3(3, 1, 2), 2.0f);
  EXPECT_EQ(scalar_float_fmedian3(1, 1, 9), 1.0f);
}

TEST(Common, ClampSaturateStepSign) {
  EXPECT_EQ(scalar_float_clamp(5, 0, 1), 1.0f);
  EXPECT_EQ(scalar_float_clamp(-5, 0, 1), 0.0f);
  EXPECT_EQ(scalar_float_saturate(kNan), 0.0f) << "fmax(NaN, 0) is 0";
  EXPECT_EQ(scalar_float_saturate(-kInf), 0.0f);
  EXPECT_EQ(scalar_float_step(1, 1), 1.0f);
  EXPECT_EQ(scalar_float_step(1, 0.999f), 0.0f);
  EXPECT_EQ(scalar_float_sign(-3), -1.0f);
  EXPECT_TRUE(std::signbit(scalar_float_sign(-0.0f)));
  EXPECT_EQ(scalar_float_sign(kNan), 0.0f);
  EXPECT_EQ(float(scalar_half_sign(_Float16(2))), 1.0f);
}
TEST(Common, MixAndSmoothstepFollowTheirFormulas) {
  EXPECT_EQ(scalar_float_mix(1, 3, 0.1f), std::fmaf(2, 0.1f, 1));
  const float t = 0.3f, inner = std::fmaf(-2.0f, t, 3.0f);
  EXPECT_EQ(scalar_float_smoothstep(0, 1, t), t * t * inner);
  EXPECT_EQ(scalar_float_smoothstep(0, 1, -1), 0.0f);
  EXPECT_EQ(float(scalar_half_mix(_Float16(1), _Float16(2), _Float16(0.5))), 1.5f);
}

TEST(Rounding, RintTiesToEvenAndRoundAwayFromZero) {
  EXPECT_EQ(scalar_float_rint(2.5f), 2.0f);
  EXPECT_EQ(scalar_float_round(2.5f), 3.0f);
  EXPECT_EQ(scalar_float_round(-0.5f), -1.0f);
  EXPECT_EQ(scalar_float_round(0.49999997f), 0.0f);
  EXPECT_TRUE(std::signbit(scalar_float_rint(-0.25f)));
  EXPECT_EQ(scalar_float_round(8388609.0f), 8388609.0f);
}
TEST(Rounding, AllHalves) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const _Float16 x = std::bit_cast<_Float16>(uint16_t(i));
    if (std::isnan(float(x)))
      continue;
    ASSERT_EQ(float(scalar_half_floor(x)), std::floor(float(x))) << i;
    ASSERT_EQ(float(scalar_half_ceil(x)), std::ceil(float(x))) << i;
    ASSERT_EQ(float(scalar_half_trunc(x)), std::trunc(float(x))) << i;
    ASSERT_EQ(float(scalar_half_rint(x)), std::nearbyint(float(x))) << i;
    ASSERT_EQ(float(scalar_half_round(x)), std::round(float(x))) << i;
    int k, expected;
    const float fraction = std::frexp(float(x), &expected);
    ASSERT_EQ(float(scalar_half_frexp(x, &k)), fraction) << i;
    if (std::isfinite(float(x))) {
      ASSERT_EQ(k, expected) << i;
      ASSERT_EQ(float(scalar_half_ldexp(x, -3)), float(_Float16(float(x) / 8))) << i;
      ASSERT_EQ(scalar_half_classes(x),
                1u | (std::fabs(float(x)) >= 0x1p-14f) << 3 | std::signbit(float(x)) << 4)
          << i;
    }
    if (x != _Float16(0) && std::isfinite(float(x))) {
      ASSERT_EQ(scalar_half_ilogb(x), std::ilogb(float(x))) << i;
    }
  }
}

TEST(Fract, IsBelowOne) {
  EXPECT_EQ(scalar_float_fract(1.25f), 0.25f);
  EXPECT_EQ(scalar_float_fract(-0.25f), 0.75f);
  EXPECT_EQ(scalar_float_fract(-0x1p-30f), 0x1.fffffep-1f);
  EXPECT_EQ(float(scalar_half_fract(_Float16(-0x1p-14))), 0x1.ffcp-1f);
}

TEST(Fma, HalfRoundsOnce) {
  const auto h = [](double x) { return _Float16(float(x)); };
  // (1 + 2^-10)(1 + 2^-10) - (1 + 2^-9) = 2^-20
  EXPECT_EQ(double(scalar_half_fma(h(1 + 0x1p-10), h(1 + 0x1p-10), h(-1 - 0x1p-9))), 0x1p-20);
  // A float in between would round 2049 * 1 + 2^-24 (just above a tie) to the tie, and then to even.
  EXPECT_EQ(double(scalar_half_fma(h(683), h(3), h(0x1p-24))), 2050.0);
  EXPECT_EQ(double(scalar_half_fma(h(683), h(3), h(-0x1p-24))), 2048.0);
  EXPECT_EQ(scalar_float_fma(1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f), 0x1p-24f);
}

TEST(Ldexp, RoundsOnceIntoSubnormals) {
  EXPECT_EQ(scalar_float_ldexp(0x1.000003p0f, -149), 0x1p-149f);
  EXPECT_EQ(scalar_float_ldexp(1, 1000), kInf);
  EXPECT_EQ(scalar_float_ldexp(1, INT_MIN), 0.0f);
  EXPECT_EQ(scalar_float_ldexp(0x1p-149f, 277), kInf);
  EXPECT_EQ(scalar_float_ldexp(0x1p-149f, 276), 0x1p127f);
}

TEST(Frexp, SplitsAndKeepsSpecialValues) {
  int k;
  EXPECT_EQ(scalar_float_frexp(12, &k), 0.75f);
  EXPECT_EQ(k, 4);
  EXPECT_EQ(scalar_float_frexp(0x1p-149f, &k), 0.5f);
  EXPECT_EQ(k, -148);
  EXPECT_EQ(scalar_float_frexp(-kInf, &k), -kInf);
  EXPECT_EQ(k, 0);
  EXPECT_EQ(scalar_float_ilogb(0), INT_MIN);
  EXPECT_EQ(scalar_float_ilogb(kInf), INT_MAX);
  float whole;
  EXPECT_EQ(scalar_float_modf(-3.75f, &whole), -0.75f);
  EXPECT_EQ(whole, -3.0f);
  EXPECT_TRUE(std::signbit(scalar_float_modf(-kInf, &whole)));
  EXPECT_EQ(whole, -kInf);
}

TEST(Relational, ClassesReadBits) {
  enum { kFinite = 1, kInfinite = 2, kNaN = 4, kNormal = 8, kSign = 16 };
  EXPECT_EQ(scalar_float_classes(1), kFinite | kNormal);
  EXPECT_EQ(scalar_float_classes(-0.0f), kFinite | kSign);
  EXPECT_EQ(scalar_float_classes(-0x1p-149f), kFinite | kSign);
  EXPECT_EQ(scalar_float_classes(-kInf), kInfinite | kSign);
  EXPECT_EQ(scalar_float_classes(kNan), kNaN);
  EXPECT_EQ(scalar_half_classes(_Float16(65504)), kFinite | kNormal);
}

// source: table 8.2: the formula, each step in float.
TEST(FastMath, FormulasOfTheSpecification) {
  EXPECT_TRUE(std::isnan(scalar_float_tanh(50))) << "(inf - 1) / (inf + 1)";
  EXPECT_EQ(scalar_float_tanh(-50), -1.0f);
  EXPECT_EQ(scalar_float_sqrt(0), 0.0f);
  EXPECT_EQ(scalar_float_sqrt(kInf), kInf);
  EXPECT_EQ(scalar_float_sqrt(4), 2.0f);
  EXPECT_TRUE(std::isnan(scalar_float_pow(-2, 2))) << "exp2(y log2 x)";
  EXPECT_EQ(scalar_float_pow(2, 10), 1024.0f);
  EXPECT_EQ(scalar_float_exp10(1), std::exp2(0x1.a934fp+1f)) << "exp2(x log2 10)";
  EXPECT_EQ(scalar_float_log10(8), 3 * 0x1.344136p-2f);
  EXPECT_EQ(scalar_float_sinh(0), 0.0f);
  EXPECT_EQ(scalar_float_cosh(0), 1.0f);
  EXPECT_EQ(scalar_float_tan(0), 0.0f);
  const float pi = 3.14159274f;
  EXPECT_EQ(scalar_float_atan2(0, -1), pi);
  EXPECT_EQ(scalar_float_atan2(1, 0), pi / 2);
  EXPECT_EQ(scalar_float_atan2(-1, -1), float(-0.785398185f) + 0.0f - pi / 2 < 0 ? std::atan(1.0f) - pi : 0);
  EXPECT_EQ(scalar_float_atan2(0, 0), 0.0f);
}

TEST(SinCos, IsBothAtOnce) {
  float c;
  const float s = scalar_float_sincos(1, &c);
  EXPECT_EQ(s, 0x1.aed548p-1f);
  EXPECT_EQ(c, 0x1.14a28p-1f);
}

TEST(VectorCalls, TakeScalarsAndWorkByComponent) {
  alignas(16) const float v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(16) float out[36];
  shim_vector_calls(v, out);
  const std::vector<float> got(out, out + 36);
  const std::vector<float> expected = {2,        2,    3,        4,   // max
                                       2,        2,    3,        3,   // clamp
                                       3,        4,    5,        6,   // mix
                                       5,        6,    3,        4,   // select
                                       0.15625f, 0.5f, 0.84375f, 1,   // smoothstep
                                       1,        1,    0,        70,  // any, all, isnan, dot
                                       3 * 0.2f, 0,    4 * 0.2f, 0,   // normalize
                                       -4,       8,    -4,       5,   // cross, length
                                       1,        1,    8,        30}; // reflect, distance
  EXPECT_EQ(got, expected);
}
TEST(VectorCalls, IntegerVectors) {
  alignas(16) const int32_t v[4] = {-5, 0, 3, INT_MIN};
  alignas(16) int32_t out[20];
  shim_integer_vectors(v, out);
  EXPECT_EQ(std::vector<int32_t>(out, out + 20),
            (std::vector<int32_t>{2, 2,       3,  2, -1, 0, 1,           -1,      5,       0,
                                  3, INT_MIN, 31, 0, 2,  1, INT_MAX - 5, INT_MAX, INT_MAX, -1}));
}

TEST(Pack, BytesAndShortsFromLowToHigh) {
  alignas(16) float out[12];
  shim_unpack(0xff80017f, out);
  EXPECT_EQ(out[0], 127.0f / 255);
  EXPECT_EQ(out[1], 1.0f / 255);
  EXPECT_EQ(out[3], 1.0f);
  EXPECT_EQ(out[4], 1.0f);
  EXPECT_EQ(out[6], -1.0f) << "-128 is -1 too";
  EXPECT_EQ(out[7], -1.0f / 127);
  EXPECT_EQ(out[8], 0x017f / 65535.0f);
  EXPECT_EQ(out[11], int16_t(0xff80) / 32767.0f);
  alignas(16) const float v[4] = {0, 1, 0.5f, 2};
  EXPECT_EQ(shim_pack_unorm4x8(v), 0xff80ff00u) << "127.5 ties to 128";
  alignas(16) const float w[4] = {-1, 1, -2, 0.25f};
  EXPECT_EQ(shim_pack_snorm4x8(w), 0x20817f81u) << "31.75 rounds to 32";
  EXPECT_EQ(shim_pack_snorm2x16(w), 0x7fff8001u);
}

} // namespace
