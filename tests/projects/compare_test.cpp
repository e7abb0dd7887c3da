// The judges of the entry points, judged: comparers that must fail, and the rounding that the references use.
#include "compare.h"
#include "data.h"

#include <gtest/gtest.h>

namespace assay::projects {
namespace {

TEST(Compare, OneFlippedBitIsADifference) {
  const auto expected = anyBits<Half>(100, 1);
  EXPECT_TRUE(same(expected, expected));
  for (const size_t element : {0u, 57u, 99u})
    for (int bit = 0; bit < 16; ++bit) {
      auto actual = expected;
      actual[element].bits ^= 1 << bit;
      EXPECT_FALSE(same(expected, actual)) << element << " " << bit;
    }
}

TEST(Compare, AnElementOutsideItsErrorIsADifference) {
  const std::vector<Real> expected{{1, 0x1p-20}, {100, 0x1p-10}};
  const float just = 1 + 0x1p-20f;
  EXPECT_TRUE(near<float>(expected, {just, 100}));
  EXPECT_FALSE(near<float>(expected, {just + 0x1p-21f, 100}));
  EXPECT_FALSE(near<float>(expected, {1, 100.01f}));
  EXPECT_FALSE(near<float>(expected, {1, NAN}));
  EXPECT_FALSE(near<float>(expected, {1}));
}

TEST(Compare, AReferenceThatAllowsAnythingIsRefused) {
  EXPECT_FALSE(near<float>({{1, INFINITY}}, {1}));
  EXPECT_FALSE(near<float>({{1, NAN}}, {1}));
  EXPECT_FALSE(near<float>({{1, 0.1}, {1, 0}}, {1, 1}));
}

TEST(Compare, PoisonIsNeverNear) {
  EXPECT_FALSE(near<float>({{0, 0}}, {std::bit_cast<float>(0xa5a5a5a5)}));
}

// All 65,536 halves and bfloats survive the way through double, and the midpoints go to the even one.
template <class T> void roundTrip() {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const T x{uint16_t(bits)};
    const double v = value(x);
    if (std::isnan(v))
      continue;
    ASSERT_EQ(as<T>(v).bits, bits);
    const T next{uint16_t(bits + 1)};
    if (std::isfinite(v) && std::isfinite(value(next)) && (bits & 0x7fff) != 0x7fff) {
      ASSERT_EQ(as<T>((v + value(next)) / 2).bits, bits & 1 ? bits + 1 : bits) << v;
    }
  }
}
TEST(Number, EveryHalfRoundTrips) {
  roundTrip<Half>();
}
TEST(Number, EveryBfloatRoundTrips) {
  roundTrip<Bfloat>();
}

TEST(Real, BoundsAChainOfFloatOperations) {
  const auto x = uniform<float>(2000, 3, 0.1, 4);
  std::vector<Real> expected;
  std::vector<float> actual;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    expected.push_back((Real(x[i]) - Real(x[i + 1])) * exp(Real(x[i])) / (Real(1) + Real(x[i + 1])));
    actual.push_back((x[i] - x[i + 1]) * std::exp(x[i]) / (1 + x[i + 1]));
  }
  EXPECT_TRUE(near(expected, actual));
}

TEST(Real, BoundsASumInAnyOrder) {
  const auto x = uniform<float>(5000, 4);
  float up = 0, down = 0;
  for (size_t i = 0; i < x.size(); ++i)
    up += x[i], down += x[x.size() - 1 - i];
  const Real total = sum({x.begin(), x.end()});
  EXPECT_TRUE(near<float>({total, total, 1}, {up, down, 1}));
  EXPECT_NE(up, down);
}

} // namespace
} // namespace assay::projects
