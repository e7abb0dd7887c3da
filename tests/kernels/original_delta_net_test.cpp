// gated_delta_net.metal, unchanged, against the delta-rule oracles.
#include "tests/kernels/oracles/delta_net_cases.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;

constexpr const char *kFile = "gated_delta_net.metal";

KernelRun deltaNet(const DeltaNetShape &s, const DeltaNetInputs &in) {
  KernelRun run(originalKernel(kFile), "gated_delta_net_f32");
  run.input(0, in.q).input(1, in.k).input(2, in.v).input(3, in.g).input(4, in.beta).input(5, in.state);
  run.output<float>(6, s.valueCount()).output<float>(7, s.stateCount());
  run.input(8, std::vector<uint32_t>{s.keySize, s.valueSize, s.keyHeads, s.valueHeads, s.tokens, s.sequences,
                                     0, 0});
  run.threadgroupMemory(0, (2 * s.keySize + 2 * s.valueSize) * 4);
  return run;
}

template <class Profile>
void expectBits(const NumericsProfile &numerics, const DeltaNetShape &s, const DeltaNetInputs &in,
                Size groups, uint32_t threads) {
  const auto expected = deltaNetExact<Profile>(s, in);
  KernelRun run = deltaNet(s, in);
  run.numerics(numerics);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups(groups, {threads}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(expected.output, run.read<float>(6))) << "output";
        EXPECT_TRUE(bitsEqual(expected.state, run.read<float>(7))) << "state_out";
      });
}

void expectBits(const DeltaNetShape &s, uint64_t seed) {
  expectBits<Apple>(kAppleNumerics, s, makeDeltaNetCase(s, seed), {s.valueHeads, s.sequences}, s.valueSize);
}

TEST(OriginalDeltaNet, EqualsTheOracleWithMoreValuesThanKeys) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectBits({24, 40, 1, 2, 11, 1}, 61);
}

TEST(OriginalDeltaNet, EqualsTheOracleWithMoreKeysThanValues) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectBits({128, 22, 1, 2, 11, 1}, 62);
}

TEST(OriginalDeltaNet, TilesKeyHeadsOverValueHeadsAndKeepsSequencesApart) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectBits({16, 32, 2, 6, 9, 3}, 63);
}

TEST(OriginalDeltaNet, EqualsTheOracleOverManyTokens) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectBits({32, 48, 1, 1, 400, 2}, 64);
}

TEST(OriginalDeltaNet, EqualsTheOracleAtTheModelsOwnSize) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectBits({128, 128, 2, 4, 8, 1}, 65);
}

TEST(OriginalDeltaNet, CopiesTheStateWhenThereAreNoTokens) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{8, 8, 1, 1, 0, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 66);
  for (std::vector<float> *input : {&in.q, &in.k, &in.v, &in.g, &in.beta})
    input->resize(1); // a buffer has at least something in it
  KernelRun run = deltaNet(s, in);
  run.output<float>(6, 1);
  in.state[0] = std::bit_cast<float>(0x00000001u); // a load and a store keep what arithmetic would flush
  in.state[1] = std::bit_cast<float>(0x7fc01234u);
  run.input(5, in.state);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {8}));
  EXPECT_TRUE(bitsEqual(in.state, run.read<float>(7)));
}

TEST(OriginalDeltaNet, SendsSurplusThreadsAndThreadgroupsHome) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{20, 38, 1, 2, 7, 2};
  expectBits<Apple>(kAppleNumerics, s, makeDeltaNetCase(s, 67), {3, 3}, 70);
}

TEST(OriginalDeltaNet, EqualsTheOracleUnderIeee) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{24, 40, 2, 4, 21, 2};
  expectBits<Ieee>(kIeeeNumerics, s, makeDeltaNetCase(s, 68), {s.valueHeads, s.sequences}, s.valueSize);
}

TEST(OriginalDeltaNet, FlushesAStateThatDecaysAwayUnderAppleOnly) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{8, 8, 1, 1, 30, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 69);
  std::fill(in.g.begin(), in.g.end(), 4.5f); // the first state passes 2^-126 after 19 tokens
  std::fill(in.beta.begin(), in.beta.end(), 0.0f);
  ASSERT_FALSE(deltaNetExact<Apple>(s, in).output == deltaNetExact<Ieee>(s, in).output);
  expectBits<Apple>(kAppleNumerics, s, in, {1, 1}, 8);
  expectBits<Ieee>(kIeeeNumerics, s, in, {1, 1}, 8);
}

TEST(OriginalDeltaNet, MakesOneNaNOfEveryNaN) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{8, 8, 1, 1, 3, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 70);
  in.state[3] = std::bit_cast<float>(0xffc0deadu);
  in.v[9] = kInfinity;
  in.k[17] = kInfinity;
  expectBits<Apple>(kAppleNumerics, s, in, {1, 1}, 8);
}

TEST(OriginalDeltaNet, DriftsFromFloat64ByLessThanItsBound) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{128, 16, 1, 2, 200, 1};
  const DeltaNetInputs in = makeDeltaNetCase(s, 71);
  KernelRun run = deltaNet(s, in);
  ASSERT_TRUE(run.dispatchThreadgroups({2, 1}, {16}));
  const auto reference = deltaNetReference(s, in), bounds = deltaNetBounds(s, in);
  const std::vector<float> output = run.read<float>(6), state = run.read<float>(7);
  double worst = 0;
  for (size_t i = 0; i < output.size(); ++i) {
    worst = std::max(worst, std::abs(output[i] - reference.output[i]));
    EXPECT_LE(std::abs(output[i] - reference.output[i]), bounds.output[i]) << i;
  }
  for (size_t i = 0; i < state.size(); ++i)
    EXPECT_LE(std::abs(state[i] - reference.state[i]), bounds.state[i]) << i;
  RecordProperty("drift", fmt::format("{:.3g}", worst));
}

TEST(OriginalDeltaNet, WouldFailOnOneFlippedBit) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  const DeltaNetShape s{8, 8, 1, 1, 3, 1};
  const DeltaNetInputs in = makeDeltaNetCase(s, 72);
  KernelRun run = deltaNet(s, in);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {8}));
  std::vector<float> output = run.read<float>(6);
  const auto expected = deltaNetExact<Apple>(s, in);
  ASSERT_TRUE(bitsEqual(expected.output, output));
  output[13] = std::bit_cast<float>(std::bit_cast<uint32_t>(output[13]) ^ 1u);
  EXPECT_FALSE(bitsEqual(expected.output, output));
}

} // namespace
} // namespace assay
