// A number and how far a computation of it in single precision may be from it.
//
// A reference is written as the mathematics has it, on Real instead of double; the tolerance of each element
// follows from its own operations and is never chosen. Every operation adds the largest rounding error of its
// float counterpart to what its operands bring (running error analysis; Higham, "Accuracy and Stability of
// Numerical Algorithms", section 3.3): 2^-24 of the result for + - *, the limits of table 8.2 of the MSL
// specification for the functions (fast math; the limits of safe math, table 8.1, are no larger). Fused
// multiply-adds round less often and stay within. sum() allows every order of additions.
//
// Rejected: a relative tolerance for a kernel as a whole. One that fits elements with cancellation hides
// whole lost terms in the others.
#pragma once

#include "number.h"

#include <cmath>
#include <vector>

namespace assay::projects {

struct Real {
  double value = 0, error = 0;

  Real() = default;
  Real(double v) : value(v) {} ///< exact
  Real(double v, double e) : value(v), error(e) {}
};

inline constexpr double kUlp = 0x1p-23;    ///< of a float, relative to it, at most
inline constexpr double kFlush = 0x1p-126; ///< a result below this may become zero

/// The result of an operation on operands that brought `propagated`, with a relative error of its own.
inline Real rounded(double v, double propagated, double relative = kUnit<float>) {
  return {v, propagated + relative * (std::fabs(v) + propagated) + kFlush};
}

inline Real operator-(Real a) {
  return {-a.value, a.error};
}
inline Real operator+(Real a, Real b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline Real operator-(Real a, Real b) {
  return a + -b;
}
inline Real operator*(Real a, Real b) {
  return rounded(a.value * b.value,
                 std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
}

/// x / y, within 2.5 ulp.
inline Real operator/(Real a, Real b) {
  const double q = a.value / b.value, nearest = std::fabs(b.value) - b.error;
  return rounded(q, nearest > 0 ? (a.error + std::fabs(q) * b.error) / nearest : INFINITY, 2.5 * kUlp);
}

/// Within 3 + |2x| ulp.
inline Real exp(Real x) {
  const double y = std::exp(x.value);
  return rounded(y, y * std::expm1(x.error), (3 + std::fabs(2 * x.value)) * kUlp);
}
/// Within 3 ulp, and 2^-21 on [0.5, 2].
inline Real log(Real x) {
  const double y = std::log(x.value);
  return {y, x.error / (x.value - x.error) + 3 * kUlp * std::fabs(y) + 0x1p-21};
}
/// Within 2 ulp.
inline Real rsqrt(Real x) {
  const double y = 1 / std::sqrt(x.value);
  return rounded(y, y * x.error / (2 * (x.value - x.error)), 2 * kUlp);
}
/// x * rsqrt(x).
inline Real sqrt(Real x) {
  return x.value == 0 ? Real(0, std::sqrt(x.error)) : x * rsqrt(x);
}
/// 4 ulp, the limit of table 8.1: that of table 8.2, 2^-13, would hide a wrong angle.
inline Real sin(Real x) {
  return {std::sin(x.value), x.error + 4 * kUlp};
}
inline Real cos(Real x) {
  return {std::cos(x.value), x.error + 4 * kUlp};
}
/// exp2(y * log2 x): an error of the exponent is one of the result, relative.
inline Real pow(Real x, Real y) {
  const double exponent = y.value * std::log2(x.value);
  const double p = std::exp2(exponent);
  const double off = y.error * std::fabs(std::log2(x.value)) + std::fabs(exponent) * 4 * kUlp +
                     std::fabs(y.value) * x.error / x.value / M_LN2 + std::fabs(y.value) * 0x1p-22;
  return rounded(p, p * std::expm1(off), (3 + std::fabs(2 * exponent)) * kUlp);
}
/// (t - 1) / (t + 1) with t = exp(2x), the formula of table 8.2.
inline Real tanh(Real x) {
  const Real t = exp(Real(2) * x);
  return (t - Real(1)) / (t + Real(1));
}
inline Real sigmoid(Real x) {
  return Real(1) / (Real(1) + exp(-x));
}
inline Real max(Real a, Real b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error)};
}

/// The sum in any order: at most n - 1 additions, each of at most the sum of the magnitudes.
inline Real sum(const std::vector<Real> &terms) {
  double total = 0, magnitudes = 0, error = 0;
  for (const Real &x : terms) {
    total += x.value;
    magnitudes += std::fabs(x.value) + x.error;
    error += x.error;
  }
  return {total, error + double(terms.size()) * (kUnit<float> * magnitudes + kFlush)};
}

/// What a kernel that keeps x in memory as a T reads back.
template <class T> Real stored(Real x) {
  return {x.value, x.error + kUnit<T> * (std::fabs(x.value) + x.error) +
                       std::ldexp(1.0, Format<T>::minExponent - (std::is_same_v<T, Half> ? 11 : 0))};
}

} // namespace assay::projects
