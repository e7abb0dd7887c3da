// The elementary functions against MPFR: every half, a sample of every float binade, special values, and what
// flush mode does to them. The proof for every float is bench/elementary_scan.cpp. source: MSL specification,
// section 6.5; IEEE 754-2019, section 9.2, for special values.
#include "clang_run.h"
#include "exact.h"

#include <gmock/gmock.h>

#include <bit>
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

} // namespace
