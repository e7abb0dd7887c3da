// How far the chunk pipeline drifts from the recurrence in float64, by the length of the sequence, beside the
// float recurrence on the same inputs and the bound that follows from the roundings.
#include "tensors.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/within.h"

namespace assay::kernels::delta_net {
namespace {

struct Drift {
  double output = 0, state = 0, bound = 0, recurrence = 0, largest = 0;
};

double worst(const std::vector<float> &actual, const std::vector<double> &reference) {
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i)
    worst = std::max(worst, std::fabs(actual[i] - reference[i]));
  return worst;
}

Drift driftOver(uint32_t tokens, Memory memory) {
  const DeltaChunkShape s{1, tokens, 1, 1, 64, 64};
  const DeltaChunkInputs in = makeDeltaChunkCase(s, 91, memory);
  const DeltaNetInputs recurrence = asRecurrence(s, in);
  const DeltaNetShape plain = expandedShape(s);
  const auto reference = deltaNetReference(plain, recurrence);
  const auto bounds = deltaChunkPipeline(s, in, 1);
  KernelSet set = ownKernels();
  const ChunkGatedDeltaRuleArguments a = arguments(s, in);
  const GatedDeltaNetArguments b = arguments(plain, recurrence);
  EXPECT_TRUE(ran(dispatchChunkGatedDeltaRule(set, a)));
  EXPECT_TRUE(ran(dispatchGatedDeltaNet(set, b)));

  Drift drift;
  const Floats o = toFloats(values<uint16_t>(a.o)), last = values<float>(a.finalState);
  for (size_t i = 0; i < o.size(); ++i) {
    EXPECT_LE(std::fabs(o[i] - reference.output[i]), bounds.o[i].error) << "output " << i;
    drift.bound = std::max(drift.bound, bounds.o[i].error);
    drift.largest = std::max(drift.largest, std::fabs(reference.output[i]));
  }
  for (size_t i = 0; i < last.size(); ++i)
    EXPECT_LE(std::fabs(last[i] - reference.state[i]), bounds.last[i].error) << "state " << i;
  drift.output = worst(o, reference.output);
  drift.state = worst(last, reference.state);
  drift.recurrence = worst(values<float>(b.output), reference.output);
  return drift;
}

void expectDrift(Memory memory) {
  const std::vector<uint32_t> lengths{64, 256, 1024, 4096};
  std::vector<Drift> drifts;
  fmt::print("tokens  outputs up to  chunks: output  state    bound    recurrence: output\n");
  for (const uint32_t tokens : lengths) {
    drifts.push_back(driftOver(tokens, memory));
    const Drift &d = drifts.back();
    fmt::print("{:6}  {:13.3g}  {:14.2e}  {:7.1e}  {:7.1e}  {:18.1e}\n", tokens, d.largest, d.output, d.state,
               d.bound, d.recurrence);
    ::testing::Test::RecordProperty("drift_" + std::to_string(tokens),
                                    fmt::format("{:.2e} of at most {:.2e}", d.output, d.bound));
    if (::testing::Test::HasFailure())
      return;
  }
  for (const Drift &d : drifts)
    EXPECT_LT(d.bound, d.largest / 16); // a bound that means something
  // Errors neither build up nor die out: a state forgets its errors as it forgets its values.
  EXPECT_LT(drifts.back().output, 4 * drifts[1].output);
  EXPECT_GT(drifts.back().output, drifts[0].output / 4);
}

TEST(ChunkDrift, StaysWithinItsBoundAtEveryLengthWithAShortMemory) {
  expectDrift(Memory::Short);
}
TEST(ChunkDrift, StaysWithinItsBoundAtEveryLengthWithALongMemory) {
  expectDrift(Memory::Long);
}

} // namespace
} // namespace assay::kernels::delta_net
