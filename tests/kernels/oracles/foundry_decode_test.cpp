// The oracle of decoding against what can be worked out by hand, and its two kinds against each other.
#include "foundry_decode.h"

#include "f32.h"
#include "matrix.h"

#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::oracle {
namespace {

using namespace testing_support;

std::vector<uint16_t> halves(const std::vector<float> &values) {
  std::vector<uint16_t> bits;
  for (const float x : values)
    bits.push_back(toHalf(x));
  return bits;
}

struct Problem {
  DecodeShape shape;
  DecodeInputs in;
};

Problem random(int headDim, int keys, float amplitude) {
  Problem p;
  p.shape.heads = 2, p.shape.headDim = headDim, p.shape.capacity = keys, p.shape.scale = 0.125f;
  p.in.q = halves(uniformFloats(2 * headDim, 1, -amplitude, amplitude));
  p.in.k.bits = halves(uniformFloats(size_t(keys) * headDim, 2, -amplitude, amplitude));
  p.in.v.bits = halves(uniformFloats(size_t(keys) * headDim, 3));
  p.in.lengths = {uint32_t(keys)};
  return p;
}

TEST(FoundryDecodeOracle, OneKeyGivesItsValue) {
  const Problem p = random(32, 1, 2);
  std::vector<uint16_t> twice = p.in.v.bits;
  twice.insert(twice.end(), p.in.v.bits.begin(), p.in.v.bits.end());
  EXPECT_TRUE(bitsEqual(twice, flashDecodeExact<Apple>(p.shape, p.in, {4, 2, 2})));
  EXPECT_TRUE(bitsEqual(twice, flashDecodeExact<Ieee>(p.shape, p.in, {1, 1, 4})));
}

TEST(FoundryDecodeOracle, WeighsBySoftmaxOfScaledProducts) {
  // Scores ln 3 and 0 by way of a mask: weights 3/4 and 1/4. Without it 1/2 and 1/2.
  Problem p = random(32, 2, 0);
  p.shape.heads = 1;
  for (int d = 0; d < 32; ++d)
    p.in.v.bits[d] = toHalf(4), p.in.v.bits[32 + d] = toHalf(8);
  p.in.q.resize(32);
  EXPECT_DOUBLE_EQ(flashDecodeReference(p.shape, p.in, {}).out[0], 6);
  EXPECT_EQ(fromHalf(flashDecodeExact<Apple>(p.shape, p.in, {2, 1, 2})[5]), 6.0f);
  p.in.mask = {std::log(3.0f), 0};
  EXPECT_NEAR(flashDecodeReference(p.shape, p.in, {}).out[0], 5, 1e-6);
  EXPECT_EQ(fromHalf(flashDecodeExact<Apple>(p.shape, p.in, {2, 1, 2})[5]), 5.0f);
  // The same scores by products: q = 1, k = 8 ln 3 / 32 in each of 32 elements, scale 1/8.
  p.in.mask.clear();
  std::fill(p.in.q.begin(), p.in.q.end(), toHalf(1));
  std::fill_n(p.in.k.bits.begin(), 32, toHalf(8 * std::log(3.0f) / 32));
  EXPECT_NEAR(flashDecodeReference(p.shape, p.in, {}).out[0], 5, 1e-3); // k is a half
}

TEST(FoundryDecodeOracle, HidesKeys) {
  Problem p = random(32, 3, 1);
  p.in.mask.assign(6, 0.0f);
  p.in.mask[0] = p.in.mask[2] = -kInfinity; // head 0 sees key 1 alone
  p.in.padding = {1, 1, 0};                 // and head 1 keys 0 and 1
  const std::vector<uint16_t> out = flashDecodeExact<Apple>(p.shape, p.in, {2, 2, 2});
  for (int d = 0; d < 32; ++d)
    EXPECT_EQ(out[d], p.in.v.bits[32 + d]);
  p.in.lengths = {0};
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(64, 0), flashDecodeExact<Apple>(p.shape, p.in, {2, 2, 2})));
}

TEST(FoundryDecodeOracle, RotatesByAQuarter) {
  Problem p = random(4, 1, 1);
  p.shape.heads = 1;
  p.in.q = halves({1, 2, 3, 4});
  p.in.rope = DecodeRope{{0, 1}, {1, 0}, {0}, 2, false}; // pair 0 by 90 degrees, pair 1 not at all
  EXPECT_TRUE(bitsEqual(halves({-3, 2, 1, 4}), rotatedQuery<Apple>(p.shape, p.in)));
  p.in.rope->neighbours = true;
  EXPECT_TRUE(bitsEqual(halves({-2, 1, 3, 4}), rotatedQuery<Apple>(p.shape, p.in)));
  p.in.rope = DecodeRope{{0}, {1}, {0}, 1, false}; // part of a head
  EXPECT_TRUE(bitsEqual(halves({-2, 1, 3, 4}), rotatedQuery<Apple>(p.shape, p.in)));
}

TEST(FoundryDecodeOracle, BytesAreTimesTheirScales) {
  Problem p = random(32, 33, 0);
  p.shape.heads = 1;
  p.in.q.resize(32);
  p.in.lengths = {33};
  p.in.mask.assign(33, -kInfinity);
  p.in.mask[32] = 0; // the first key of the second block
  p.in.v.bits.clear();
  p.in.v.bytes.assign(33 * 32, 3);
  p.in.v.scales = {100, 200, 0.5f, 2}; // [block][chunk] of 16 elements
  p.in.v.chunk = 16;
  std::vector<float> expected(32, 1.5f);
  std::fill(expected.begin() + 16, expected.end(), 6.0f);
  EXPECT_TRUE(bitsEqual(halves(expected), flashDecodeExact<Apple>(p.shape, p.in, {1, 4, 2})));
}

TEST(FoundryDecodeOracle, ExactStaysWithinTheBoundWhateverTheOrder) {
  for (const float amplitude : {0.5f, 4.0f}) {
    const Problem p = random(80, 150, amplitude);
    for (const DecodeOrder order : {DecodeOrder{1, 1, 2}, DecodeOrder{1, 32, 4}, DecodeOrder{8, 4, 2},
                                    DecodeOrder{32, 8, 4}, DecodeOrder{8, 4, 2, true}}) {
      const DecodeReference reference = flashDecodeReference(p.shape, p.in, order);
      for (const auto &bits :
           {flashDecodeExact<Apple>(p.shape, p.in, order), flashDecodeExact<Ieee>(p.shape, p.in, order)})
        for (size_t i = 0; i < bits.size(); ++i)
          ASSERT_LE(std::fabs(fromHalf(bits[i]) - reference.out[i]), reference.bound[i]) << "element " << i;
    }
  }
}

TEST(FoundryDecodeOracle, TheBoundIsNearlyTheOutputsOwnRounding) {
  // Else it would accept anything: beside what a half costs, floats may cost 2^-15 of the largest value.
  const Problem p = random(64, 150, 1);
  for (const bool halfPartials : {false, true}) {
    const DecodeReference reference = flashDecodeReference(p.shape, p.in, {8, 4, 2, halfPartials});
    for (size_t i = 0; i < reference.out.size(); ++i)
      EXPECT_LE(reference.bound[i],
                (halfPartials ? 0x1p-11 : 0) + 0x1p-11 * std::fabs(reference.out[i]) + 0x1p-15);
  }
}

TEST(FoundryDecodeOracle, QuantisesByTheLargestOfItsGroup) {
  // Two chunks of two elements, two keys: scales 2 and 0.5.
  const DecodeCache made =
      quantisedRows({254, 1, 63.5f, 0.25f, -3, 5, -63.5f, -0.75f, 9, 9, 9, 9}, 1, 3, 4, 2, 2, false);
  EXPECT_EQ(made.scales, (std::vector<float>{2, 0.5f}));
  EXPECT_EQ(made.bytes, (std::vector<int8_t>{127, 0, 127, 0, -2, 2, -127, -2, 0, 0, 0, 0}));
}

} // namespace
} // namespace assay::oracle
