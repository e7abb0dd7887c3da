// The chunk oracles: the reference against the recurrence, both in float64; the exact ones against the
// reference; and what can be done by hand.
#include "delta_chunk_cases.h"
#include "f32.h"
#include "within.h"

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

constexpr DeltaChunkShape kShape{2, 192, 2, 4, 64, 64};

double worstDifference(const Reals &chunks, const std::vector<double> &recurrence) {
  EXPECT_EQ(chunks.size(), recurrence.size());
  double worst = 0;
  for (size_t i = 0; i < chunks.size(); ++i)
    worst = std::max(worst, std::fabs(chunks[i].value - recurrence[i]));
  return worst;
}

// Values of the references carry no rounding but a double's: the algebra alone is judged, to about 2^-53 *
// 64 * 64 * 4.
TEST(OracleDeltaChunk, FormulasEqualTheRecurrenceInFloat64) {
  for (const Memory memory : {Memory::Short, Memory::Long}) {
    const DeltaChunkInputs in = makeDeltaChunkCase(kShape, 11, memory);
    const auto [o, last] = deltaChunkPipeline(kShape, in, 0.25);
    auto recurrence = deltaNetReference(expandedShape(kShape), asRecurrence(kShape, in));
    for (double &x : recurrence.output)
      x *= 0.25;
    EXPECT_LT(worstDifference(o, recurrence.output), 1e-11);
    EXPECT_LT(worstDifference(last, recurrence.state), 1e-11);
  }
}

TEST(OracleDeltaChunk, BlocksAndTilesOfKeyHeadsDiffer) {
  const DeltaChunkShape shape{1, 64, 2, 4, 64, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(shape, 12);
  DeltaNetInputs tiled = asRecurrence(shape, in);
  tiled.q = repeatTiled(toFloats(in.q), 2, 4, 64);
  tiled.k = repeatTiled(toFloats(in.k), 2, 4, 64);
  const auto blocks = deltaNetReference(expandedShape(shape), asRecurrence(shape, in));
  const auto tiles = deltaNetReference(expandedShape(shape), tiled);
  tiled.q = toFloats(in.q), tiled.k = toFloats(in.k);
  EXPECT_EQ(tiles.output, deltaNetReference(recurrenceShape(shape), tiled).output);
  EXPECT_NE(tiles.output, blocks.output);
}

template <class Profile> void expectStepsWithinTheirBounds() {
  const DeltaChunkShape shape{2, 128, 1, 2, 64, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(shape, 13);
  const DeltaChunkExact<Profile> exact{shape};
  const DeltaChunkReference reference{shape};
  const Reals q = toReals(in.q), k = toReals(in.k), v = toReals(in.v), beta = toReals(in.beta);

  const Floats sums = exact.gateSums(in.logGates);
  EXPECT_TRUE(within(sums, reference.gateSums(toReals(in.logGates))));
  const Floats a = exact.kkt(in.k, in.beta, sums);
  EXPECT_TRUE(within(a, reference.kkt(k, beta, toReals(sums))));
  const Floats x = exact.inverse(a);
  EXPECT_TRUE(within(x, reference.inverse(toReals(a))));
  const auto wu = exact.wu(in.k, in.v, in.beta, sums, x);
  const auto wuReference = reference.wu(k, v, beta, toReals(sums), toReals(x));
  EXPECT_TRUE(within(wu.w, wuReference.w));
  EXPECT_TRUE(within(wu.u, wuReference.u));
  const auto states = exact.states(in.k, wu.w, wu.u, sums, in.h0);
  const auto statesReference =
      reference.states(k, toReals(wu.w), toReals(wu.u), toReals(sums), toReals(in.h0));
  EXPECT_TRUE(within(states.h, statesReference.h));
  EXPECT_TRUE(within(states.d, statesReference.d));
  EXPECT_TRUE(within(states.last, statesReference.last));
  const Bfloats o = exact.outputs(in.q, in.k, states.d, states.h, sums, 0.125f);
  EXPECT_TRUE(within(o, reference.outputs(q, k, toReals(states.d), toReals(states.h), toReals(sums), 0.125)));
  EXPECT_TRUE(within(l2NormExact<Profile>(in.q, 64, 64, 1e-6f), l2NormReference(q, 64, 1e-6f)));
}

TEST(OracleDeltaChunk, ExactStepsStayWithinTheirBoundsUnderApple) {
  expectStepsWithinTheirBounds<Apple>();
}
TEST(OracleDeltaChunk, ExactStepsStayWithinTheirBoundsUnderIeee) {
  expectStepsWithinTheirBounds<Ieee>();
}

// All keys the same unit vector, beta one half, no decay:
// A is 1/2 below the diagonal, and X[i, 0] = -(1/2)^i.
TEST(OracleDeltaChunk, InvertsWhatEqualKeysMake) {
  const DeltaChunkShape shape{1, 64, 1, 1, 64, 64};
  Bfloats k(64 * 64);
  for (size_t t = 0; t < 64; ++t)
    k[t * 64] = 0x3f80; // 1
  const Floats half(64, 0.5f), zeros(64);
  const DeltaChunkExact<Apple> exact{shape};
  const Floats a = exact.kkt(k, half, zeros);
  EXPECT_EQ(a[63 * 64 + 62], 0.5f);
  EXPECT_EQ(a[5 * 64 + 5], 0.0f);
  EXPECT_EQ(a[5 * 64 + 6], 0.0f);
  const Floats x = exact.inverse(a);
  for (int i = 1; i < 64; ++i)
    EXPECT_EQ(x[i * 64], -std::ldexp(1.0f, -i)) << i;
  EXPECT_EQ(x[7 * 64 + 7], 1.0f);
}

TEST(OracleDeltaChunk, NormsARowOfThreeAndFour) {
  const Bfloats out = l2NormExact<Apple>(toBfloats({3, 4, 0, 0}), 4, 4, 0);
  EXPECT_EQ(out, toBfloats({0.6f, 0.8f, 0, 0}));
}

TEST(OracleDeltaNetDecode, DiffersFromTheOtherOrderByRoundingsOnly) {
  const DeltaNetShape shape{128, 8, 1, 2, 3, 1};
  const DeltaNetInputs in = makeDeltaNetCase(shape, 14);
  const auto chain = deltaNetExact<Apple>(shape, in), lanes = deltaNetDecodeExact<Apple>(shape, in);
  EXPECT_NE(chain.output, lanes.output);
  for (size_t i = 0; i < chain.output.size(); ++i)
    EXPECT_NEAR(chain.output[i], lanes.output[i], 1e-6);
}

} // namespace
} // namespace assay::oracle
