// Mathematical functions. The elementary ones against MPFR: every half, a sample of every float binade, special values, and what
// flush mode does to them. The proof for every float is bench/elementary_scan.cpp. source: MSL specification,
// section 6.5; IEEE 754-2019, section 9.2, for special values.
#include "clang_run.h"
#include "exact.h"
#include "scalar_functions.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <pmmintrin.h>
#include <vector>

#define ASSAY_ELEMENTARY(name, mpfr)                                                                         \
  extern "C" void shim_float_##name(const float *in, float *out, size_t n);                                  \
  extern "C" void shim_half_##name(const _Float16 *in, _Float16 *out, size_t n);
#include "elementary.def"
#undef ASSAY_ELEMENTARY
#define DECLARE_BINARY(name)                                                                                 \
  extern "C" void shim_float_##name(const float *x, const float *y, float *out, size_t n);                   \
  extern "C" void shim_half_##name(const _Float16 *x, const _Float16 *y, _Float16 *out, size_t n);
DECLARE_BINARY(pow)
DECLARE_BINARY(powr)
DECLARE_BINARY(atan2)
DECLARE_BINARY(fmod)
DECLARE_BINARY(nextafter)
DECLARE_BINARY(fdim)

using namespace assay::test;

namespace {

struct Function {
  const char *name;
  void (*floats)(const float *, float *, size_t);
  void (*halves)(const _Float16 *, _Float16 *, size_t);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
const Function kFunctions[] = {
#define ASSAY_ELEMENTARY(name, mpfr) {#name, shim_float_##name, shim_half_##name, mpfr},
#include "elementary.def"
#undef ASSAY_ELEMENTARY
};

/// The exact value of a function, rounded once to float or half.
class Judge {
public:
  Judge() { mpfr_inits2(200, x_, y_, static_cast<mpfr_ptr>(nullptr)); }
  ~Judge() { mpfr_clears(x_, y_, static_cast<mpfr_ptr>(nullptr)); }
  float toFloat(const Function &f, float x) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    f.exact(y_, x_, MPFR_RNDN);
    return mpfr_get_flt(y_, MPFR_RNDN);
  }
  _Float16 toHalf(const Function &f, _Float16 x) {
    mpfr_set_flt(x_, static_cast<float>(x), MPFR_RNDN);
    f.exact(y_, x_, MPFR_RNDN);
    return roundedToHalf();
  }
  template <class F> float toFloat(F exact, float x, float y) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    mpfr_set_flt(y_, y, MPFR_RNDN);
    exact(y_, x_, y_, MPFR_RNDN);
    return mpfr_get_flt(y_, MPFR_RNDN);
  }
  template <class F> _Float16 toHalf(F exact, float x, float y) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    mpfr_set_flt(y_, y, MPFR_RNDN);
    exact(y_, x_, y_, MPFR_RNDN);
    return roundedToHalf();
  }

private:
  // 200 bits, whose sticky bit survives 24 bits toward zero made odd, is 11 bits or a subnormal's fewer.
  _Float16 roundedToHalf() {
    if (!mpfr_regular_p(y_))
      return static_cast<_Float16>(mpfr_get_flt(y_, MPFR_RNDN));
    float toZero = mpfr_get_flt(y_, MPFR_RNDZ);
    if (mpfr_cmp_d(y_, toZero) != 0)
      toZero = std::bit_cast<float>(std::bit_cast<uint32_t>(toZero) | 1);
    return static_cast<_Float16>(toZero);
  }
  mpfr_t x_, y_;
};

bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

class Elementary : public ::testing::TestWithParam<Function> {};

TEST_P(Elementary, EveryHalfIsCorrectlyRounded) {
  Judge judge;
  std::vector<_Float16> in(65536), out(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    in[i] = std::bit_cast<_Float16>(static_cast<uint16_t>(i));
  GetParam().halves(in.data(), out.data(), in.size());
  int wrong = 0;
  for (uint32_t i = 0; i < 65536 && wrong < 10; ++i) {
    const _Float16 expected = judge.toHalf(GetParam(), in[i]);
    const bool good = same(static_cast<float>(out[i]), static_cast<float>(expected));
    EXPECT_TRUE(good) << float(in[i]) << ": " << float(out[i]) << " instead of " << float(expected);
    wrong += !good;
  }
}

// 64 floats of each of the 512 signed binades, and the edges of each.
TEST_P(Elementary, ASampleOfEveryBinadeIsCorrectlyRounded) {
  Judge judge;
  std::vector<float> in;
  uint64_t seed = 42;
  for (uint32_t binade = 0; binade < 512; ++binade) {
    for (uint32_t i = 0; i < 64; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      in.push_back(std::bit_cast<float>(binade << 23 | static_cast<uint32_t>(seed >> 41)));
    }
    for (uint32_t mantissa : {0u, 1u, 0x7fffffu, 0x400000u})
      in.push_back(std::bit_cast<float>(binade << 23 | mantissa));
  }
  std::vector<float> out(in.size());
  GetParam().floats(in.data(), out.data(), in.size());
  int wrong = 0;
  for (size_t i = 0; i < in.size() && wrong < 10; ++i) {
    const float expected = judge.toFloat(GetParam(), in[i]);
    const bool good = same(out[i], expected);
    EXPECT_TRUE(good) << std::hexfloat << in[i] << ": " << out[i] << " instead of " << expected;
    wrong += !good;
  }
}

// A float in flush mode behaves as a zero of its sign, and no result is subnormal.
TEST_P(Elementary, FlushModeTakesAndGivesNoSubnormal) {
  std::vector<float> in, flushed;
  for (uint32_t i = 0; i < 65536; ++i) {
    in.push_back(std::bit_cast<float>(i << 16 | (i * 40503u & 0xffff)));
    const float x = in.back();
    flushed.push_back(std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x);
  }
  std::vector<float> expected(in.size()), out(in.size());
  GetParam().floats(flushed.data(), expected.data(), in.size());
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  GetParam().floats(in.data(), out.data(), in.size());
  _mm_setcsr(saved);
  int wrong = 0;
  for (size_t i = 0; i < in.size() && wrong < 10; ++i) {
    const float e =
        std::fpclassify(expected[i]) == FP_SUBNORMAL ? std::copysign(0.0f, expected[i]) : expected[i];
    const bool good = same(out[i], e);
    EXPECT_TRUE(good) << std::hexfloat << in[i] << ": " << out[i] << " instead of " << e;
    wrong += !good;
  }
}

// Subnormal halves stay what they are in flush mode.
TEST_P(Elementary, FlushModeLeavesHalvesAlone) {
  std::vector<_Float16> in(65536), expected(65536), out(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    in[i] = std::bit_cast<_Float16>(static_cast<uint16_t>(i));
  GetParam().halves(in.data(), expected.data(), in.size());
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  GetParam().halves(in.data(), out.data(), in.size());
  _mm_setcsr(saved);
  for (uint32_t i = 0; i < 65536; ++i)
    ASSERT_TRUE(same(static_cast<float>(out[i]), static_cast<float>(expected[i]))) << i;
}

INSTANTIATE_TEST_SUITE_P(All, Elementary, ::testing::ValuesIn(kFunctions),
                         [](const auto &function) { return std::string(function.param.name); });

template <class F> float at(F f, float x) {
  float out;
  f(&x, &out, 1);
  return out;
}
template <class F> float at2(F f, float x, float y) {
  float out;
  f(&x, &y, &out, 1);
  return out;
}

// source: the M rows of the numerics table: measured on hardware.
TEST(ElementarySpecialValues, ExpOfEitherZeroIsOne) {
  EXPECT_EQ(at(shim_float_exp, 0.0f), 1.0f);
  EXPECT_EQ(at(shim_float_exp, -0.0f), 1.0f);
}
// The arguments whose exact values lie nearest to the middle of two floats.
TEST(ElementarySpecialValues, HardCasesFoundByTheScan) {
  Judge judge;
  const auto check = [&](const char *name, std::initializer_list<float> arguments) {
    for (const Function &f : kFunctions) {
      if (std::string(f.name) != name)
        continue;
      for (float x : arguments)
        EXPECT_EQ(at(f.floats, x), judge.toFloat(f, x)) << name << ' ' << std::hexfloat << x;
    }
  };
  check("exp2", {0x1.853a6ep-9f, -0x1.e7526ep-6f});
  check("log", {0x1.b121a6p+76f, 0x1.827a74p-7f, 0x1.2f1fd6p+3f, 0x1.bacb4ap+25f, 0x1.6351d8p+95f});
  check("log10", {0x1.fddcf4p-98f});
  check("sin", {0x1.33333p+13f, -0x1.33333p+13f});
  check("acos", {0x1.110b46p-26f, 0x1.04c444p-12f});
  check("atan", {0x1.1ad646p-4f});
  check("sinh", {0x1.250bfep-11f});
  check("asinh", {0x1.b121a6p+75f, 0x1.bacb4ap+24f, 0x1.6351d8p+94f});
  check("acosh", {0x1.b121a6p+75f, 0x1.6351d8p+94f});
  check("atanh", {0x1.713744p-12f});
  check("cos", {0x1.3170fp+63f, 0x1.2b9622p+67f});
}

const float kSpecial[] = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          2.0f,
                          -2.0f,
                          3.0f,
                          -3.0f,
                          0.5f,
                          -0.5f,
                          INFINITY,
                          -INFINITY,
                          NAN,
                          0x1p-149f,
                          -0x1p-149f,
                          0x1.fffffep127f,
                          -0x1.fffffep127f,
                          0x1p24f,
                          0x1.fffffep-1f,
                          1.5f,
                          -2.5f,
                          0x1p-126f};

template <class F>
void expectExact(const char *name, void (*f)(const float *, const float *, float *, size_t), F exact) {
  Judge judge;
  std::vector<std::pair<float, float>> pairs;
  for (float x : kSpecial)
    for (float y : kSpecial)
      pairs.emplace_back(x, y);
  uint64_t seed = 7;
  for (int i = 0; i < 200000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const float x = std::bit_cast<float>(static_cast<uint32_t>(seed >> 32));
    const float nearOne =
        std::bit_cast<float>(0x3f000000u + static_cast<uint32_t>(seed >> 24 & 0xffffff) * 2);
    const float y = std::bit_cast<float>(static_cast<uint32_t>(seed * 0x9e3779b97f4a7c15u >> 32));
    pairs.emplace_back(x, y);
    pairs.emplace_back(nearOne, std::fmod(y, 64.0f));
    pairs.emplace_back(nearOne * 4, float(int(seed >> 50 & 15) - 4));
  }
  int wrong = 0;
  for (auto [x, y] : pairs) {
    const float got = at2(f, x, y), expected = judge.toFloat(exact, x, y);
    const bool good = same(got, expected);
    EXPECT_TRUE(good) << name << std::hexfloat << '(' << x << ", " << y << "): " << got << " instead of "
                      << expected;
    if ((wrong += !good) > 10)
      return;
  }
}

TEST(Pow, IsCorrectlyRoundedAlsoAtTies) {
  expectExact("pow", shim_float_pow, mpfr_pow);
}
TEST(Pow, PowrIsForPositiveBases) {
  EXPECT_TRUE(std::isnan(at2(shim_float_powr, -1, 2)));
  EXPECT_TRUE(std::isnan(at2(shim_float_powr, 0, 0)));
  EXPECT_EQ(at2(shim_float_powr, 2, 0.5f), 0x1.6a09e6p0f);
  EXPECT_EQ(at2(shim_float_powr, 0, -2), INFINITY);
}
TEST(Atan2, IsCorrectlyRoundedInAllQuadrants) {
  expectExact("atan2", shim_float_atan2, mpfr_atan2);
}
TEST(Fmod, IsExact) {
  expectExact("fmod", shim_float_fmod, mpfr_fmod);
}

TEST(Nextafter, StepsOneUnit) {
  for (float x : kSpecial)
    for (float y : kSpecial) {
      EXPECT_TRUE(same(at2(shim_float_nextafter, x, y), std::nextafter(x, y)))
          << std::hexfloat << x << ' ' << y << ": " << at2(shim_float_nextafter, x, y);
      EXPECT_TRUE(same(at2(shim_float_fdim, x, y), std::fdim(x, y))) << x << ' ' << y;
    }
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
// source: MSL specification, section 6.5, after table 6.4: a NaN is missing data.
TEST(MinMax, AMedianLeavesNaNsOut) {
  for (int mask = 1; mask < 8; ++mask) {
    const float x = mask & 1 ? 1.0f : kNan, y = mask & 2 ? 2.0f : kNan, z = mask & 4 ? 3.0f : kNan;
    const float median = scalar_float_fmedian3(x, y, z);
    EXPECT_TRUE((mask & 1 && median == x) || (mask & 2 && median == y) || (mask & 4 && median == z)) << mask;
    if (mask == 7) {
      EXPECT_EQ(median, 2.0f);
    }
  }
  EXPECT_TRUE(std::isnan(scalar_float_fmedian3(kNan, kNan, kNan)));
}
TEST(MinMax, MedianIsTheMiddleOne) {
  EXPECT_EQ(scalar_float_fmedian3(3, 1, 2), 2.0f);
  EXPECT_EQ(scalar_float_fmedian3(1, 1, 9), 1.0f);
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

// x - floor(x) rounded to half, kept below 1.
TEST(Fract, OfEveryHalf) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const _Float16 x = std::bit_cast<_Float16>(static_cast<uint16_t>(i));
    const double wide = double(x);
    if (!std::isfinite(wide))
      continue;
    const float exact = float(_Float16(float(wide - std::floor(wide))));
    ASSERT_EQ(float(scalar_half_fract(x)), std::fmin(exact, 0x1.ffcp-1f)) << i;
  }
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

// Pairs of halves: all special values with each other, and 200000 others.
template <class F>
void expectExactHalves(const char *name, void (*f)(const _Float16 *, const _Float16 *, _Float16 *, size_t),
                       F exact) {
  Judge judge;
  std::vector<_Float16> x, y;
  for (float a : kSpecial)
    for (float b : kSpecial) {
      x.push_back(_Float16(a));
      y.push_back(_Float16(b));
    }
  uint64_t seed = 11;
  for (int i = 0; i < 200000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x.push_back(std::bit_cast<_Float16>(static_cast<uint16_t>(seed >> 48)));
    y.push_back(std::bit_cast<_Float16>(static_cast<uint16_t>(seed >> 32)));
  }
  std::vector<_Float16> out(x.size());
  f(x.data(), y.data(), out.data(), x.size());
  int wrong = 0;
  for (size_t i = 0; i < x.size() && wrong < 10; ++i) {
    const _Float16 expected = judge.toHalf(exact, float(x[i]), float(y[i]));
    const bool good = same(float(out[i]), float(expected));
    EXPECT_TRUE(good) << name << std::hexfloat << '(' << float(x[i]) << ", " << float(y[i])
                      << "): " << float(out[i]) << " instead of " << float(expected);
    wrong += !good;
  }
}
TEST(Halves, OfTwoArgumentsAreCorrectlyRounded) {
  expectExactHalves("pow", shim_half_pow, mpfr_pow);
  expectExactHalves("atan2", shim_half_atan2, mpfr_atan2);
  expectExactHalves("fmod", shim_half_fmod, mpfr_fmod);
  expectExactHalves("fdim", shim_half_fdim, mpfr_dim);
}

// An unsuffixed literal would be a float, a long double operation 80 bits wide: neither may creep in.
TEST(ElementarySource, IsComputedInDoubleAlone) {
  const auto run =
      assay::test::runClang("-O1 -S -emit-llvm -o - " ASSAY_SHIM_TESTS "/elementary_functions.cpp");
  ASSERT_EQ(run.status, 0) << run.text;
  EXPECT_THAT(run.text, ::testing::Not(::testing::HasSubstr("x86_fp80")));
  EXPECT_THAT(run.text, ::testing::Not(::testing::HasSubstr("llvm.fmuladd")))
      << "nothing left to the profile";
  EXPECT_THAT(run.text, ::testing::Not(::testing::HasSubstr("llvm.sin"))) << "no libm";
}

TEST(MathHeader, DeclaresEveryFunctionForHalfAndFloatAndTheirVectors) {
  expectSignatures("metal_math", {
                                     {kFloats,
                                      "T",
                                      {"acos(x)",
                                       "acosh(x)",
                                       "asin(x)",
                                       "asinh(x)",
                                       "atan(x)",
                                       "atanh(x)",
                                       "ceil(x)",
                                       "cos(x)",
                                       "cosh(x)",
                                       "cospi(x)",
                                       "exp(x)",
                                       "exp2(x)",
                                       "exp10(x)",
                                       "fabs(x)",
                                       "abs(x)",
                                       "floor(x)",
                                       "fract(x)",
                                       "log(x)",
                                       "log2(x)",
                                       "log10(x)",
                                       "rint(x)",
                                       "round(x)",
                                       "rsqrt(x)",
                                       "sin(x)",
                                       "sinh(x)",
                                       "sinpi(x)",
                                       "sqrt(x)",
                                       "tan(x)",
                                       "tanh(x)",
                                       "tanpi(x)",
                                       "trunc(x)",
                                       "atan2(x, y)",
                                       "copysign(x, y)",
                                       "divide(x, y)",
                                       "fdim(x, y)",
                                       "fmax(x, y)",
                                       "max(x, y)",
                                       "fmin(x, y)",
                                       "min(x, y)",
                                       "fmod(x, y)",
                                       "pow(x, y)",
                                       "powr(x, y)",
                                       "nextafter(x, y)",
                                       "fma(x, y, z)",
                                       "fmax3(x, y, z)",
                                       "max3(x, y, z)",
                                       "fmedian3(x, y, z)",
                                       "median3(x, y, z)",
                                       "fmin3(x, y, z)",
                                       "min3(x, y, z)",
                                       "frexp(x, lvalue<Like<int, T>>())",
                                       "ldexp(x, Like<int, T>(1))",
                                       "modf(x, y)",
                                       "sincos(x, y)"}},
                                     {kFloats, "Like<int, T>", {"ilogb(x)"}},
                                 });
}

TEST(MathHeader, HasPreciseAndFastForms) {
  expectSignatures("metal_math", {
                                     {kFloatOnly,
                                      "T",
                                      {"precise::acos(x)",
                                       "precise::acosh(x)",
                                       "precise::asin(x)",
                                       "precise::asinh(x)",
                                       "precise::atan(x)",
                                       "precise::atanh(x)",
                                       "precise::ceil(x)",
                                       "precise::cos(x)",
                                       "precise::cosh(x)",
                                       "precise::cospi(x)",
                                       "precise::exp(x)",
                                       "precise::exp2(x)",
                                       "precise::exp10(x)",
                                       "precise::fabs(x)",
                                       "precise::abs(x)",
                                       "precise::floor(x)",
                                       "precise::fract(x)",
                                       "precise::log(x)",
                                       "precise::log2(x)",
                                       "precise::log10(x)",
                                       "precise::rint(x)",
                                       "precise::round(x)",
                                       "precise::rsqrt(x)",
                                       "precise::sin(x)",
                                       "precise::sinh(x)",
                                       "precise::sinpi(x)",
                                       "precise::sqrt(x)",
                                       "precise::tan(x)",
                                       "precise::tanh(x)",
                                       "precise::tanpi(x)",
                                       "precise::trunc(x)",
                                       "precise::atan2(x, y)",
                                       "precise::copysign(x, y)",
                                       "precise::divide(x, y)",
                                       "precise::fdim(x, y)",
                                       "precise::fmax(x, y)",
                                       "precise::max(x, y)",
                                       "precise::fmin(x, y)",
                                       "precise::min(x, y)",
                                       "precise::fmod(x, y)",
                                       "precise::pow(x, y)",
                                       "precise::powr(x, y)",
                                       "precise::nextafter(x, y)",
                                       "precise::fma(x, y, z)",
                                       "precise::fmax3(x, y, z)",
                                       "precise::max3(x, y, z)",
                                       "precise::fmedian3(x, y, z)",
                                       "precise::median3(x, y, z)",
                                       "precise::fmin3(x, y, z)",
                                       "precise::min3(x, y, z)",
                                       "precise::frexp(x, lvalue<Like<int, T>>())",
                                       "precise::ldexp(x, Like<int, T>(1))",
                                       "precise::modf(x, y)",
                                       "precise::sincos(x, y)",
                                       "fast::acos(x)",
                                       "fast::acosh(x)",
                                       "fast::asin(x)",
                                       "fast::asinh(x)",
                                       "fast::atan(x)",
                                       "fast::atanh(x)",
                                       "fast::ceil(x)",
                                       "fast::cos(x)",
                                       "fast::cosh(x)",
                                       "fast::cospi(x)",
                                       "fast::exp(x)",
                                       "fast::exp2(x)",
                                       "fast::exp10(x)",
                                       "fast::fabs(x)",
                                       "fast::abs(x)",
                                       "fast::floor(x)",
                                       "fast::fract(x)",
                                       "fast::log(x)",
                                       "fast::log2(x)",
                                       "fast::log10(x)",
                                       "fast::rint(x)",
                                       "fast::round(x)",
                                       "fast::rsqrt(x)",
                                       "fast::sin(x)",
                                       "fast::sinh(x)",
                                       "fast::sinpi(x)",
                                       "fast::sqrt(x)",
                                       "fast::tan(x)",
                                       "fast::tanh(x)",
                                       "fast::tanpi(x)",
                                       "fast::trunc(x)",
                                       "fast::atan2(x, y)",
                                       "fast::copysign(x, y)",
                                       "fast::divide(x, y)",
                                       "fast::fdim(x, y)",
                                       "fast::fmax(x, y)",
                                       "fast::max(x, y)",
                                       "fast::fmin(x, y)",
                                       "fast::min(x, y)",
                                       "fast::fmod(x, y)",
                                       "fast::pow(x, y)",
                                       "fast::powr(x, y)",
                                       "fast::nextafter(x, y)",
                                       "fast::fma(x, y, z)",
                                       "fast::fmax3(x, y, z)",
                                       "fast::max3(x, y, z)",
                                       "fast::fmedian3(x, y, z)",
                                       "fast::median3(x, y, z)",
                                       "fast::fmin3(x, y, z)",
                                       "fast::min3(x, y, z)",
                                       "fast::frexp(x, lvalue<Like<int, T>>())",
                                       "fast::ldexp(x, Like<int, T>(1))",
                                       "fast::modf(x, y)",
                                       "fast::sincos(x, y)"}},
                                 });
}

TEST(MathHeader, TakesScalarsAsVectors) {
  expectSignatures("metal_math",
                   {
                       {kFloatVectors,
                        "T",
                        {"max(x, 1)", "fmin(Scalar<T>(1), x)", "pow(x, 2)", "fma(x, 2, y)", "ldexp(x, 1)"}},
                   });
}

// source: tables 6.5 to 6.7.
TEST(MathHeader, HasConstantsOfEachType) {
  expectSignatures(
      "metal_math",
      {
          {kOnce, "float", {"M_E_F",        "M_LOG2E_F", "M_LOG10E_F",  "M_LN2_F",  "M_LN10_F",
                            "M_PI_F",       "M_PI_2_F",  "M_PI_4_F",    "M_1_PI_F", "M_2_PI_F",
                            "M_2_SQRTPI_F", "M_SQRT2_F", "M_SQRT1_2_F", "MAXFLOAT", "HUGE_VALF",
                            "INFINITY",     "NAN",       "FLT_MAX",     "FLT_MIN",  "FLT_EPSILON"}},
          {kOnce,
           "half",
           {"M_E_H", "M_LOG2E_H", "M_LOG10E_H", "M_LN2_H", "M_LN10_H", "M_PI_H", "M_PI_2_H", "M_PI_4_H",
            "M_1_PI_H", "M_2_PI_H", "M_2_SQRTPI_H", "M_SQRT2_H", "M_SQRT1_2_H", "MAXHALF", "HUGE_VALH",
            "HALF_MAX", "HALF_MIN", "HALF_EPSILON"}},
          {kOnce,
           "bfloat",
           {"M_E_BF", "M_LOG2E_BF", "M_LOG10E_BF", "M_LN2_BF", "M_LN10_BF", "M_PI_BF", "M_PI_2_BF",
            "M_PI_4_BF", "M_1_PI_BF", "M_2_PI_BF", "M_2_SQRTPI_BF", "M_SQRT2_BF", "M_SQRT1_2_BF", "MAXBFLOAT",
            "HUGE_VALBF", "BFLT_MAX", "BFLT_MIN", "BFLT_EPSILON"}},
          {kOnce, "int", {"FLT_DIG + 0", "FP_ILOGB0 + 0", "FP_ILOGBNAN + 0"}},
      });
}

// source: tables 8.4 and 8.5: bfloat has arithmetic and no functions; an argument becomes a float.
TEST(MathHeader, ComputesBfloatsAsFloats) {
  expectSignatures("metal_math", {
                                     {kOnce,
                                      "float",
                                      {"exp(bfloat())", "sqrt(bfloat())", "fabs(bfloat())", "tanh(bfloat())",
                                       "fma(bfloat(), bfloat(), bfloat())", "max(bfloat(), 1.0f)"}},
                                 });
}

} // namespace
