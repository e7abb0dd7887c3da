// kernels_msl/recurrence: threadgroup memory as an argument, barriers in a loop, threads that own nothing.
#include "tests/kernels/oracles/delta_net_cases.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;

template <class Profile>
void expectDeltaRule(const NumericsProfile &numerics, DeltaNetShape s, const DeltaNetInputs &in,
                     uint32_t threads) {
  const auto expected = deltaNetExact<Profile>(s, in);
  struct {
    uint32_t keySize, valueSize, keyHeads, valueHeads, tokens;
  } shape{s.keySize, s.valueSize, s.keyHeads, s.valueHeads, s.tokens};
  const uint32_t memory = (s.keySize * 4 + 15) / 16 * 16;
  KernelRun run(ownKernel("recurrence/delta_rule.metal"), "delta_rule");
  run.numerics(numerics);
  run.input(0, in.q).input(1, in.k).input(2, in.v).input(3, in.g).input(4, in.beta).inout(5, in.state);
  run.output<float>(6, s.valueCount())
      .bytes(7, shape)
      .threadgroupMemory(0, memory)
      .threadgroupMemory(1, memory);
  inAllWays(
      false,
      [&](const DispatchOptions &o) {
        return run.dispatchThreadgroups({s.valueHeads, s.sequences}, {threads}, o);
      },
      [&] {
        EXPECT_TRUE(bitsEqual(expected.output, run.read<float>(6))) << "answers";
        EXPECT_TRUE(bitsEqual(expected.state, run.read<float>(5))) << "state";
      });
}

TEST(DeltaRule, EqualsTheOracleInEveryBit) {
  const DeltaNetShape s{24, 40, 2, 6, 17, 2};
  expectDeltaRule<Apple>(kAppleNumerics, s, makeDeltaNetCase(s, 41), 40);
}

TEST(DeltaRule, LetsThreadsThatOwnNothingWaitAtTheBarriers) {
  const DeltaNetShape s{64, 33, 1, 2, 9, 1};
  expectDeltaRule<Apple>(kAppleNumerics, s, makeDeltaNetCase(s, 42), 100);
}

TEST(DeltaRule, EqualsTheOracleUnderIeee) {
  const DeltaNetShape s{24, 40, 2, 6, 17, 2};
  expectDeltaRule<Ieee>(kIeeeNumerics, s, makeDeltaNetCase(s, 41), 40);
}

TEST(DeltaRule, FlushesAStateThatDecaysAway) {
  const DeltaNetShape s{8, 8, 1, 1, 30, 1};
  DeltaNetInputs in = makeDeltaNetCase(s, 43);
  for (float &g : in.g)
    g = 4.5f; // e^-4.5 a token: the first state passes 2^-126 after 19 tokens
  std::fill(in.beta.begin(), in.beta.end(), 0.0f);
  ASSERT_FALSE(deltaNetExact<Apple>(s, in).output == deltaNetExact<Ieee>(s, in).output);
  expectDeltaRule<Apple>(kAppleNumerics, s, in, 8);
  expectDeltaRule<Ieee>(kIeeeNumerics, s, in, 8);
}

} // namespace
} // namespace assay
