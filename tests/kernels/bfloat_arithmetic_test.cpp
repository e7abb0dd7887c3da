// bfloat arithmetic through the whole engine: correctly rounded for every argument of one,
// and for pairs of all kinds.
// source: MSL specification, tables 8.4 and 8.5 (+ - * / are all that bfloat has); IEEE 754-2019.
// MPFR judges.
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace assay {
namespace {

using testing_support::KernelRun;

constexpr const char *kSource = R"(#include <metal_stdlib>
kernel void unary(device const bfloat *x [[buffer(0)]], device bfloat *reciprocal [[buffer(1)]],
                  device bfloat *negated [[buffer(2)]], device half *halves [[buffer(3)]],
                  device float *floats [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  reciprocal[i] = bfloat(1) / x[i];
  negated[i] = -x[i];
  halves[i] = half(x[i]);
  floats[i] = x[i];
}
kernel void binary(device const bfloat *x [[buffer(0)]], device const bfloat *y [[buffer(1)]],
                   device bfloat *sum [[buffer(2)]], device bfloat *difference [[buffer(3)]],
                   device bfloat *product [[buffer(4)]], device bfloat *quotient [[buffer(5)]],
                   uint i [[thread_position_in_grid]]) {
  sum[i] = x[i] + y[i];
  difference[i] = x[i] - y[i];
  product[i] = x[i] * y[i];
  quotient[i] = x[i] / y[i];
}
)";

/// The source above as a file, for as long as it lives.
class SourceFile {
public:
  SourceFile() : path_("/tmp/assay_bfloat_" + std::to_string(getpid()) + ".metal") {
    std::ofstream(path_) << kSource;
  }
  ~SourceFile() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

float wide(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
bool isNan(uint16_t bits) {
  return (bits & 0x7fff) > 0x7f80;
}

typedef int (*Operation)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// The operation in 8 bits and bfloat's exponents, subnormals included.
class Judge {
public:
  Judge() {
    mpfr_set_emin(-132); // 2^-133 is the least, and MPFR's exponent is one more
    mpfr_set_emax(128);
    mpfr_init2(x_, 8), mpfr_init2(y_, 8), mpfr_init2(r_, 8);
  }
  ~Judge() { mpfr_clears(x_, y_, r_, static_cast<mpfr_ptr>(nullptr)); }
  uint16_t operator()(Operation operation, uint16_t x, uint16_t y) {
    mpfr_set_flt(x_, wide(x), MPFR_RNDN);
    mpfr_set_flt(y_, wide(y), MPFR_RNDN);
    const int inexact = operation(r_, x_, y_, MPFR_RNDN);
    mpfr_subnormalize(r_, inexact, MPFR_RNDN);
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(mpfr_get_flt(r_, MPFR_RNDN)) >> 16);
  }

private:
  mpfr_t x_, y_, r_;
};

/// A subnormal as the zero of its sign.
uint16_t flushed(uint16_t bits) {
  return (bits & 0x7f80) ? bits : static_cast<uint16_t>(bits & 0x8000);
}

/// Under a profile that flushes, operands and results do. A result that only rounding lifts to the least
/// normal number may be either: whether that is tiny nobody has published for bfloat.
void expectSame(const char *name, Operation operation, bool flush, const std::vector<uint16_t> &x,
                const std::vector<uint16_t> &y, const std::vector<uint16_t> &got) {
  Judge judge;
  int wrong = 0;
  for (size_t i = 0; i < x.size() && wrong < 10; ++i) {
    uint16_t expected =
        flush ? flushed(judge(operation, flushed(x[i]), flushed(y[i]))) : judge(operation, x[i], y[i]);
    const bool least = flush && (expected & 0x7fff) == 0x0080 && (got[i] & 0x7fff) == 0;
    const bool good = got[i] == expected || least || (isNan(got[i]) && isNan(expected));
    EXPECT_TRUE(good) << name << std::hex << ' ' << x[i] << ' ' << y[i] << ": " << got[i] << " instead of "
                      << expected;
    wrong += !good;
  }
}

std::vector<uint16_t> everyBfloat() {
  std::vector<uint16_t> all(65536);
  for (uint32_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<uint16_t>(i);
  return all;
}

TEST(BfloatArithmetic, OfOneArgumentIsRightForEveryBfloat) {
  const SourceFile source;
  const std::vector<uint16_t> x = everyBfloat();
  KernelRun run(source.path(), "unary");
  run.numerics(kIeeeNumerics).input(0, x).output<uint16_t>(1, x.size()).output<uint16_t>(2, x.size());
  run.output<uint16_t>(3, x.size()).output<float>(4, x.size());
  ASSERT_TRUE(run.dispatchThreads({x.size()}, {256}));
  expectSame("1 /", mpfr_div, false, std::vector<uint16_t>(x.size(), 0x3f80), x, run.read<uint16_t>(1));
  const auto negated = run.read<uint16_t>(2), halves = run.read<uint16_t>(3);
  const auto floats = run.read<float>(4);
  for (size_t i = 0; i < x.size(); ++i) {
    if (isNan(x[i]))
      continue;
    ASSERT_EQ(negated[i], x[i] ^ 0x8000) << i;
    ASSERT_EQ(std::bit_cast<uint32_t>(floats[i]), uint32_t(x[i]) << 16) << i;
    ASSERT_EQ(halves[i], std::bit_cast<uint16_t>(static_cast<_Float16>(wide(x[i])))) << i;
  }
}

// Every exponent with every other, signs and significands at random; then all the special values.
TEST(BfloatArithmetic, OfPairsIsCorrectlyRoundedUnderBothProfiles) {
  const SourceFile source;
  std::vector<uint16_t> x, y;
  uint64_t seed = 5;
  for (uint32_t a = 0; a < 256; ++a)
    for (uint32_t b = 0; b < 256; ++b)
      for (int repeat = 0; repeat < 2; ++repeat) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x.push_back(static_cast<uint16_t>(a << 7 | (seed >> 60 & 1) << 15 | (seed >> 50 & 127)));
        y.push_back(static_cast<uint16_t>(b << 7 | (seed >> 40 & 1) << 15 | (seed >> 30 & 127)));
      }
  const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80,
                              0xbf80, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0};
  for (const uint16_t a : special)
    for (const uint16_t b : special)
      x.push_back(a), y.push_back(b);
  for (const bool flush : {false, true}) {
    KernelRun run(source.path(), "binary");
    run.numerics(flush ? kAppleNumerics : kIeeeNumerics).input(0, x).input(1, y);
    for (uint32_t slot = 2; slot < 6; ++slot)
      run.output<uint16_t>(slot, x.size());
    ASSERT_TRUE(run.dispatchThreads({x.size()}, {256}));
    expectSame("+", mpfr_add, flush, x, y, run.read<uint16_t>(2));
    expectSame("-", mpfr_sub, flush, x, y, run.read<uint16_t>(3));
    expectSame("*", mpfr_mul, flush, x, y, run.read<uint16_t>(4));
    expectSame("/", mpfr_div, flush, x, y, run.read<uint16_t>(5));
  }
}

} // namespace
} // namespace assay
