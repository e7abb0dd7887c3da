// Single-precision arithmetic of a numerics profile, with every rounding and every flush written out.
//
// Problem.  An oracle that must agree in all bits may not lean on what it judges: not on MXCSR, not on the
//           compiler's contraction, not on the host's default NaN.
// Choice.   Each operation is one call: flush the operands, round once (std::fma, or the host's IEEE
//           operation in its default mode), flush the result, make a NaN canonical. Which products fuse with
//           which sums is then visible at the call: mulAdd is `a*b+c` written in one expression, and only
//           that.
// Flush.    Tininess is judged after rounding: a result is tiny if, rounded to 24 bits with an unbounded
//           exponent, it is below 2^-126. Only an exact value just below 2^-126 needs care: the host rounds
//           it to 2^-126. (Where an Apple GPU draws that line is not published; x86 draws it here.)
// source    the measurements of support/abi/numerics.def; their bits: tests/conformance/hardware_vectors.tsv.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace assay::oracle {

/// f32 flushes subnormals with their sign, `a*b+c` rounds once, a NaN made by arithmetic is 7fc00000.
struct Apple {
  static constexpr std::string_view kName = "apple";
  static constexpr bool kFlush = true, kContract = true, kCanonicalNan = true;
};

/// IEEE 754 as the source is written: no flush, no contraction.
struct Ieee {
  static constexpr std::string_view kName = "ieee";
  static constexpr bool kFlush = false, kContract = false, kCanonicalNan = false;
};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kSmallestNormal = std::numeric_limits<float>::min();

/// The elementary functions that oracles need. Metal's own names; Rsqrt is 1/sqrt(x).
enum class Elementary { Exp, Exp2, Log, Log2, Sin, Cos, Rsqrt };

/// f(x) rounded once to 24 bits with an unbounded exponent, then to float's range; by MPFR.
///   gradual   subnormal results are rounded to the subnormal grid;
///             otherwise they become a zero of their sign
float correctlyRounded(Elementary f, float x, bool gradual);

template <class Profile> struct F32 {
  static float add(float a, float b) { return finish(operand(a) + operand(b)); } // a tiny sum is exact
  static float sub(float a, float b) { return finish(operand(a) - operand(b)); }
  static float mul(float a, float b) {
    a = operand(a), b = operand(b);
    return finish(a * b, [&] { return scaledUp(a, b, 0.0f); });
  }
  static float fma(float a, float b, float c) {
    a = operand(a), b = operand(b), c = operand(c);
    return finish(std::fma(a, b, c), [&] { return scaledUp(a, b, c); });
  }
  /// `a * b + c` in one expression (also `c += a * b`).
  static float mulAdd(float a, float b, float c) {
    if constexpr (Profile::kContract)
      return fma(a, b, c);
    else
      return add(mul(a, b), c);
  }
  static float div(float a, float b) { // in every math mode; a quotient is never just below a power of two
    return finish(operand(a) / operand(b));
  }

  // Those that Metal's fast mode bounds instead of defining by a formula,
  // so that one result serves both modes.
  static float exp(float x) { return elementary(Elementary::Exp, x); }
  static float exp2(float x) { return elementary(Elementary::Exp2, x); }
  static float log(float x) { return elementary(Elementary::Log, x); }
  static float log2(float x) { return elementary(Elementary::Log2, x); }
  static float sin(float x) { return elementary(Elementary::Sin, x); }
  static float cos(float x) { return elementary(Elementary::Cos, x); }
  static float rsqrt(float x) { return elementary(Elementary::Rsqrt, x); }
  /// Fast mode's formula (MSL table 8.2); precise::sqrt is IEEE's.
  static float fastSqrt(float x) { return mul(x, rsqrt(x)); }

  // Comparisons see flushed operands.
  static bool equal(float a, float b) { return operand(a) == operand(b); }
  static bool lessOrEqual(float a, float b) { return operand(a) <= operand(b); }

  /// metal::min and max: the number if one operand is NaN (MSL, fmin and fmax).
  static float min(float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    return b < a ? b : a;
  }
  static float max(float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    return a < b ? b : a;
  }

  /// To bfloat, nearest even. A conversion is arithmetic, so it flushes its operand (reported of Apple GPUs,
  /// without bits: pytorch issue 193897) and makes the one NaN.
  static uint16_t toBfloat(float x);

  static float operand(float x) {
    if constexpr (Profile::kFlush)
      return std::fabs(x) < kSmallestNormal ? std::copysign(0.0f, x) : x;
    return x;
  }

private:
  static constexpr float kScale = 0x1p64f;

  static float elementary(Elementary f, float x) {
    return finish(correctlyRounded(f, operand(x), !Profile::kFlush));
  }

  /// a*b+c, 2^64 times as large: with that exponent nothing near 2^-126 is tiny, so the 24 bits are what an
  /// unbounded exponent would give. Called only where the result is about 2^-126, so nothing overflows.
  static float scaledUp(float a, float b, float c) {
    return std::fabs(a) < std::fabs(b) ? std::fma(a * kScale, b, c * kScale)
                                       : std::fma(a, b * kScale, c * kScale);
  }

  static float finish(float r) {
    return finish(r, [&] { return r * kScale; });
  }
  template <class Scaled> static float finish(float r, Scaled scaled) {
    if constexpr (Profile::kCanonicalNan)
      if (std::isnan(r))
        return std::bit_cast<float>(0x7fc00000u);
    if constexpr (Profile::kFlush)
      if (std::fabs(r) < kSmallestNormal ||
          (std::fabs(r) == kSmallestNormal && std::fabs(scaled()) < kSmallestNormal * kScale))
        return std::copysign(0.0f, r);
    return r;
  }
};

/// bfloat to float: a shift of the bits. What flushes a subnormal is the operation that takes it.
inline float fromBfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// float to bfloat: nearest, ties to even, subnormals kept; every NaN becomes a quiet NaN of the same sign.
inline uint16_t toBfloat(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x))
    return uint16_t(bits >> 16 | 0x40);
  const uint32_t kept = bits >> 16, lost = bits & 0xffff;
  const bool up = lost > 0x8000 || (lost == 0x8000 && (kept & 1));
  return uint16_t(kept + up);
}

template <class Profile> uint16_t F32<Profile>::toBfloat(float x) {
  if (Profile::kCanonicalNan && std::isnan(x))
    return 0x7fc0;
  return oracle::toBfloat(operand(x));
}

} // namespace assay::oracle
