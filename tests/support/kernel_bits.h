// The comparer of kernel tests: equal means equal bits. Where values differ it says where, both values and
// both bit patterns, and how many differ in all: the text is that of assay/testing.h, as an assertion result.
#pragma once

#include "emulator/testing/compare.h"

#include <fmt/format.h> // for the messages of those who compare
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace assay::testing_support {

using assay::testing::NanMatch;

/// Success if all elements have equal bits; else the first few that differ, and the count.
template <class T>
::testing::AssertionResult bitsEqual(std::span<const T> expected, std::span<const T> actual,
                                     NanMatch nan = NanMatch::SameBits) {
  const std::string text = assay::testing::compareRows(
      expected, actual, [nan](T a, T b) { return assay::testing::sameBits(a, b, nan); });
  return text.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
}

template <class A, class B>
::testing::AssertionResult bitsEqual(const A &expected, const B &actual, NanMatch nan = NanMatch::SameBits) {
  using T = std::remove_cv_t<typename decltype(std::span(expected))::element_type>;
  return bitsEqual<T>(std::span<const T>(expected), std::span<const T>(actual), nan);
}

} // namespace assay::testing_support
