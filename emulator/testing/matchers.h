// Matchers for numbers of kernels: BitsEq, UlpLe, AllLanes, Lane. A failure shows the place, both values with
// their bits, and their distance in units in the last place.
//
//   EXPECT_THAT(x, BitsEq(1.5f));                      one value, or a row of them:
//   EXPECT_THAT(run.output<float>(1), BitsEq(expected));
//   EXPECT_THAT(run.output<float>(1), UlpLe(2, expected));
//   EXPECT_THAT(run.output<float>(1), ::testing::Pointwise(UlpLe(2), expected));
//   EXPECT_THAT(run.probe("m").visit(0), AllLanes(BitsEq(1.0f)));
//   EXPECT_THAT(run.probe("m"), Lane(5, BitsEq(1.0f)));
//
// UlpLe(n, expected): if both have one type, at most n steps from one representable number to the next; the
// two zeros are one number. If `expected` is a double and the value is not, at most n units in the last place
// of the value's type at `expected`, which need not be representable; Metal's tables give errors in this way.
// An infinity matches only itself.
// NaNs compare as NanMatch::SameBits unless another is given; see compare.h.
#pragma once

#include "compare.h"
#include "lane_run.h"

#include <gmock/gmock.h>

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <vector>

namespace assay::testing {
namespace detail {

using ::testing::MatchResultListener;

template <class T>
concept Row = std::ranges::sized_range<const T> && requires {
  typename std::ranges::range_value_t<const T>;
} && kIsNumber<std::ranges::range_value_t<const T>>;

template <class T> std::string typeText() {
  if constexpr (requires { MetalType<T>::kScalar; })
    return metalTypeName(MetalType<T>::kScalar, 1);
  else
    return "number of this type";
}

// How two values are compared and the result described. relation() names it in descriptions.
struct ByBits {
  NanMatch nan = NanMatch::SameBits;

  std::string relation() const { return "has the bits of"; }
  /// Empty if the values agree.
  template <class A, class E> std::string disagreement(A actual, E expected) const {
    const std::optional<A> same = exactly<A>(expected);
    if (!same)
      return valueText(expected) + " is no " + typeText<A>() +
             ": give the expected value in the type of the actual one";
    return sameBits(actual, *same, nan) ? std::string() : differenceText(*same, actual);
  }
};

struct ByUlps {
  double limit = 0;
  NanMatch nan = NanMatch::SameBits;

  std::string relation() const {
    return "is within " + valueText(limit) + (limit == 1 ? " ulp of" : " ulps of");
  }
  template <class A, class E> std::string disagreement(A actual, E expected) const {
    static_assert(kIsFloat<A>,
                  "UlpLe compares floats, halves, bfloats and doubles; for integers take BitsEq");
    if constexpr (std::is_same_v<E, double> && !std::is_same_v<A, double>) {
      if (const std::optional<bool> decided = decidedByNan(actual, expected, nan))
        return *decided ? std::string() : bothTexts(actual, expected);
      if (!std::isfinite(toDouble(A(expected))) || !std::isfinite(toDouble(actual)))
        return bitsOf(A(expected)) == bitsOf(actual) ? std::string() : bothTexts(actual, expected);
      const double ulps = std::fabs(toDouble(actual) - expected) / ulpAt<A>(expected);
      return ulps <= limit ? std::string()
                           : bothTexts(actual, expected) + ", " + valueText(ulps) + " ulps apart";
    } else {
      const std::optional<A> same = exactly<A>(expected);
      if (!same)
        return ByBits().disagreement(actual, expected);
      if (const std::optional<bool> decided = decidedByNan(actual, *same, nan))
        return *decided ? std::string() : differenceText(*same, actual);
      const std::optional<uint64_t> ulps = ulpsBetween(actual, *same);
      return ulps && double(*ulps) <= limit ? std::string() : differenceText(*same, actual);
    }
  }
  template <class A> static std::string bothTexts(A actual, double expected) {
    return "expected " + valueText(expected) + " (nearest " + withBits(A(expected)) + "), got " +
           withBits(actual);
  }
};

template <class How, class E> class ScalarMatcher {
public:
  ScalarMatcher(How how, E expected) : how_(how), expected_(expected) {}

  template <class A> bool MatchAndExplain(const A &actual, MatchResultListener *listener) const {
    const std::string text = how_.disagreement(actual, expected_);
    *listener << text;
    return text.empty();
  }
  void DescribeTo(std::ostream *os) const { *os << how_.relation() << " " << withBits(expected_); }
  void DescribeNegationTo(std::ostream *os) const {
    *os << "is not what " << how_.relation() << " " << withBits(expected_);
  }

private:
  How how_;
  E expected_;
};

template <class How, class E> class RowMatcher {
public:
  RowMatcher(How how, std::vector<E> expected) : how_(how), expected_(std::move(expected)) {}

  template <class Actual> bool MatchAndExplain(const Actual &actual, MatchResultListener *listener) const {
    if (size_t(std::ranges::size(actual)) != expected_.size()) {
      *listener << "expected " << expected_.size() << " elements, got " << std::ranges::size(actual);
      return false;
    }
    Differences differences;
    size_t i = 0;
    for (const auto element : actual) {
      if (const std::string text = how_.disagreement(element, E(expected_[i])); !text.empty())
        differences.add("element " + std::to_string(i), text);
      ++i;
    }
    if (differences.count())
      *listener << differences.text(expected_.size(), "elements");
    return differences.count() == 0;
  }
  void DescribeTo(std::ostream *os) const { *os << how_.relation() << " " << summary(); }
  void DescribeNegationTo(std::ostream *os) const {
    *os << "is not what " << how_.relation() << " " << summary();
  }

private:
  // Only the first few: the explanation has the details.
  std::string summary() const {
    constexpr size_t kShown = 8;
    std::string text;
    for (size_t i = 0; i < std::min(kShown, expected_.size()); ++i)
      text += (i ? ", " : "") + valueText(E(expected_[i]));
    return "{" + text +
           (expected_.size() > kShown ? ", ..} (" + std::to_string(expected_.size()) + " elements)" : "}");
  }

  How how_;
  std::vector<E> expected_;
};

// For Pointwise: matches a pair (actual, expected).
template <class How> class PairMatcher {
public:
  explicit PairMatcher(How how) : how_(how) {}

  template <class Pair> bool MatchAndExplain(const Pair &pair, MatchResultListener *listener) const {
    const std::string text = how_.disagreement(std::get<0>(pair), std::get<1>(pair));
    *listener << text;
    return text.empty();
  }
  void DescribeTo(std::ostream *os) const {
    *os << "are a pair whose first " << how_.relation() << " the second";
  }
  void DescribeNegationTo(std::ostream *os) const {
    *os << "are not a pair whose first " << how_.relation() << " the second";
  }

private:
  How how_;
};

template <class How, class E> auto matcherOf(How how, const E &expected) {
  if constexpr (Row<E>) {
    using Element = std::ranges::range_value_t<const E>;
    return ::testing::MakePolymorphicMatcher(
        RowMatcher<How, Element>(how, {std::ranges::begin(expected), std::ranges::end(expected)}));
  } else {
    static_assert(kIsNumber<E>, "give a number, or a row of numbers");
    return ::testing::MakePolymorphicMatcher(ScalarMatcher<How, E>(how, expected));
  }
}

// Matches the values of lanes one by one.
template <class M> class LanesMatcher {
public:
  /// lane   none: all
  LanesMatcher(std::optional<uint32_t> lane, M inner) : lane_(lane), inner_(std::move(inner)) {}

  template <class T> bool MatchAndExplain(const LaneValues<T> &values, MatchResultListener *listener) const {
    return match<T>(values.size(), listener, [&](uint32_t lane) {
      return values.has(lane) ? std::vector<T>{*values.find(lane)} : std::vector<T>{};
    });
  }
  template <class T> bool MatchAndExplain(const ProbeValues<T> &values, MatchResultListener *listener) const {
    return match<T>(values.size(), listener, [&](uint32_t lane) { return values.lane(lane); });
  }
  void DescribeTo(std::ostream *os) const {
    if (lane_)
      *os << "lane " << *lane_ << " came, and its value ";
    else
      *os << "all lanes came, and the value of each ";
    describeInner(os);
  }
  void DescribeNegationTo(std::ostream *os) const {
    *os << "not: ";
    DescribeTo(os);
  }

private:
  void describeInner(std::ostream *os) const {
    if constexpr (requires { inner_.impl().DescribeTo(os); })
      inner_.impl().DescribeTo(os);
    else if constexpr (requires { inner_.DescribeTo(os); })
      inner_.DescribeTo(os);
    else
      *os << "matches";
  }

  template <class T, class ValuesOf>
  bool match(size_t lanes, MatchResultListener *listener, ValuesOf valuesOf) const {
    const ::testing::Matcher<const T &> inner = ::testing::SafeMatcherCast<const T &>(inner_);
    if (lane_ && *lane_ >= lanes) {
      *listener << "there is no lane " << *lane_ << ", there are " << lanes;
      return false;
    }
    Differences differences;
    std::vector<uint32_t> absent;
    for (uint32_t lane = lane_.value_or(0); lane < (lane_ ? *lane_ + 1 : lanes); ++lane) {
      const std::vector<T> visits = valuesOf(lane);
      if (visits.empty())
        absent.push_back(lane);
      for (size_t i = 0; i < visits.size(); ++i) {
        ::testing::StringMatchResultListener why;
        if (inner.MatchAndExplain(visits[i], &why))
          continue;
        differences.add(laneText(lane, lanes) + (visits.size() > 1 ? ", visit " + std::to_string(i) : ""),
                        why.str().empty() ? "got " + withBits(visits[i]) : why.str());
        if (visits.size() > 1)
          break; // one for each lane
      }
    }
    if (!absent.empty())
      *listener << absent.size() << " of " << lanes << " lanes did not come: " << lanesText(absent);
    if (!absent.empty() && differences.count())
      *listener << "; ";
    if (differences.count())
      *listener << differences.text(lanes, "lanes");
    return absent.empty() && differences.count() == 0;
  }

  std::optional<uint32_t> lane_;
  M inner_;
};

} // namespace detail

/// Equal bits. expected: a number or a row of numbers, of the actual type or exactly representable in it
template <class E> auto BitsEq(const E &expected, NanMatch nan = NanMatch::SameBits) {
  return detail::matcherOf(detail::ByBits{nan}, expected);
}
template <class E> auto BitsEq(std::initializer_list<E> expected, NanMatch nan = NanMatch::SameBits) {
  return detail::matcherOf(detail::ByBits{nan}, std::vector<E>(expected));
}
inline auto BitsEq(NanMatch nan = NanMatch::SameBits) {
  return ::testing::MakePolymorphicMatcher(detail::PairMatcher<detail::ByBits>({nan}));
}

/// At most `limit` units in the last place away; see above.
template <class E> auto UlpLe(double limit, const E &expected, NanMatch nan = NanMatch::SameBits) {
  return detail::matcherOf(detail::ByUlps{limit, nan}, expected);
}
template <class E>
auto UlpLe(double limit, std::initializer_list<E> expected, NanMatch nan = NanMatch::SameBits) {
  return detail::matcherOf(detail::ByUlps{limit, nan}, std::vector<E>(expected));
}
inline auto UlpLe(double limit, NanMatch nan = NanMatch::SameBits) {
  return ::testing::MakePolymorphicMatcher(detail::PairMatcher<detail::ByUlps>({limit, nan}));
}

/// Every lane has a value, and each value matches; for a probe, at each visit.
template <class M> auto AllLanes(M inner) {
  return ::testing::MakePolymorphicMatcher(detail::LanesMatcher<M>(std::nullopt, std::move(inner)));
}
/// The same for one lane.
template <class M> auto Lane(uint32_t lane, M inner) {
  return ::testing::MakePolymorphicMatcher(detail::LanesMatcher<M>(lane, std::move(inner)));
}

} // namespace assay::testing
