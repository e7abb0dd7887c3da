// Compares two numbers, or two rows of numbers, and describes the difference. The matchers and the older
// comparers of the project's own tests both use it, so that they agree.
#pragma once

#include "numbers.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace assay::testing {

/// How a comparison treats NaNs.
enum class NanMatch {
  SameBits, ///< a NaN is equal to, and near, a NaN with the same bits; if the types differ, to every NaN
  AnyNan,   ///< any two NaNs are equal, for profiles that leave their bits open
  NoNan,    ///< a NaN is equal to nothing, itself included
};

/// Whether the values are equal if one of them is a NaN; nothing if neither is.
template <class A, class E> std::optional<bool> decidedByNan(A actual, E expected, NanMatch nan) {
  if (!isNan(actual) && !isNan(expected))
    return std::nullopt;
  if (nan != NanMatch::SameBits || !std::is_same_v<A, E>)
    return nan != NanMatch::NoNan && isNan(actual) && isNan(expected);
  return bitsOf(actual) == bitsOf(expected);
}

template <class T> bool sameBits(T actual, T expected, NanMatch nan) {
  return decidedByNan(actual, expected, nan).value_or(bitsOf(actual) == bitsOf(expected));
}

/// "expected 2 (0x40000000), got 2.5 (0x40200000), 2097152 ulps apart"
template <class T> std::string differenceText(T expected, T actual) {
  std::string text = "expected " + withBits(expected) + ", got " + withBits(actual);
  if constexpr (kIsFloat<T>) {
    if (const std::optional<uint64_t> ulps = ulpsBetween(expected, actual))
      text += ", " + std::to_string(*ulps) + (*ulps == 1 ? " ulp apart" : " ulps apart");
  }
  return text;
}

/// Keeps the first few differences and counts all.
class Differences {
public:
  static constexpr size_t kShown = 5;

  void add(const std::string &where, const std::string &what);
  size_t count() const { return count_; }
  /// "2 of 8 elements differ:" and a line for each
  std::string text(size_t all, const char *things) const;

private:
  size_t count_ = 0;
  std::string text_;
};

/// Empty if `same` holds for all elements; else what differs.
template <class T, class Same>
std::string compareRows(std::span<const T> expected, std::span<const T> actual, Same same) {
  if (expected.size() != actual.size())
    return "expected " + std::to_string(expected.size()) + " elements, got " + std::to_string(actual.size());
  Differences differences;
  for (size_t i = 0; i < expected.size(); ++i)
    if (!same(actual[i], expected[i]))
      differences.add("element " + std::to_string(i), differenceText(expected[i], actual[i]));
  return differences.count() ? differences.text(expected.size(), "elements") : std::string();
}

} // namespace assay::testing
