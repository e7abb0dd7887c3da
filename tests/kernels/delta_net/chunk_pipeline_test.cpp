// The chunk pipeline as a whole: every buffer between its steps in all bits,
// its results against the recurrence.
#include "tensors.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/within.h"

namespace assay::kernels::delta_net {
namespace {

template <class Profile>
void expectPipeline(const DeltaChunkShape &s, const DeltaChunkInputs &in,
                    const ChunkGatedDeltaRuleReport &report, const ChunkGatedDeltaRuleArguments &a) {
  const DeltaChunkExact<Profile> exact{s};
  const Floats sums = exact.gateSums(in.logGates), m = exact.kkt(in.k, in.beta, sums), x = exact.inverse(m);
  const auto wu = exact.wu(in.k, in.v, in.beta, sums, x);
  const auto states = exact.states(in.k, wu.w, wu.u, sums, in.h0);
  EXPECT_TRUE(bitsEqual(sums, values<float>(report.sums))) << "sums";
  EXPECT_TRUE(bitsEqual(m, values<float>(report.a))) << "A";
  EXPECT_TRUE(bitsEqual(x, values<float>(report.inverse))) << "inverse";
  EXPECT_TRUE(bitsEqual(wu.w, values<uint16_t>(report.w))) << "w";
  EXPECT_TRUE(bitsEqual(wu.u, values<uint16_t>(report.u))) << "u";
  EXPECT_TRUE(bitsEqual(states.h, values<uint16_t>(report.h))) << "h";
  EXPECT_TRUE(bitsEqual(states.d, values<uint16_t>(report.writes))) << "writes";
  EXPECT_TRUE(bitsEqual(states.last, values<float>(a.finalState))) << "final state";
  EXPECT_TRUE(bitsEqual(exact.outputs(in.q, in.k, states.d, states.h, sums, a.scale), values<uint16_t>(a.o)))
      << "o";
}

TEST(ChunkPipeline, EqualsTheOracleFromStepToStepWithKeyHeadsInBlocks) {
  const DeltaChunkShape s{1, 128, 2, 4, 64, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 81);
  ChunkGatedDeltaRuleArguments a = arguments(s, in);
  a.scale = 0.125f;
  KernelSet set = ownKernels();
  const auto report = dispatchChunkGatedDeltaRule(set, a);
  ASSERT_TRUE(ran(report));
  EXPECT_EQ(report->dispatches, 6u);
  expectPipeline<Apple>(s, in, *report, a);
}

TEST(ChunkPipeline, EqualsTheOracleAtTheModelsOwnSizeAndUnderIeee) {
  const DeltaChunkShape s{1, 64, 1, 1, 128, 128};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 82);
  ChunkGatedDeltaRuleArguments a = arguments(s, in);
  KernelSet apple = ownKernels(), ieee = ownKernels(kIeeeNumerics);
  const auto report = dispatchChunkGatedDeltaRule(apple, a);
  ASSERT_TRUE(ran(report));
  expectPipeline<Apple>(s, in, *report, a);
  const auto second = dispatchChunkGatedDeltaRule(ieee, a);
  ASSERT_TRUE(ran(second));
  expectPipeline<Ieee>(s, in, *second, a);
}

TEST(ChunkPipeline, RepeatsTiledKeyHeadsBeforeItCountsInBlocks) {
  const DeltaChunkShape s{2, 64, 2, 4, 64, 64}, expanded{2, 64, 4, 4, 64, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 83);
  ChunkGatedDeltaRuleArguments a = arguments(s, in);
  a.keyHeads = KeyHeads::Tiled;
  KernelSet set = ownKernels();
  const auto report = dispatchChunkGatedDeltaRule(set, a);
  ASSERT_TRUE(ran(report));
  EXPECT_EQ(report->dispatches, 8u);
  DeltaChunkInputs tiled = in;
  tiled.q = repeatTiled(in.q, 2, 4, 64), tiled.k = repeatTiled(in.k, 2, 4, 64);
  expectPipeline<Apple>(expanded, tiled, *report, a);
  // And against the recurrence itself, which tiles by its own rule.
  DeltaNetInputs recurrence{toFloats(in.q), toFloats(in.k), toFloats(in.v), in.logGates, in.beta, in.h0};
  for (float &g : recurrence.g)
    g = -g;
  const auto reference = deltaNetReference(recurrenceShape(s), recurrence);
  Reals bounds = deltaChunkPipeline(expanded, tiled, 1).o;
  for (size_t i = 0; i < bounds.size(); ++i)
    bounds[i].value = reference.output[i];
  const Bfloats tiledOutput = values<uint16_t>(a.o);
  EXPECT_TRUE(within(tiledOutput, bounds));

  a.keyHeads = KeyHeads::Block; // the mix-up: it runs, and the values are others
  ASSERT_TRUE(ran(dispatchChunkGatedDeltaRule(set, a)));
  EXPECT_FALSE(within(values<uint16_t>(a.o), bounds));
}

TEST(ChunkPipeline, NormalisesQueriesAndKeysFirst) {
  const DeltaChunkShape s{1, 64, 1, 2, 64, 64};
  DeltaChunkInputs in = makeDeltaChunkCase(s, 84);
  in.q = toBfloats(uniformFloats(in.q.size(), 85, -2, 2));
  in.k = toBfloats(uniformFloats(in.k.size(), 86, -2, 2));
  ChunkGatedDeltaRuleArguments a = arguments(s, in);
  a.normalise = true;
  KernelSet set = ownKernels();
  const auto report = dispatchChunkGatedDeltaRule(set, a);
  ASSERT_TRUE(ran(report));
  DeltaChunkInputs normal = in;
  normal.q = l2NormExact<Apple>(in.q, 64, 64, 1e-6f), normal.k = l2NormExact<Apple>(in.k, 64, 64, 1e-6f);
  expectPipeline<Apple>(s, normal, *report, a);
}

// The last chunk is filled up with tokens that change nothing: the state is that of the tokens there are, to
// the bit what a sequence with such tokens gives.
TEST(ChunkPipeline, StandsInForTheRecurrenceWithAnyNumberOfTokens) {
  const DeltaNetShape s{64, 64, 1, 2, 83, 2};
  const DeltaNetInputs in = makeDeltaNetCase(s, 87);
  GatedDeltaNetArguments a = arguments(s, in);
  KernelSet set = ownKernels();
  ASSERT_TRUE(ran(dispatchGatedDeltaNetByChunks(set, a)));

  const DeltaChunkShape padded{2, 128, 2, 2, 64, 64};
  const auto pad = [&](const auto &rows, size_t row) {
    auto out = rows;
    out.clear();
    for (size_t sequence = 0; sequence < 2; ++sequence) {
      const auto first = rows.begin() + ptrdiff_t(sequence * 83 * row);
      out.insert(out.end(), first, first + ptrdiff_t(83 * row));
      out.resize((sequence + 1) * 128 * row);
    }
    return out;
  };
  Floats logGates = in.g;
  for (float &g : logGates)
    g = -g;
  const Bfloats q = pad(repeatTiled(toBfloats(in.q), 1, 2, 64), 128),
                k = pad(repeatTiled(toBfloats(in.k), 1, 2, 64), 128);
  const Bfloats v = pad(toBfloats(in.v), 128);
  const Floats beta = pad(in.beta, 2);
  const DeltaChunkExact<Apple> exact{padded};
  const Floats sums = exact.gateSums(pad(logGates, 2));
  const auto wu = exact.wu(k, v, beta, sums, exact.inverse(exact.kkt(k, beta, sums)));
  const auto states = exact.states(k, wu.w, wu.u, sums, in.state);
  EXPECT_TRUE(bitsEqual(states.last, values<float>(a.stateOut)));
  const Floats o = toFloats(exact.outputs(q, k, states.d, states.h, sums, 1));
  Floats kept;
  for (size_t sequence = 0; sequence < 2; ++sequence)
    kept.insert(kept.end(), o.begin() + ptrdiff_t(sequence * 128 * 128),
                o.begin() + ptrdiff_t((sequence * 128 + 83) * 128));
  EXPECT_TRUE(bitsEqual(kept, values<float>(a.output)));

  const DeltaNetInputs rounded{toFloats(toBfloats(in.q)),
                               toFloats(toBfloats(in.k)),
                               toFloats(toBfloats(in.v)),
                               in.g,
                               in.beta,
                               in.state};
  const auto reference = deltaNetReference(s, rounded);
  Reals bounds = deltaChunkPipeline(padded, {q, k, v, pad(logGates, 2), beta, in.state}, 1).last;
  for (size_t i = 0; i < bounds.size(); ++i)
    bounds[i].value = reference.state[i]; // of 83 tokens
  EXPECT_TRUE(within(values<float>(a.stateOut), bounds));
}

} // namespace
} // namespace assay::kernels::delta_net
