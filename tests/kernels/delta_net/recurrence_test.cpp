// gated_delta_net.metal against the oracle's recurrence, in all bits, and against float64.
#include "tensors.h"

#include "tests/kernels/oracles/f32.h"

#include <bit>

namespace assay::kernels::delta_net {
namespace {

template <class Profile>
void expectBits(const NumericsProfile &numerics, const DeltaNetShape &s, const DeltaNetInputs &in,
                bool everyWay = false) {
  expectBitsOf(deltaNetExact<Profile>(s, in), numerics, s, in, dispatchGatedDeltaNet, everyWay);
}

void expectBits(const DeltaNetShape &s, uint64_t seed, bool everyWay = false) {
  expectBits<Apple>(kAppleNumerics, s, makeDeltaNetCase(s, seed), everyWay);
}

TEST(GatedDeltaNet, EqualsTheOracleInEveryBitAndEveryWay) {
  expectBits({24, 40, 2, 6, 9, 2}, 41, true);
}
TEST(GatedDeltaNet, EqualsTheOracleWithMoreKeysThanValues) {
  expectBits({128, 22, 1, 2, 7, 1}, 42);
}
TEST(GatedDeltaNet, EqualsTheOracleWithOddSizes) {
  expectBits({13, 33, 3, 3, 5, 1}, 43);
}
TEST(GatedDeltaNet, EqualsTheOracleAtTheModelsOwnSize) {
  expectBits({128, 128, 2, 4, 4, 1}, 44);
}
TEST(GatedDeltaNet, EqualsTheOracleOverManyTokens) {
  expectBits({32, 36, 1, 1, 300, 1}, 45);
}
TEST(GatedDeltaNet, EqualsTheOracleForOneToken) {
  expectBits({64, 64, 1, 2, 1, 2}, 46);
}

TEST(GatedDeltaNet, TilesKeyHeadsOverValueHeads) {
  const DeltaNetShape s{16, 16, 2, 4, 3, 1};
  expectBits(s, 47);
  // In blocks it would be another result: the case can tell.
  DeltaNetInputs blocks = makeDeltaNetCase(s, 47);
  const auto tiled = deltaNetExact<Apple>(s, blocks);
  const DeltaNetShape expanded{16, 16, 4, 4, 3, 1};
  for (std::vector<float> *heads : {&blocks.q, &blocks.k}) {
    std::vector<float> out;
    for (size_t row = 0; row < heads->size(); row += 16)
      for (int copy = 0; copy < 2; ++copy)
        out.insert(out.end(), heads->begin() + ptrdiff_t(row), heads->begin() + ptrdiff_t(row + 16));
    *heads = out;
  }
  EXPECT_NE(deltaNetExact<Apple>(expanded, blocks).output, tiled.output);
}

TEST(GatedDeltaNet, EqualsTheOracleUnderIeee) {
  const DeltaNetShape s{24, 40, 2, 6, 9, 2};
  expectBits<Ieee>(kIeeeNumerics, s, makeDeltaNetCase(s, 48));
}

TEST(GatedDeltaNet, FlushesAStateThatDecaysAwayUnderAppleOnly) {
  const DeltaNetShape s{8, 8, 1, 1, 30, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 49);
  std::fill(in.g.begin(), in.g.end(), 4.5f); // e^-4.5 a token: the first state passes 2^-126 after 19 tokens
  std::fill(in.beta.begin(), in.beta.end(), 0.0f);
  ASSERT_NE(deltaNetExact<Apple>(s, in).output, deltaNetExact<Ieee>(s, in).output);
  expectBits<Apple>(kAppleNumerics, s, in);
  expectBits<Ieee>(kIeeeNumerics, s, in);
}

TEST(GatedDeltaNet, MakesOneNaNOfEveryNaN) {
  const DeltaNetShape s{8, 8, 1, 1, 3, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 50);
  in.state[3] = std::bit_cast<float>(0xffc0deadu);
  in.v[9] = kInfinity;
  in.k[17] = kInfinity;
  expectBits<Apple>(kAppleNumerics, s, in);
}

TEST(GatedDeltaNet, WritesTheStateOverTheOneItRead) {
  const DeltaNetShape s{24, 20, 1, 2, 4, 2};
  const DeltaNetInputs in = makeDeltaNetCase(s, 51);
  GatedDeltaNetArguments a = arguments(s, in);
  a.stateOut = a.stateIn;
  KernelSet set = ownKernels();
  ASSERT_TRUE(ran(dispatchGatedDeltaNet(set, a)));
  const auto expected = deltaNetExact<Apple>(s, in);
  EXPECT_TRUE(bitsEqual(expected.output, values<float>(a.output)));
  EXPECT_TRUE(bitsEqual(expected.state, values<float>(a.stateIn)));
}

TEST(GatedDeltaNet, ReadsTensorsThatBeginInsideABuffer) {
  const DeltaNetShape s{16, 8, 1, 1, 2, 1};
  const DeltaNetInputs in = makeDeltaNetCase(s, 52);
  GatedDeltaNetArguments a = arguments(s, in);
  std::vector<float> shifted(in.k.size() + 12, 1e30f);
  std::copy(in.k.begin(), in.k.end(), shifted.begin() + 12);
  a.k = tensor(shifted, a.k.sizes);
  a.k.offset = 12;
  KernelSet set = ownKernels();
  ASSERT_TRUE(ran(dispatchGatedDeltaNet(set, a)));
  EXPECT_TRUE(bitsEqual(deltaNetExact<Apple>(s, in).output, values<float>(a.output)));
}

// The kernel's own edges, which no dispatcher asks for:
// threads without a row, threadgroups without a head, no token.
TEST(GatedDeltaNet, LetsThreadsThatOwnNothingWaitAtTheBarriers) {
  const DeltaNetShape s{64, 33, 1, 2, 5, 2};
  const DeltaNetInputs in = makeDeltaNetCase(s, 53);
  const auto expected = deltaNetExact<Apple>(s, in);
  KernelRun run(ownKernel("recurrence/gated_delta_net.metal"), "gated_delta_net_f32");
  run.input(0, in.q).input(1, in.k).input(2, in.v).input(3, in.g).input(4, in.beta).input(5, in.state);
  run.output<float>(6, s.valueCount()).output<float>(7, s.stateCount());
  run.input(8, std::vector<uint32_t>{64, 33, 1, 2, 5, 2, 0, 0}).threadgroupMemory(0, 784);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({3, 3}, {100}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(expected.output, run.read<float>(6)));
        EXPECT_TRUE(bitsEqual(expected.state, run.read<float>(7)));
      });
}

TEST(GatedDeltaNet, CopiesTheStateWhenThereAreNoTokens) {
  std::vector<float> state(64, 0.5f);
  state[0] = std::bit_cast<float>(0x00000001u); // a load and a store keep what arithmetic would flush
  state[1] = std::bit_cast<float>(0x7fc01234u);
  KernelRun run(ownKernel("recurrence/gated_delta_net.metal"), "gated_delta_net_f32");
  for (uint32_t index = 0; index < 5; ++index)
    run.input(index, std::vector<float>{0});
  run.input(5, state).output<float>(6, 1).output<float>(7, 64);
  run.input(8, std::vector<uint32_t>{8, 8, 1, 1, 0, 1, 0, 0}).threadgroupMemory(0, 128);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {8}));
  EXPECT_TRUE(bitsEqual(state, run.read<float>(7)));
}

TEST(GatedDeltaNet, StaysWithinItsBoundOfFloat64) {
  for (const NumericsProfile &numerics : {kAppleNumerics, kIeeeNumerics}) {
    const DeltaNetShape s{128, 16, 1, 2, 200, 1};
    const DeltaNetInputs in = makeDeltaNetCase(s, 54);
    GatedDeltaNetArguments a = arguments(s, in);
    KernelSet set = ownKernels(numerics);
    ASSERT_TRUE(ran(dispatchGatedDeltaNet(set, a)));
    const auto reference = deltaNetReference(s, in), bounds = deltaNetBounds(s, in);
    const std::vector<float> output = values<float>(a.output), state = values<float>(a.stateOut);
    double worst = 0, bound = 0;
    for (size_t i = 0; i < output.size(); ++i) {
      ASSERT_LE(std::fabs(output[i] - reference.output[i]), bounds.output[i]) << "output " << i;
      worst = std::max(worst, std::fabs(output[i] - reference.output[i]));
      bound = std::max(bound, bounds.output[i]);
    }
    for (size_t i = 0; i < state.size(); ++i)
      ASSERT_LE(std::fabs(state[i] - reference.state[i]), bounds.state[i]) << "state " << i;
    RecordProperty("worst", fmt::format("{:.2g} of at most {:.2g}", worst, bound));
  }
}

TEST(GatedDeltaNet, WouldFailOnOneFlippedBit) {
  const DeltaNetShape s{8, 8, 1, 1, 3, 1};
  const DeltaNetInputs in = makeDeltaNetCase(s, 55);
  GatedDeltaNetArguments a = arguments(s, in);
  KernelSet set = ownKernels();
  ASSERT_TRUE(ran(dispatchGatedDeltaNet(set, a)));
  std::vector<float> output = values<float>(a.output);
  output[13] = std::bit_cast<float>(std::bit_cast<uint32_t>(output[13]) ^ 1u);
  EXPECT_FALSE(bitsEqual(deltaNetExact<Apple>(s, in).output, output));
}

} // namespace
} // namespace assay::kernels::delta_net
