// What a float computation gave, against a reference that carries a bound for each element.
#pragma once

#include "f32.h"

#include "tests/projects/real.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace assay::oracle {

/// The largest error against the reference's values, for a record.
template <class T>
double worstError(const std::vector<T> &actual, const std::vector<projects::Real> &reference) {
  double worst = 0;
  for (size_t i = 0; i < std::min(actual.size(), reference.size()); ++i) {
    const double value = std::is_same_v<T, uint16_t> ? fromBfloat(uint16_t(actual[i])) : float(actual[i]);
    worst = std::max(worst, std::fabs(value - reference[i].value));
  }
  return worst;
}

/// Every element within its own bound, and bounds that mean something: below a sixteenth of the largest
/// value. A vector of uint16_t holds bfloats.
template <class T>
::testing::AssertionResult within(const std::vector<T> &actual,
                                  const std::vector<projects::Real> &reference) {
  if (actual.size() != reference.size())
    return ::testing::AssertionFailure()
           << fmt::format("{} elements for {}", actual.size(), reference.size());
  double largest = 0, bound = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double value = std::is_same_v<T, uint16_t> ? fromBfloat(uint16_t(actual[i])) : float(actual[i]);
    const double expected = reference[i].value, error = reference[i].error;
    if (!(std::fabs(value - expected) <= error))
      return ::testing::AssertionFailure()
             << fmt::format("element {} is {}, which is not {} within {}", i, value, expected, error);
    largest = std::max(largest, std::fabs(expected));
    bound = std::max(bound, error);
  }
  if (bound > largest / 16)
    return ::testing::AssertionFailure()
           << fmt::format("a bound of {} says nothing of values up to {}", bound, largest);
  return ::testing::AssertionSuccess();
}

} // namespace assay::oracle
