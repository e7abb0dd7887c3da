// The functions of <math.h> on vectors against long double, and Apple's further functions at exact points.
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <simd/simd.h>
#include <string>

namespace {

/// The distance of a value from an exact one, in units of the last place of the type there.
template <class T> long double ulps(T value, long double exact) {
  const bool half = sizeof(T) == 2;
  const int digits = half ? 11 : std::numeric_limits<T>::digits;
  const int least = half ? -24 : std::numeric_limits<T>::min_exponent - digits;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs((value - exact) / std::ldexp(1.0L, std::max(exponent - digits, least)));
}

// Where the functions are defined: above 1, below 1 in size, and any.
const double kAbove[] = {1.0625, 1.5, 2.75, 9.125}, kWithin[] = {-0.9375, -0.5, 0.0625, 0.75},
             kAny[] = {-3.5, -0.625, 0.5, 4.25};

// glibc's worst error is some ulps (tgamma), and each lane is glibc's: a wrong function is off by millions.
constexpr long double kMost = 6;
#define EXPECT_LIKE_LONG_DOUBLE(f, points)                                                                   \
  for (int i = 0; i < 4; ++i) {                                                                              \
    const double x = points[i], y = points[(i + 1) % 4];                                                     \
    EXPECT_LT(ulps(simd::f(simd_double3{x, x, y}).z, std::f((long double)y)), kMost) << #f << y;             \
    EXPECT_LT(ulps(simd::f(simd_float8(x))[7], std::f((long double)x)), kMost) << #f << x;                   \
    EXPECT_LT(ulps(simd::f(simd_half2{(_Float16)x, 1}).x, std::f((long double)x)), 1) << #f << x;            \
    EXPECT_EQ(simd::f(x), simd::f(simd_double2{x, 1}).x);                                                    \
  }

TEST(SimdMath, FunctionsOfOneArgumentAreTheElements){
    EXPECT_LIKE_LONG_DOUBLE(acos, kWithin) EXPECT_LIKE_LONG_DOUBLE(asin, kWithin)
        EXPECT_LIKE_LONG_DOUBLE(atan, kAny) EXPECT_LIKE_LONG_DOUBLE(cos, kAny) EXPECT_LIKE_LONG_DOUBLE(sin,
                                                                                                       kAny)
            EXPECT_LIKE_LONG_DOUBLE(tan, kAny) EXPECT_LIKE_LONG_DOUBLE(acosh, kAbove) EXPECT_LIKE_LONG_DOUBLE(
                asinh, kAny) EXPECT_LIKE_LONG_DOUBLE(atanh, kWithin) EXPECT_LIKE_LONG_DOUBLE(cosh, kAny)
                EXPECT_LIKE_LONG_DOUBLE(sinh, kAny) EXPECT_LIKE_LONG_DOUBLE(tanh, kAny)
                    EXPECT_LIKE_LONG_DOUBLE(exp, kAny) EXPECT_LIKE_LONG_DOUBLE(exp2, kAny)
                        EXPECT_LIKE_LONG_DOUBLE(expm1, kAny) EXPECT_LIKE_LONG_DOUBLE(log, kAbove)
                            EXPECT_LIKE_LONG_DOUBLE(log2, kAbove) EXPECT_LIKE_LONG_DOUBLE(log10, kAbove)
                                EXPECT_LIKE_LONG_DOUBLE(log1p, kWithin) EXPECT_LIKE_LONG_DOUBLE(fabs, kAny)
                                    EXPECT_LIKE_LONG_DOUBLE(cbrt, kAny) EXPECT_LIKE_LONG_DOUBLE(sqrt, kAbove)
                                        EXPECT_LIKE_LONG_DOUBLE(erf, kAny) EXPECT_LIKE_LONG_DOUBLE(erfc, kAny)
                                            EXPECT_LIKE_LONG_DOUBLE(tgamma, kAbove)
                                                EXPECT_LIKE_LONG_DOUBLE(lgamma, kAbove)
                                                    EXPECT_LIKE_LONG_DOUBLE(ceil, kAny)
                                                        EXPECT_LIKE_LONG_DOUBLE(floor, kAny)
                                                            EXPECT_LIKE_LONG_DOUBLE(rint, kAny)
                                                                EXPECT_LIKE_LONG_DOUBLE(round, kAny)
                                                                    EXPECT_LIKE_LONG_DOUBLE(trunc, kAny)}

TEST(SimdMath, FunctionsOfTwoAndThreeArgumentsKeepTheirOrder) {
  const simd_float2 x = {7, -0.75f}, y = {2, 3};
  const auto expect = [](simd_float2 value, double first, double second) {
    EXPECT_LT(ulps(value.x, first), 1);
    EXPECT_LT(ulps(value.y, second), 1);
  };
  expect(simd::pow(simd_float2{7, 2}, y), 49, 8);
  expect(simd::fmod(x, y), 1, -0.75);
  expect(simd::remainder(x, y), -1, -0.75); // 7 = 4 * 2 - 1, with the even multiple of two
  expect(simd::fdim(x, y), 5, 0);
  expect(simd::copysign(y, x), 2, -3);
  expect(simd::fmin(x, y), 2, -0.75);
  expect(simd::fmax(x, 1), 7, 1);
  expect(simd::hypot(simd_float2{3, 5}, simd_float2{4, 12}), 5, 13);
  expect(simd::atan2(x, y), std::atan2(7.0, 2), std::atan2(-0.75, 3));
  expect(simd::muladd(x, y, y), 16, 0.75);
  // a product that is rounded once: (1 + e)(1 - e) - 1 = -e^2
  expect(simd::fma((simd_float2)(1 + 0x1p-20f), (simd_float2)(1 - 0x1p-20f), (simd_float2)-1), -0x1p-40,
         -0x1p-40);
  EXPECT_EQ(simd::fma((simd_half2)(1 + 0x1p-10f16), (simd_half2)(1 - 0x1p-10f16), (simd_half2)-1).y,
            -0x1p-20f16);
}

TEST(SimdMath, NansAreLeftOutOfMinimaAndMaxima) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(simd_equal(simd::fmin(simd_double2{nan, 1}, simd_double2{2, nan}), (simd_double2){2, 1}));
  EXPECT_TRUE(simd_equal(simd::fmax(simd_double2{nan, 1}, simd_double2{2, nan}), (simd_double2){2, 1}));
}

TEST(SimdMath, MultiplesOfPiAreExact) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(simd_equal(simd::sinpi(simd_double4{0.5, 1, 1.5, 1e15 + 0.5}), (simd_double4){1, 0, -1, 1}));
  EXPECT_TRUE(simd_equal(simd::cospi(simd_double4{0.5, 1, -2, 1e15 + 0.5}), (simd_double4){0, -1, 1, 0}));
  EXPECT_TRUE(simd_equal(simd::tanpi(simd_double3{0.5, 1.5, 3}), (simd_double3){infinity, -infinity, 0}));
  EXPECT_FALSE(std::signbit(simd::cospi(0.5)));
  EXPECT_TRUE(std::signbit(simd::sinpi(-3.0)));
  EXPECT_TRUE(std::isnan(simd::sinpi(infinity)));
  EXPECT_TRUE(std::isnan(simd::cospi(simd_float2{NAN, 0}).x));
  const long double pi = std::acos(-1.0L);
  for (const double x : {0.1, -0.3, 0.7, 1.2, -1.9, 12.34}) {
    EXPECT_LT(ulps(simd::sinpi(x), std::sin(pi * (long double)x)), 2) << x;
    EXPECT_LT(ulps(simd::cospi((float)x), std::cos(pi * (long double)(float)x)), 1) << x;
    EXPECT_LT(ulps(simd::tanpi((simd_float2)(float)x).y, std::tan(pi * (long double)(float)x)), 1) << x;
  }
}

TEST(SimdMath, SeveralResultsAtOnceAreThoseOfTheFunctions) {
  simd_double8 sine, cosine; // of 64 bytes that are aligned to 16
  simd::sincos((simd_double8)0.625, &sine, &cosine);
  EXPECT_EQ(sine[7], std::sin(0.625));
  EXPECT_EQ(cosine[7], std::cos(0.625));
  float one, zero;
  simd::sincospi(0.5f, &one, &zero);
  EXPECT_EQ(one, 1);
  EXPECT_EQ(zero, 0);
  EXPECT_TRUE(simd_equal(simd::exp10(simd_float3{-1, 0, 3}), (simd_float3){0.1f, 1, 1000}));
}

} // namespace
