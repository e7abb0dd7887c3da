// gated_delta_net_decode.metal: the recurrence with a row across a simdgroup.
#include "tensors.h"

#include "tests/kernels/oracles/f32.h"

namespace assay::kernels::delta_net {
namespace {

template <class Profile>
void expectBits(const NumericsProfile &numerics, const DeltaNetShape &s, uint64_t seed,
                bool everyWay = false) {
  const DeltaNetInputs in = makeDeltaNetCase(s, seed);
  expectBitsOf(deltaNetDecodeExact<Profile>(s, in), numerics, s, in, dispatchGatedDeltaNetDecode, everyWay);
}

TEST(GatedDeltaNetDecode, EqualsTheOracleForOneToken) {
  expectBits<Apple>(kAppleNumerics, {32, 5, 1, 2, 1, 1}, 61);
  expectBits<Apple>(kAppleNumerics, {64, 6, 1, 2, 1, 2}, 62);
  expectBits<Apple>(kAppleNumerics, {128, 128, 2, 4, 1, 1}, 63);
}

TEST(GatedDeltaNetDecode, EqualsTheOracleForSeveralTokensInEveryWay) {
  expectBits<Apple>(kAppleNumerics, {128, 8, 2, 6, 5, 2}, 64, true);
}

TEST(GatedDeltaNetDecode, EqualsTheOracleUnderIeee) {
  expectBits<Ieee>(kIeeeNumerics, {32, 4, 2, 4, 3, 2}, 65);
  expectBits<Ieee>(kIeeeNumerics, {64, 4, 2, 4, 3, 2}, 65);
  expectBits<Ieee>(kIeeeNumerics, {128, 8, 1, 2, 3, 1}, 66);
}

// Decoding token by token, each time from the state that the last one left,
// is what the recurrence does in one go.
TEST(GatedDeltaNetDecode, FollowsTheRecurrenceTokenByToken) {
  const DeltaNetShape s{64, 16, 1, 2, 40, 1};
  const DeltaNetInputs in = makeDeltaNetCase(s, 67);
  const auto reference = deltaNetReference(s, in), bounds = deltaNetBounds(s, in);
  KernelSet set = ownKernels();
  TensorView state = tensor(in.state, {1, 2, 16, 64});
  const auto rows = [](const std::vector<float> &all, uint32_t t, size_t row) {
    return std::vector<float>(all.begin() + ptrdiff_t(t * row), all.begin() + ptrdiff_t((t + 1) * row));
  };
  double worst = 0;
  for (uint32_t t = 0; t < s.tokens; ++t) {
    GatedDeltaNetArguments a =
        arguments({64, 16, 1, 2, 1, 1}, {rows(in.q, t, 64), rows(in.k, t, 64), rows(in.v, t, 32),
                                         rows(in.g, t, 2), rows(in.beta, t, 2), in.state});
    a.stateIn = a.stateOut = state;
    ASSERT_TRUE(ran(dispatchGatedDeltaNetDecode(set, a)));
    const std::vector<float> output = values<float>(a.output);
    for (size_t i = 0; i < output.size(); ++i) {
      const double error = std::fabs(output[i] - reference.output[t * 32 + i]);
      ASSERT_LE(error, bounds.output[t * 32 + i]) << t;
      worst = std::max(worst, error);
    }
  }
  RecordProperty("worst", fmt::format("{:.1e} of at most {:.1e}", worst,
                                      *std::max_element(bounds.output.begin(), bounds.output.end())));
  const std::vector<float> last = values<float>(state);
  for (size_t i = 0; i < last.size(); ++i)
    ASSERT_LE(std::fabs(last[i] - reference.state[i]), bounds.state[i]);
}

} // namespace
} // namespace assay::kernels::delta_net
