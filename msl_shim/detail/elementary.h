// The elementary functions, in double precision, for metal_math to round once to float or half.
//
// Problem.  Bits must be those of a correctly rounded function, the same on every x86-64, and owe nothing to
//           a libm. Kernels run with FTZ and DAZ set, which a float version would have to work around.
// Choice.   Plain double arithmetic: reduction by explicit fma, one polynomial, and the last addition of a
//           large and a small part. The error before the final rounding is near 2^-54 of the value, so a
//           float comes out wrongly rounded only if the exact value lies that close to the middle between two
//           floats. Where the last sum falls just on that middle, its lost part decides (decided).
//           bench/elementary_scan.cpp asks MPFR about every float: none of the functions of one argument is
//           wrong anywhere. Of pow and atan2 only samples were asked (and ties of pow are exact): from the
//           error of their double, about one result in 2^28 should be wrong. No function yields a subnormal
//           double, so FTZ and DAZ act exactly twice: on the float that comes in and on the float that goes
//           out. Code is straight-line, without tables, save for huge arguments of sin and cos.
// Rejected. float arithmetic (not correctly rounded); tables (gathers do not vectorise); calls of libm.
//
// Polynomials interpolate at Chebyshev nodes, computed to 400 bits and rounded. Each is followed by its
// error. Nothing here may be contracted or reassociated: what is one rounding is written as fma.
#pragma once
#pragma clang system_header
#pragma float_control(push)
#pragma STDC FP_CONTRACT OFF

namespace metal {
namespace __assay {

// Constants and coefficients are long double literals: an unsuffixed one is a float in Metal, and a negated
// one stays it. Short: with so many trailing zeros that a product by an exponent is exact; the Rest follows.
// Low: the next double.
inline constexpr double kLog2E = 0x1.71547652b82fep+0L;
inline constexpr double kLog2ELow = 0x1.777d0ffda0d24p-56L;
inline constexpr double kLn2Short = 0x1.62e42fefa3800p-1L;
inline constexpr double kLn2Rest = 0x1.ef35793c76730p-45L;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1L;
inline constexpr double kLn2Low = 0x1.abc9e3b39803fp-56L;
inline constexpr double kLog2Of10 = 0x1.a934f0979a371p+1L;
inline constexpr double kLog2Of10Low = 0x1.7f2495fb7fa6dp-53L;
inline constexpr double kLog10Of2Short = 0x1.34413509f6000p-2L;
inline constexpr double kLog10Of2Rest = 0x1.9fef311f12b36p-42L;
inline constexpr double kLog10E = 0x1.bcb7b1526e50ep-2L;
inline constexpr double kLog10ELow = 0x1.95355baaafad3p-57L;
inline constexpr double kPi = 0x1.921fb54442d18p+1L;
inline constexpr double kPiLow = 0x1.1a62633145c07p-53L;
inline constexpr double kHalfPi = 0x1.921fb54442d18p+0L;
inline constexpr double kHalfPiLow = 0x1.1a62633145c07p-54L;
inline constexpr double kHalfPiLowest = -0x1.f1976b7ed8fbcp-110L;
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1L;
inline constexpr double kQuarterPi = 0x1.921fb54442d18p-1L;
inline constexpr double kQuarterPiLow = 0x1.1a62633145c07p-55L;
inline constexpr double kAtanHalf = 0x1.dac670561bb4fp-2L;
inline constexpr double kAtanHalfLow = 0x1.a2b7f222f65e2p-56L;

/// An unevaluated sum: |lo| is at most about an ulp of hi.
struct Pair {
  double hi, lo;
};

METAL_FUNC double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
METAL_FUNC long bitsOf(double x) {
  return __builtin_bit_cast(long, x);
}
METAL_FUNC double fromBits(long bits) {
  return __builtin_bit_cast(double, bits);
}
METAL_FUNC double magnitude(double x) {
  return __builtin_fabs(x);
}
METAL_FUNC double withSign(double x, double sign) {
  return __builtin_copysign(x, sign);
}
METAL_FUNC double notANumber() {
  return __builtin_nan("");
}
METAL_FUNC double infinite() {
  return __builtin_inf();
}
/// NaN stays NaN.
METAL_FUNC double atMost(double x, double limit) {
  return x > limit ? limit : x;
}
METAL_FUNC double atLeast(double x, double limit) {
  return x < limit ? limit : x;
}

/// a + b exactly, for |a| >= |b| or a = 0.
METAL_FUNC Pair sum(double a, double b) {
  const double hi = a + b;
  return {hi, b - (hi - a)};
}

/// The sum of a pair for rounding to float: where hi is just the middle between two floats, lo decides.
METAL_FUNC double decided(Pair p) {
  const long bits = bitsOf(p.hi);
  const long step = p.lo == 0.0 ? 0 : (p.lo < 0.0) == (p.hi < 0.0) ? 1 : -1;
  return fromBits((bits & 0x1fffffff) == 0x10000000 ? bits + step : bits);
}

/// 2^k for a whole k with |k| < 1000.
METAL_FUNC double power2(int k) {
  return fromBits((k + 1023L) << 52);
}

/// The whole number nearest to x, |x| < 2^31, twice: as a double and as an integer. Anything for a NaN.
struct Whole {
  double value;
  int number;
};
METAL_FUNC Whole nearest(double x) {
  const double kShift = 0x1.8p52L;
  const double shifted = x + kShift;
  return {shifted - kShift, static_cast<int>(bitsOf(shifted))};
}

/// A double to half with one rounding: the float in between keeps the lost bits as a sticky last bit.
METAL_FUNC half roundToHalf(double x) {
  const long bits = bitsOf(x), lost = 0x1fffffff;
  const long odd = (bits & ~lost) | ((bits & lost) != 0 ? lost + 1 : 0);
  return static_cast<half>(static_cast<float>(fromBits(odd)));
}

// exp(r) - 1 = r + r^2 q(r) for |r| <= ln2 / 2, relative error of exp 2^-61.
METAL_FUNC double expTail(double r) {
  const double r2 = r * r;
  double even = fma(r2, 0x1.1f7340dbc337ep-29L, 0x1.27e4db46cddd1p-22L);
  double odd = fma(r2, 0x1.af4e554377204p-26L, 0x1.71de01fdbf9cap-19L);
  even = fma(r2, even, 0x1.a01a01a6e1e2ap-16L);
  odd = fma(r2, odd, 0x1.a01a01abf85abp-13L);
  even = fma(r2, even, 0x1.6c16c16c162c3p-10L);
  odd = fma(r2, odd, 0x1.11111111100bep-7L);
  even = fma(r2, even, 0x1.5555555555556p-5L);
  odd = fma(r2, odd, 0x1.5555555555557p-3L);
  even = fma(r2, even, 0.5);
  return r2 * fma(r, odd, even);
}

struct Exponential {
  double tail;
  int exponent;
};
/// exp(x) = 2^exponent (1 + tail), |x| <= 300.
METAL_FUNC Exponential reducedExp(double x) {
  const Whole k = nearest(x * kLog2E);
  const double high = fma(-k.value, kLn2Short, x);
  const double r = fma(-k.value, kLn2Rest, high);
  return {r + expTail(r), k.number};
}
METAL_FUNC double exp(double x) {
  const Exponential e = reducedExp(atMost(atLeast(x, -200.0), 200.0));
  return (1.0 + e.tail) * power2(e.exponent);
}
METAL_FUNC double expm1(double x) {
  const Exponential e = reducedExp(atMost(atLeast(x, -200.0), 200.0));
  const double scale = power2(e.exponent);
  return fma(scale, e.tail, scale - 1.0);
}

/// 2^(r + lo) * 2^exponent, |r| <= 1/2; the polynomial has relative error 2^-58.
METAL_FUNC double power2(double r, double lo, int exponent) {
  const double r2 = r * r;
  double even = fma(r2, 0x1.c48fe24edfb5ap-36L, 0x1.e4cf1c9aa5b15p-28L);
  double odd = fma(r2, 0x1.e9d48637d76acp-32L, 0x1.b524faa21725ep-24L);
  even = fma(r2, even, 0x1.62c0224024720p-20L);
  odd = fma(r2, odd, 0x1.ffcbfc6724283p-17L);
  even = fma(r2, even, 0x1.430912f86bf41p-13L);
  odd = fma(r2, odd, 0x1.5d87fe78a524bp-10L);
  even = fma(r2, even, 0x1.3b2ab6fba4e78p-7L);
  odd = fma(r2, odd, 0x1.c6b08d704a0c2p-5L);
  even = fma(r2, even, 0x1.ebfbdff82c58fp-3L);
  const double small = fma(lo, kLn2, fma(r, kLn2Low, r2 * fma(r, odd, even)));
  return decided(sum(1.0, fma(r, kLn2, small))) * power2(exponent);
}
METAL_FUNC double exp2(double x) {
  x = atMost(atLeast(x, -300.0), 300.0);
  const Whole k = nearest(x);
  return power2(x - k.value, 0.0, k.number);
}
METAL_FUNC double exp10(double x) {
  x = atMost(atLeast(x, -90.0), 90.0);
  const Whole k = nearest(x * kLog2Of10);
  // r = x - k log10(2), then r log2(10) is the exponent that is left.
  const double high = fma(-k.value, kLog10Of2Short, x);
  const double r = fma(-k.value, kLog10Of2Rest, high);
  const double t = r * kLog2Of10;
  const double lo = fma(r, kLog2Of10, -t) + r * kLog2Of10Low;
  return power2(t, lo, k.number);
}

struct Logarithm {
  double s, lo, exponent;
};
/// log(x) = exponent ln2 + 2 s + lo for positive finite x of at most 50 bits; relative error of 2 s + lo
/// 2^-60.
METAL_FUNC Logarithm reducedLog(double x) {
  const long shifted = bitsOf(x) - 0x3fe6a09e667f3bcd; // sqrt(1/2)
  const long exponent = shifted >> 52;
  const double m = fromBits(bitsOf(x) - (exponent << 52));
  const double f = m - 1.0, d = m + 1.0;
  const double inverse = 1.0 / d;
  const double s = f * inverse;
  const double rest = fma(-s, d, f) * inverse;
  const double z = s * s, z2 = z * z;
  double even = fma(z2, 0x1.0fbde0f4ad17bp-3L, 0x1.745cf8e4bba1bp-3L);
  double odd = fma(z2, 0x1.0c0aff044a970p-3L, 0x1.3b1c3c1c81c8fp-3L);
  even = fma(z2, even, 0x1.2492492476a1ap-2L);
  odd = fma(z2, odd, 0x1.c71c7201a55d7p-3L);
  even = fma(z2, even, 0x1.5555555555555p-1L);
  odd = fma(z2, odd, 0x1.9999999999a39p-2L);
  return {s, fma(s * z, fma(z, odd, even), rest + rest), static_cast<double>(static_cast<int>(exponent))};
}
/// The values of a logarithm where reducedLog does not hold.
METAL_FUNC double atEnds(double x, double logarithm) {
  const double positive = x < infinite() ? logarithm : x;
  const double notNegative = x == 0.0 ? -infinite() : positive;
  return x < 0.0 ? notANumber() : notNegative;
}
METAL_FUNC double log(double x) {
  const Logarithm l = reducedLog(x);
  const Pair t = sum(l.exponent * kLn2Short, l.s + l.s);
  return atEnds(x, decided(sum(t.hi, t.lo + fma(l.exponent, kLn2Rest, l.lo))));
}
/// As a pair: pow multiplies it by up to 2^7.
METAL_FUNC Pair reducedLog2(double x) {
  const Logarithm l = reducedLog(x);
  const double h = l.s + l.s;
  const double p = h * kLog2E;
  const double lo = fma(h, kLog2E, -p) + fma(h, kLog2ELow, l.lo * kLog2E);
  const Pair t = sum(l.exponent, p);
  return sum(t.hi, t.lo + lo);
}
METAL_FUNC double log2(double x) {
  return atEnds(x, reducedLog2(x).hi);
}
METAL_FUNC double log10(double x) {
  const Logarithm l = reducedLog(x);
  const double h = l.s + l.s;
  const double p = h * kLog10E;
  const double lo = fma(h, kLog10E, -p) + fma(h, kLog10ELow, l.lo * kLog10E);
  const Pair t = sum(l.exponent * kLog10Of2Short, p);
  return atEnds(x, decided(sum(t.hi, t.lo + fma(l.exponent, kLog10Of2Rest, lo))));
}
/// log(1 + u) for u > -1, any double.
METAL_FUNC double log1p(double u) {
  const double w = 1.0 + u;
  // What the sum lost, relative to it. u >= 1 wins over 1.
  const double lost = (u < 1.0 ? u - (w - 1.0) : 1.0 - (w - u)) / w;
  const double shifted = w;
  const Logarithm l = reducedLog(shifted);
  const Pair t = sum(l.exponent * kLn2Short, l.s + l.s);
  const double logarithm = decided(sum(t.hi, t.lo + (fma(l.exponent, kLn2Rest, l.lo) + lost)));
  // Near 1 the sum keeps few bits of u; the series in u does not need them.
  const double s = u / (2.0 + u), z = s * s;
  const double series =
      2.0 * s + s * z *
                    fma(z,
                        fma(z, fma(z, 0x1.c71c71c71c71cp-3L, 0x1.2492492492492p-2L), 0x1.999999999999ap-2L),
                        0x1.5555555555555p-1L);
  return magnitude(u) < 0x1p-7 ? series : atEnds(w, logarithm);
}

METAL_FUNC double rsqrt(double x) {
  return 1.0 / __builtin_sqrt(x);
}
METAL_FUNC double sqrt(double x) {
  return __builtin_sqrt(x);
}

METAL_FUNC double tanh(double x) {
  const double t = expm1(2.0 * atMost(magnitude(x), 20.0));
  return withSign(t / (t + 2.0), x);
}
METAL_FUNC double sinh(double x) {
  const double a = magnitude(x), z = a * a;
  const double t = expm1(atMost(a, 100.0));
  // Near 0 the quotient's rounding would show: the series to x^9.
  const double tail =
      fma(z, fma(z, fma(z, 0x1.71de3a556c734p-19L, 0x1.a01a01a01a01ap-13L), 0x1.1111111111111p-7L),
          0x1.5555555555555p-3L);
  return withSign(a < 0.0625 ? decided(sum(a, a * z * tail)) : 0.5 * (t + t / (t + 1.0)), x);
}
METAL_FUNC double cosh(double x) {
  const double e = exp(atMost(magnitude(x), 100.0));
  return 0.5 * (e + 1.0 / e);
}
METAL_FUNC double asinh(double x) {
  const double a = magnitude(x), square = a * a;
  const double finite = withSign(log1p(a + square / (1.0 + __builtin_sqrt(1.0 + square))), x);
  return a < infinite() ? finite : x;
}
METAL_FUNC double acosh(double x) {
  const double t = x - 1.0;
  const double finite = t < 0.0 ? notANumber() : log1p(t + __builtin_sqrt(t * (t + 2.0)));
  return x < infinite() ? finite : x;
}
METAL_FUNC double atanh(double x) {
  const double a = magnitude(x), z = a * a;
  const double inside = 0.5 * log1p(2.0 * a / (1.0 - a));
  const double tail =
      fma(z, fma(z, fma(z, 0x1.c71c71c71c71cp-4L, 0x1.2492492492492p-3L), 0x1.999999999999ap-3L),
          0x1.5555555555555p-2L);
  const double value = a < 0x1p-7 ? decided(sum(a, a * z * tail)) : inside;
  return withSign(a < 1.0 ? value : a == 1.0 ? infinite() : notANumber(), x);
}

struct Angle {
  double hi, lo;
  int quadrant;
};

/// x = quadrant pi/2 + hi + lo for 2^27 <= |x| < infinity (Payne and Hanek): the bits of 2/pi that matter to
/// a product modulo 4 begin where x ends, so 128 of them give the fraction to 2^-102.
inline Angle reduceHuge(double x) {
  constexpr unsigned long kTwoOverPiBits[4] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                               0xfe5163abdebbc561};
  const long bits = bitsOf(magnitude(x));
  const int exponent = static_cast<int>(bits >> 52) - 1023 - 23; // of the last bit of a float
  const unsigned long mantissa = ((bits & 0xfffffffffffff) | 0x10000000000000) >> 29;
  const int first = exponent - 2; // of the leading bits that contribute multiples of 4 only
  const int word = first / 64, shift = first % 64;
  unsigned __int128 window =
      static_cast<unsigned __int128>(kTwoOverPiBits[word]) << 64 | kTwoOverPiBits[word + 1];
  if (shift != 0)
    window = window << shift | kTwoOverPiBits[word + 2] >> (64 - shift);
  const unsigned __int128 product = window * mantissa; // two whole bits, 126 of fraction
  const unsigned __int128 half = static_cast<unsigned __int128>(1) << 125;
  const int quadrant = static_cast<int>((product + half) >> 126);
  const __int128 fraction = static_cast<__int128>(product << 2);
  const double hi = static_cast<double>(static_cast<long>(fraction >> 75)) * 0x1p-53;
  const double lo = static_cast<double>(static_cast<long>(fraction >> 12 & 0x7fffffffffffffff)) * 0x1p-116;
  const double p = hi * kHalfPi;
  const double rest = fma(hi, kHalfPi, -p) + fma(hi, kHalfPiLow, lo * kHalfPi);
  const Pair r = sum(p, rest);
  return x < 0 ? Angle{-r.hi, -r.lo, -quadrant} : Angle{r.hi, r.lo, quadrant};
}

/// x = quadrant pi/2 + hi + lo, |hi| <= pi/4. NaN for NaN and infinity.
METAL_FUNC Angle reduceAngle(double x) {
  if (__builtin_expect(magnitude(x) >= 0x1p27, 0))
    return magnitude(x) < infinite() ? reduceHuge(x) : Angle{notANumber(), 0.0, 0};
  const Whole k = nearest(x * kTwoOverPi);
  // The first step is exact: both terms are multiples of 2^-52, or k is 0.
  const double high = fma(-k.value, kHalfPi, x);
  const double r = fma(-k.value, kHalfPiLow, high);
  const double lost = fma(-k.value, kHalfPiLow, high - r);
  return {r, fma(-k.value, kHalfPiLowest, lost), k.number};
}
// On |r| <= pi/4, relative errors 2^-57 and 2^-59.
METAL_FUNC double sinOf(double r, double lo) {
  const double z = r * r;
  double p = fma(z, -0x1.ab0f25d21fd92p-41L, 0x1.6121703ee57b1p-33L);
  p = fma(z, p, -0x1.ae64540000f84p-26L);
  p = fma(z, p, 0x1.71de3a5455b9ap-19L);
  p = fma(z, p, -0x1.a01a01a0198dep-13L);
  p = fma(z, p, 0x1.1111111111110p-7L);
  p = fma(z, p, -0x1.5555555555555p-3L);
  const double value = decided(sum(r, fma(r * z, p, fma(-0.5 * z, lo, lo))));
  return r == 0.0 ? r : value; // the sign of zero
}
METAL_FUNC double cosOf(double r, double lo) {
  const double z = r * r;
  double p = fma(z, 0x1.ab70a23137c25p-45L, -0x1.9394ace29bd7bp-37L);
  p = fma(z, p, 0x1.1eed8de33ebe0p-29L);
  p = fma(z, p, -0x1.27e4fb770e01dp-22L);
  p = fma(z, p, 0x1.a01a01a019ce2p-16L);
  p = fma(z, p, -0x1.6c16c16c16c16p-10L);
  p = fma(z, p, 0x1.5555555555555p-5L);
  const double half = 0.5 * z, w = 1.0 - half;
  const double lost = (1.0 - w) - half + fma(r, r, -z) * -0.5;
  return decided(sum(w, fma(z * z, p, fma(-r, lo, lost))));
}
METAL_FUNC double sinOf(Angle a) {
  const double value = (a.quadrant & 1) != 0 ? cosOf(a.hi, a.lo) : sinOf(a.hi, a.lo);
  return (a.quadrant & 2) != 0 ? -value : value;
}
METAL_FUNC double cosOf(Angle a) {
  const double value = (a.quadrant & 1) != 0 ? sinOf(a.hi, a.lo) : cosOf(a.hi, a.lo);
  return ((a.quadrant + 1) & 2) != 0 ? -value : value;
}
METAL_FUNC double tanOf(Angle a) {
  const double s = sinOf(a.hi, a.lo), c = cosOf(a.hi, a.lo);
  return (a.quadrant & 1) != 0 ? -c / s : s / c;
}
METAL_FUNC double sin(double x) {
  return sinOf(reduceAngle(x));
}
METAL_FUNC double cos(double x) {
  return cosOf(reduceAngle(x));
}
METAL_FUNC double tan(double x) {
  return tanOf(reduceAngle(x));
}

/// pi x = quadrant pi/2 + hi + lo. Beyond 2^25 a float is an even number, and every quadrant is 0.
METAL_FUNC Angle reduceTurns(double x) {
  const double safe = magnitude(x) < 0x1p25 ? x : x - x;
  const Whole k = nearest(2.0 * safe);
  const double r = fma(-0.5, k.value, safe);
  const double p = r * kPi;
  return {p, fma(r, kPi, -p) + r * kPiLow, k.number};
}
METAL_FUNC double sinpi(double x) {
  const double value = sinOf(reduceTurns(x));
  return value == 0.0 ? withSign(0.0, x) : value; // IEEE 754: the sign of x at whole numbers
}
METAL_FUNC double cospi(double x) {
  const double value = cosOf(reduceTurns(x));
  return value == 0.0 ? 0.0 : value;
}
METAL_FUNC double tanpi(double x) {
  const Angle a = reduceTurns(magnitude(x));
  // IEEE 754: at halves and wholes the sign alternates, and the function is odd.
  const double atZero =
      withSign((a.quadrant & 1) != 0 ? infinite() : 0.0, (a.quadrant & 2) != 0 ? -1.0 : 1.0);
  const double value = a.hi == 0.0 ? atZero : tanOf(a);
  return bitsOf(x) < 0 ? -value : value;
}

/// asin(x) - x for |x| <= 1/2, from z = x^2: relative error of asin 2^-58.
METAL_FUNC double asinTail(double x, double z) {
  double p = fma(z, 0x1.06cf722f9f2d1p-5L, -0x1.e0143983a8670p-6L);
  p = fma(z, p, 0x1.b23814ef6af9ep-6L);
  p = fma(z, p, -0x1.64c7008719adap-9L);
  p = fma(z, p, 0x1.1e7b5a8b61936p-7L);
  p = fma(z, p, 0x1.c22c1b780ca1bp-8L);
  p = fma(z, p, 0x1.14f866187da12p-7L);
  p = fma(z, p, 0x1.3fa92059d3beep-7L);
  p = fma(z, p, 0x1.7a8b74fc8581cp-7L);
  p = fma(z, p, 0x1.c99964d862984p-7L);
  p = fma(z, p, 0x1.1c4ec5e03ab7bp-6L);
  p = fma(z, p, 0x1.6e8ba2e2f5ee9p-6L);
  p = fma(z, p, 0x1.f1c71c71dc29ap-6L);
  p = fma(z, p, 0x1.6db6db6db6c75p-5L);
  p = fma(z, p, 0x1.3333333333334p-4L);
  p = fma(z, p, 0x1.5555555555555p-3L);
  return x * z * p;
}
/// From |x| > 1/2 on, asin and acos are pi/2 and 0 less or more 2 asin(s), s = sqrt((1 - |x|) / 2).
struct ArcSine {
  double x, tail;
  bool outer;
};
METAL_FUNC ArcSine reducedAsin(double x) {
  const double a = magnitude(x);
  const bool outer = a > 0.5;
  const double z = outer ? 0.5 - 0.5 * a : a * a;
  const double s = outer ? __builtin_sqrt(z) : a;
  // The square root's own error, to first order; 0 would divide 0 by 0.
  const double lost = outer && z > 0.0 ? fma(-s, s, z) / (s + s) : 0.0;
  return {s, asinTail(s, z) + lost, outer};
}
METAL_FUNC double asin(double x) {
  const ArcSine a = reducedAsin(x);
  const Pair outer = sum(kHalfPi, -2.0 * a.x);
  const double far = outer.hi + (outer.lo + fma(-2.0, a.tail, kHalfPiLow));
  return withSign(a.outer ? far : a.x + a.tail, x);
}
METAL_FUNC double acos(double x) {
  const ArcSine a = reducedAsin(x);
  const bool negative = x < 0.0;
  const double scale = a.outer ? 2.0 : 1.0;
  const double sign =
      a.outer == negative ? -scale : scale; // inner: pi/2 -+ asin; outer: pi - 2 asin or 2 asin
  const double base = a.outer ? (negative ? kPi : 0.0) : kHalfPi;
  const double baseLow = a.outer ? (negative ? kPiLow : 0.0) : kHalfPiLow;
  const double signInner = negative ? 1.0 : -1.0;
  const double factor = a.outer ? sign : signInner;
  const Pair t = sum(base, factor * a.x);
  return decided(sum(t.hi, t.lo + fma(factor, a.tail, baseLow)));
}

/// The angle of the point (x, y) with y >= 0 and |x| as x: base + atan(t).
/// atan(q) = atan(c) + atan((q - c) / (1 + q c)), c in {0, 1/2, 1}, with q = smaller / larger.
METAL_FUNC double angleOf(double y, double x, bool negativeX) {
  const bool swapped = y > x;
  const double larger = swapped ? y : x, smaller = swapped ? x : y;
  const bool infinity = larger == infinite();
  const double small = infinity ? (smaller == larger ? 1.0 : 0.0) : smaller;
  const double large = infinity || larger == 0.0 ? 1.0 : larger;
  const bool upper = small * 16.0 > large * 11.0, middle = small * 16.0 > large * 7.0;
  const double c = upper ? 1.0 : middle ? 0.5 : 0.0;
  const double numerator = fma(-c, large, small), denominator = fma(c, small, large); // exact
  const double t = numerator / denominator;
  const double rest = fma(-t, denominator, numerator) / denominator;
  const double z = t * t;
  double p = fma(z, -0x1.994df54e834d1p-7L, 0x1.dd7e2ce1004f7p-6L);
  p = fma(z, p, -0x1.4aa686e2c6efbp-5L);
  p = fma(z, p, 0x1.8125e0c04b2ebp-5L);
  p = fma(z, p, -0x1.ae7ecfe5e2a53p-5L);
  p = fma(z, p, 0x1.e1d2154a5203bp-5L);
  p = fma(z, p, -0x1.11108f14a375bp-4L);
  p = fma(z, p, 0x1.3b13ab9a0f372p-4L);
  p = fma(z, p, -0x1.745d171d9b965p-4L);
  p = fma(z, p, 0x1.c71c71c670fdep-4L);
  p = fma(z, p, -0x1.24924924918acp-3L);
  p = fma(z, p, 0x1.999999999998fp-3L);
  p = fma(z, p, -0x1.5555555555555p-2L);
  const double tail = fma(t * z, p, rest);
  // base = atan(c), then pi/2 - base if swapped, then pi - base for a negative x.
  double base = upper ? kQuarterPi : middle ? kAtanHalf : 0.0;
  double low = upper ? kQuarterPiLow : middle ? kAtanHalfLow : 0.0;
  const Pair half = sum(kHalfPi, -base);
  low = swapped ? half.lo + (kHalfPiLow - low) : low;
  base = swapped ? half.hi : base;
  const Pair whole = sum(kPi, -base);
  low = negativeX ? whole.lo + (kPiLow - low) : low;
  base = negativeX ? whole.hi : base;
  const double sign = swapped != negativeX ? -1.0 : 1.0;
  const Pair total = sum(base, sign * t);
  return decided(sum(total.hi, total.lo + fma(sign, tail, low)));
}
METAL_FUNC double atan(double x) {
  return x == x ? withSign(angleOf(magnitude(x), 1.0, false), x) : x;
}
METAL_FUNC double atan2(double y, double x) {
  const bool negativeX = bitsOf(x) < 0;
  return y == y && x == x ? withSign(angleOf(magnitude(y), magnitude(x), negativeX), y) : y + x;
}

/// |x|^y for finite x > 0 and finite y. A power can be just the middle between two floats, and then rounds to
/// even: 25 odd bits, which only p^n with x = p^2^k and y = n / 2^k > 1 gives, n < 16, k <= 2. For such y, a
/// value within the error of 25 bits has 25 bits.
METAL_FUNC double positivePower(double x, double y) {
  const Pair l = reducedLog2(x);
  const double p = atMost(atLeast(y * l.hi, -400.0), 400.0);
  const double lo = p == y * l.hi ? fma(y, l.hi, -p) + y * l.lo : 0.0;
  const Whole k = nearest(p);
  const long bits = bitsOf(power2(p - k.value, lo, k.number));
  const long snapped = (bits + 4) & ~0xfffffffL;
  const bool tie =
      y > 1.0 && y < 16.0 && 4.0 * y == __builtin_trunc(4.0 * y) && ((bits + 4) & 0xfffffff) <= 8;
  return fromBits(tie ? snapped : bits);
}
METAL_FUNC double powr(double x, double y) {
  const double finite = positivePower(x, y);
  if (__builtin_expect(x > 0.0 && x < infinite() && magnitude(y) < infinite(), 1))
    return finite;
  if (!(x >= 0.0) || y != y || (y == 0.0 && (x == 0.0 || x == infinite())))
    return notANumber();
  if (y == 0.0)
    return 1.0;
  if (magnitude(y) == infinite())
    return x == 1.0 ? notANumber() : (x > 1.0) == (y > 0.0) ? infinite() : 0.0;
  return (x == 0.0) == (y > 0.0) ? 0.0 : infinite();
}
METAL_FUNC double pow(double x, double y) {
  const double a = magnitude(x);
  const bool whole = __builtin_trunc(y) == y || magnitude(y) == infinite();
  const bool odd = whole && magnitude(y) < 0x1p53 && __builtin_trunc(0.5 * y) != 0.5 * y;
  const double finite = positivePower(a, y);
  if (__builtin_expect(a > 0.0 && a < infinite() && magnitude(y) < infinite(), 1))
    return x > 0.0 ? finite : whole ? (odd ? -finite : finite) : notANumber();
  if (y == 0.0 || x == 1.0)
    return 1.0;
  if (x != x || y != y)
    return x + y;
  if (magnitude(y) == infinite())
    return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? infinite() : 0.0;
  const double value = (a == 0.0) == (y > 0.0) ? 0.0 : infinite();
  return odd ? withSign(value, x) : value;
}

/// x modulo y, exactly, with the sign of x; x and y are floats. Each step takes up to 28 bits off the
/// quotient, so that every product is exact.
METAL_FUNC double fmod(double x, double y) {
  double a = magnitude(x);
  const double b = magnitude(y);
  if (!(a < infinite()) || b != b || b == 0.0)
    return notANumber();
  while (a >= b && b < infinite()) {
    const int difference = static_cast<int>(bitsOf(a) >> 52) - static_cast<int>(bitsOf(b) >> 52);
    const double divisor = difference > 28 ? b * power2(difference - 28) : b;
    double r = fma(-__builtin_trunc(a / divisor), divisor, a);
    a = r < 0.0 ? r + divisor : r;
  }
  return withSign(a, x);
}

} // namespace __assay
} // namespace metal
#pragma float_control(pop)
