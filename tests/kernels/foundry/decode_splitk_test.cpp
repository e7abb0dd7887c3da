// Decode with its keys split over threadgroups: every bit, the distance to float64, every order, no finding.
#include "decode_case.h"

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

struct SplitCase {
  DecodeCase decode;
  int splits;
};
void PrintTo(const SplitCase &c, std::ostream *out) {
  *out << c.decode.name;
}

std::vector<SplitCase> cases() {
  std::vector<SplitCase> all;
  const auto add = [&](std::string name, int splits, oracle::DecodeShape shape, std::vector<uint32_t> lengths,
                       DecodeVariant variant, auto change) {
    DecodeCase c;
    c.name = std::move(name), c.shape = shape, c.lengths = std::move(lengths), c.variant = variant;
    change(c);
    all.push_back({std::move(c), splits});
  };
  const auto nothing = [](DecodeCase &) {};
  const KvFormat int8{.elementsPerChunk = 32, .scaleType = DataType::Half};
  add("OneSplit", 1, decodeShape(1, 2, 1, 64, 40), {37}, {2, 4, 2}, nothing);
  add("OneKeyForFourSplits", 4, decodeShape(1, 2, 1, 64, 4), {1}, {4, 8, 2}, nothing);
  add("Ragged", 3, decodeShape(1, 2, 2, 64, 41), {37}, {2, 4, 2}, nothing);
  add("D128", 4, decodeShape(1, 4, 2, 128, 201), {200}, {4, 8, 4}, nothing);
  add("D256", 2, decodeShape(1, 1, 1, 256, 40), {40}, {4, 4, 4}, nothing);
  add("Long", 16, decodeShape(1, 1, 1, 32, 3000), {2999}, {4, 16, 2}, nothing);
  add("MostSplits", 64, decodeShape(1, 1, 1, 64, 100), {99}, {1, 1, 2}, nothing);
  add("BatchesOfDifferentLengths", 5, decodeShape(3, 2, 1, 64, 40), {40, 1, 0}, {2, 4, 2},
      [](DecodeCase &c) { c.qRows = 3; });
  add("HiddenKeys", 4, decodeShape(2, 4, 2, 64, 45), {45, 30}, {2, 4, 2},
      [](DecodeCase &c) { c.padding = true, c.mask = MaskType::Float, c.spread = true; });
  add("Rope", 3, decodeShape(2, 2, 1, 96, 45), {45, 30}, {2, 4, 4},
      [](DecodeCase &c) { c.rope = RopePairs::Neighbours, c.ropeSize = 64; });
  add("Int8", 3, decodeShape(1, 2, 1, 64, 100), {97}, {2, 8, 2},
      [&](DecodeCase &c) { c.kFormat = c.vFormat = int8; });
  add("Bfloat", 3, decodeShape(2, 2, 1, 80, 60, true), {60, 41}, {4, 4, 2},
      [](DecodeCase &c) { c.mask = MaskType::OfQ; });
  add("HalfPartials", 3, decodeShape(1, 2, 1, 64, 60), {57}, {4, 4, 2, true}, nothing);
  add("FarMaxima", 4, decodeShape(1, 2, 1, 64, 80), {80}, {2, 4, 2}, [](DecodeCase &c) { c.amplitude = 30; });
  return all;
}

class FlashDecodeSplitK : public ::testing::TestWithParam<SplitCase> {
protected:
  const DecodeCase &c = GetParam().decode;
  DecodeRun run{c};
  oracle::DecodeOrder order = orderOf(c.variant);

  void SetUp() override {
    order.splits = GetParam().splits;
    run.arguments().out.buffer.poison();
  }
  Result<FlashDecodeSplitReport> dispatch(KernelSet &kernels) {
    return dispatchFlashDecodeSplitK(kernels, run.arguments(), c.variant, order.splits);
  }
};

TEST_P(FlashDecodeSplitK, EqualsTheOracleAndIsNearFloat64) {
  const auto report = dispatch(kernelSet());
  ASSERT_TRUE(bool(report)) << renderDiagnostics(report.error().diagnostics);
  EXPECT_TRUE(bitsEqual(oracle::flashDecodeExact<oracle::Apple>(c.shape, run.inputs(), order), run.output()));
  EXPECT_TRUE(run.restUntouched());
  const oracle::DecodeReference reference = oracle::flashDecodeReference(c.shape, run.inputs(), order);
  EXPECT_TRUE(withinBound(run.output(), c.shape.bfloat, reference));
  recordError(run.output(), c.shape.bfloat, reference);
  EXPECT_EQ(report->partDispatch.threadgroups, c.shape.rowCount() * size_t(order.splits));
  EXPECT_EQ(report->scratchBytes,
            c.shape.rowCount() * size_t(order.splits) * size_t(c.shape.headDim + 2) * 4);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FlashDecodeSplitK, ::testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.decode.name; });

/// Two cases in which everything takes part.
std::vector<SplitCase> some() {
  std::vector<SplitCase> chosen;
  for (const SplitCase &c : cases())
    if (c.decode.name == "HiddenKeys" || c.decode.name == "Rope")
      chosen.push_back(c);
  return chosen;
}

class FlashDecodeSplitKMore : public FlashDecodeSplitK {};

TEST_P(FlashDecodeSplitKMore, EqualsTheOracleUnderIeee) {
  ASSERT_TRUE(bool(dispatch(kernelSet(kIeeeNumerics))));
  EXPECT_TRUE(bitsEqual(oracle::flashDecodeExact<oracle::Ieee>(c.shape, run.inputs(), order), run.output()));
}

TEST_P(FlashDecodeSplitKMore, GivesTheSameBitsInAllWays) {
  const auto expected = oracle::flashDecodeExact<oracle::Apple>(c.shape, run.inputs(), order);
  KernelSet &kernels = kernelSet();
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        run.arguments().out.buffer.poison();
        const auto report = dispatch(kernels);
        return report ? ::testing::AssertionSuccess()
                      : ::testing::AssertionFailure() << report.error().message();
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.output())); });
}

TEST_P(FlashDecodeSplitKMore, HasNoFindings) {
  KernelSet &kernels = kernelSet();
  kernels.options().checks = CheckRules::byDefault();
  const auto report = dispatch(kernels);
  ASSERT_TRUE(bool(report));
  for (const DispatchReport &phase : {report->partDispatch, report->reduceDispatch})
    for (const Finding &finding : phase.findings)
      ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
}

INSTANTIATE_TEST_SUITE_P(Some, FlashDecodeSplitKMore, ::testing::ValuesIn(some()),
                         [](const auto &info) { return info.param.decode.name; });

TEST(FlashDecodeSplitKChecks, RefusesOtherNumbersOfSplits) {
  KernelSet none("a folder that is not there, so that whatever is compiled fails");
  DecodeRun run(cases()[0].decode);
  for (const auto &[splits, text] : {std::pair{0, "0 splits of the keys, there can be 1 to 64"},
                                     {65, "65 splits of the keys, there can be 1 to 64"}}) {
    const auto report = dispatchFlashDecodeSplitK(none, run.arguments(), {2, 4, 2}, splits);
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.error().message(), text);
    EXPECT_EQ(report.error().rule(), "decode-splits");
  }
}

} // namespace
} // namespace assay::kernels::foundry
