// A number and how widely a computation of it in low precision scatters around it.
//
// Real (tests/projects/real.h) adds up the largest errors that can happen. Over a pipeline of sums of 64
// rounded terms, repeated for dozens of chunks, they exceed the values, because they would all have to have
// the worst size and the worst sign at once. Spread adds variances instead: a rounding to nearest is taken as
// an independent error, uniform within its half unit, so relative variance u^2 / 3 at most. The tolerance is
// kSigmas standard deviations; with 8, not one of 10^12 elements should be outside.
// source    Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci.
//           Comput. 41 (2019).
#pragma once

#include "tests/projects/real.h"

#include <cmath>
#include <vector>

namespace assay::oracle {

inline constexpr double kSigmas = 8;

struct Spread {
  double value = 0, variance = 0;

  Spread() = default;
  Spread(double v) : value(v) {} ///< exact
  Spread(double v, double s) : value(v), variance(s) {}
  projects::Real tolerance() const { return {value, kSigmas * std::sqrt(variance)}; }
};

/// The result of an operation whose relative error is uniform within +-relative.
inline Spread scattered(double v, double propagated, double relative = 0x1p-24) {
  return {v, propagated + relative * relative * v * v / 3};
}
inline Spread operator+(Spread a, Spread b) {
  return scattered(a.value + b.value, a.variance + b.variance);
}
inline Spread operator-(Spread a, Spread b) {
  return scattered(a.value - b.value, a.variance + b.variance);
}
inline Spread operator*(Spread a, Spread b) {
  return scattered(a.value * b.value, a.value * a.value * b.variance + b.value * b.value * a.variance);
}
/// Within 3 + |2x| ulp.
inline Spread exp(Spread x) {
  const double y = std::exp(x.value);
  return scattered(y, y * y * x.variance, (3 + std::fabs(2 * x.value)) * projects::kUlp);
}
/// In any order: as many roundings as terms, each of at most the sum of the magnitudes.
inline Spread sum(const std::vector<Spread> &terms) {
  double total = 0, magnitudes = 0, variance = 0;
  for (const Spread &x : terms) {
    total += x.value;
    magnitudes += std::fabs(x.value);
    variance += x.variance;
  }
  return {total, variance + double(terms.size()) * 0x1p-48 * magnitudes * magnitudes / 3};
}
template <class T> Spread stored(Spread x) {
  return scattered(x.value, x.variance, projects::kUnit<T>);
}

} // namespace assay::oracle
