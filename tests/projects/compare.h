// The comparers: equal bits, or within the error of each element.
// A failure says where, and what both sides had.
#pragma once

#include "number.h"
#include "real.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace assay::projects {

namespace detail {
inline constexpr size_t kShown = 4;

inline ::testing::AssertionResult verdict(size_t different, size_t count, const std::string &text) {
  if (different == 0)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format("{} of {} elements differ:{}{}", different, count, text,
                                                      different > kShown ? "\n  ..." : "");
}
} // namespace detail

/// Every element has the same bits.
template <class T>
::testing::AssertionResult same(const std::vector<T> &expected, const std::vector<T> &actual) {
  if (expected.size() != actual.size())
    return ::testing::AssertionFailure()
           << fmt::format("expected {} elements, got {}", expected.size(), actual.size());
  size_t different = 0;
  std::string text;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(&expected[i], &actual[i], sizeof(T)) != 0 && ++different <= detail::kShown)
      text += fmt::format("\n  element {}: expected {}, got {}", i, value(expected[i]), value(actual[i]));
  return detail::verdict(different, expected.size(), text);
}

/// Every element is within its error of the reference, and one rounding to T. A NaN is never near; an
/// infinity only to itself. A reference that allows an element more than 1/16 of the largest of all is
/// refused: it would accept a wrong one.
template <class T>
::testing::AssertionResult near(const std::vector<Real> &expected, const std::vector<T> &actual) {
  if (expected.size() != actual.size())
    return ::testing::AssertionFailure()
           << fmt::format("expected {} elements, got {}", expected.size(), actual.size());
  double largest = 0;
  for (const Real &x : expected)
    largest = std::max(largest, std::isfinite(x.value) ? std::fabs(x.value) : 0);
  size_t different = 0;
  std::string text;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Real limit = stored<T>(expected[i]);
    const double got = value(actual[i]), off = std::fabs(got - limit.value);
    if (std::isfinite(limit.value) && !(limit.error <= largest / 16 + kFlush))
      return ::testing::AssertionFailure()
             << fmt::format("element {}: an error of {:.3g} is allowed where the largest value is {:.3g}", i,
                            limit.error, largest);
    if (!(off <= limit.error) && got != limit.value && ++different <= detail::kShown)
      text += fmt::format("\n  element {}: expected {}, got {}, off by {:.3g} where {:.3g} is allowed", i,
                          limit.value, got, off, limit.error);
  }
  return detail::verdict(different, expected.size(), text);
}

} // namespace assay::projects
