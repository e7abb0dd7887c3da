// The comparer of kernel tests: equal means equal bits. Where values differ it says where, both values and
// both bit patterns, and how many differ in all.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace assay::testing_support {

enum class NanMatch {
  SameBits, ///< a NaN is a value like any other
  AnyNan,   ///< two NaNs are equal: for profiles that leave their bits open
};

namespace detail {

template <class T> auto bitsOf(T value) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else
    return std::bit_cast<uint8_t>(value);
}

template <class T> bool sameBits(T a, T b, NanMatch nan) {
  if constexpr (std::is_floating_point_v<T>)
    if (nan == NanMatch::AnyNan && std::isnan(a) && std::isnan(b))
      return true;
  return bitsOf(a) == bitsOf(b);
}

} // namespace detail

/// Success if all elements have equal bits; else the first few that differ, and the count.
template <class T>
::testing::AssertionResult bitsEqual(std::span<const T> expected, std::span<const T> actual,
                                     NanMatch nan = NanMatch::SameBits) {
  constexpr size_t kShown = 5;
  if (expected.size() != actual.size())
    return ::testing::AssertionFailure()
           << fmt::format("expected {} elements, got {}", expected.size(), actual.size());
  size_t different = 0;
  std::string text;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (detail::sameBits(expected[i], actual[i], nan))
      continue;
    if (++different <= kShown)
      text += fmt::format("\n  element {}: expected {} (0x{:0{}x}), got {} (0x{:0{}x})", i, expected[i],
                          detail::bitsOf(expected[i]), 2 * sizeof(T), actual[i], detail::bitsOf(actual[i]),
                          2 * sizeof(T));
  }
  if (different == 0)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << fmt::format("{} of {} elements differ:{}{}", different, expected.size(), text,
                        different > kShown ? "\n  ..." : "");
}

template <class A, class B>
::testing::AssertionResult bitsEqual(const A &expected, const B &actual, NanMatch nan = NanMatch::SameBits) {
  using T = std::remove_cv_t<typename decltype(std::span(expected))::element_type>;
  return bitsEqual<T>(std::span<const T>(expected), std::span<const T>(actual), nan);
}

} // namespace assay::testing_support
