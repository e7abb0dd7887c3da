// FlashDecodeStep: which variant it takes, what the METALLIC_* knobs change, what it says.
#include "decode_case.h"

#include "kernels_msl/foundry/decode_compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DecodeCase problem() {
  DecodeCase c;
  c.shape = decodeShape(1, 2, 1, 64, 40);
  c.lengths = {40};
  return c;
}

Knobs knobs(std::string name, std::string value) {
  const Result<Knobs> read = Knobs::read([&](std::string_view asked) -> std::optional<std::string> {
    return asked == name ? std::optional(value) : std::nullopt;
  });
  EXPECT_TRUE(read);
  return read ? *read : Knobs{};
}

TEST(DecodeSelection, GoesByHeadAndLength) {
  EXPECT_EQ(selectDecode({}, 64, 1), (DecodeVariant{8, 1, 2}));
  EXPECT_EQ(selectDecode({}, 64, 127), (DecodeVariant{8, 8, 2}));
  EXPECT_EQ(selectDecode({}, 64, 128), (DecodeVariant{8, 16, 2}));
  EXPECT_EQ(selectDecode({}, 128, 511), (DecodeVariant{8, 32, 4}));
  EXPECT_EQ(selectDecode({}, 80, 512), (DecodeVariant{16, 32, 4}));
  EXPECT_EQ(selectDecode({}, 32, 100000), (DecodeVariant{16, 32, 2}));
  EXPECT_EQ(selectDecode({}, 256, 100000), (DecodeVariant{8, 32, 4}));
}

TEST(DecodeSelection, EachKnobReplacesItsOwn) {
  EXPECT_EQ(selectDecode(knobs("METALLIC_FA_DECODE_WARPS", "32"), 64, 100), (DecodeVariant{32, 8, 2}));
  EXPECT_EQ(selectDecode(knobs("METALLIC_FA_DECODE_KEYS_PER_WARP", "1"), 64, 100), (DecodeVariant{8, 1, 2}));
  EXPECT_EQ(selectDecode(knobs("METALLIC_FA_DECODE_SCALAR", "half4"), 64, 100), (DecodeVariant{8, 8, 4}));
  EXPECT_EQ(selectDecode(knobs("METALLIC_FA_DECODE_TG_OUT", "half"), 64, 100),
            (DecodeVariant{8, 8, 2, true}));
  EXPECT_EQ(selectDecode(knobs("METALLIC_FA_DECODE_TG_OUT", "float"), 64, 100), (DecodeVariant{8, 8, 2}));
}

TEST(DecodeSelection, EveryDefaultFitsIntoThreadgroupMemory) {
  for (const int headDim : {32, 64, 80, 96, 128, 256})
    for (const int length : {1, 128, 129, 1024, 1025, 4097, 100000}) {
      DecodeCase c;
      c.shape = decodeShape(1, 1, 1, headDim, 2);
      c.lengths = {1};
      DecodeRun run(c);
      const DecodeVariant variant = selectDecode({}, headDim, length);
      EXPECT_TRUE(checkDecode(run.arguments(), variant)) << variant.text() << ", head_dim " << headDim;
    }
}

TEST(FlashDecodeStep, RunsTheVariantOfItsKnobs) {
  for (const auto &[name, value] :
       {std::pair("METALLIC_FA_DECODE_WARPS", "2"), std::pair("METALLIC_FA_DECODE_KEYS_PER_WARP", "16"),
        std::pair("METALLIC_FA_DECODE_SCALAR", "half4"), std::pair("METALLIC_FA_DECODE_TG_OUT", "half")}) {
    SCOPED_TRACE(name);
    DecodeRun run(problem());
    FlashDecodeStep step(kernelSet(), knobs(name, value));
    const Result<FlashDecodeReport> report = step.run(run.arguments());
    ASSERT_TRUE(report);
    EXPECT_EQ(report->variant, selectDecode(knobs(name, value), 64, 40));
    EXPECT_EQ(report->threads.width, uint64_t(report->variant.warps) * 32);
    EXPECT_EQ(report->dispatch.threadgroups, 2u);
    EXPECT_TRUE(testing_support::bitsEqual(run.exact<oracle::Apple>(report->variant), run.output()));
    EXPECT_TRUE(step.log().empty());
  }
}

TEST(FlashDecodeStep, RefusesWhereTheEnvironmentSaysSo) {
  for (const auto &[name, rule] :
       {std::pair("METALLIC_DISABLE_FA", "flash-attention-disabled"),
        std::pair("METALLIC_SDPA_FORCE_MATERIALIZED", "flash-attention-materialized")}) {
    DecodeRun run(problem());
    FlashDecodeStep step(kernelSet(), knobs(name, "1"));
    const Result<FlashDecodeReport> report = step.run(run.arguments());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().rule(), rule);
    EXPECT_EQ(report.error().message(), std::string(name) + " is 1: FlashAttention does not run");
    EXPECT_THAT(report.error().diagnostics.front().hint, HasSubstr("SdpaReferenceStep"));
    EXPECT_EQ(run.output(), std::vector<uint16_t>(128, 0xa5a5));
    EXPECT_TRUE(FlashDecodeStep(kernelSet(), knobs(name, "0")).run(run.arguments()));
  }
}

TEST(FlashDecodeStep, NeverTakesAnotherPathForAShapeThatItDoesNotHave) {
  DecodeRun run(problem());
  run.arguments().k.rows = TensorView::poisoned(Device::systemDefault(), DataType::Half, {1, 1, 40, 48});
  Knobs debug;
  debug.debug = true;
  FlashDecodeStep step(kernelSet(), debug);
  const Result<FlashDecodeReport> report = step.run(run.arguments());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().rule(), "head-dim");
  EXPECT_EQ(run.output(), std::vector<uint16_t>(128, 0xa5a5));
  EXPECT_THAT(step.log(),
              ElementsAre("decode: refused: head_dim is 48, decode has kernels for 32, 64, 80, 96, 128 "
                          "and 256 [head-dim]"));
}

TEST(FlashDecodeStep, SaysWhatItDecides) {
  DecodeRun run(problem());
  Knobs debug;
  debug.debug = true;
  std::vector<std::string> heard;
  FlashDecodeStep step(kernelSet(), debug, [&](std::string_view line) { heard.emplace_back(line); });
  ASSERT_TRUE(step.run(run.arguments()));
  EXPECT_THAT(
      heard, ElementsAre("decode: head_dim 64, kv_len 40: 8 warps, 4 keys per warp, half2, partials in float",
                         "decode: ran flash_decode_f16_d64, 2 x 1 threadgroups of 256 threads, 2240 bytes of "
                         "threadgroup memory"));
  EXPECT_EQ(heard, step.log());
}

TEST(FlashDecodeStep, SaysShapesIfVerbose) {
  DecodeCase c = problem();
  c.padding = true, c.mask = MaskType::Float, c.rope = RopePairs::Halves, c.kFormat = KvFormat{};
  DecodeRun run(c);
  Knobs verbose;
  verbose.debug = verbose.debugVerbose = true;
  FlashDecodeStep step(kernelSet(), verbose);
  step.allow({.quantisedDecode = true});
  ASSERT_TRUE(step.run(run.arguments()));
  EXPECT_THAT(
      step.log(),
      ElementsAre(
          "decode: head_dim 64, kv_len 40: 8 warps, 4 keys per warp, half2, partials in float",
          "decode: keys foundry.kv.int8.v1, values typed",
          "decode: q half [1, 1, 128] strides [128, 128, 1] offset 0",
          "decode: k char [1, 1, 40, 64] strides [2560, 2560, 64, 1] offset 0 as foundry.kv.int8.v1, scales "
          "half [1, 1, 2, 2] strides [4, 4, 2, 1] offset 0",
          "decode: v half [1, 1, 40, 64] strides [2560, 2560, 64, 1] offset 0",
          "decode: out half [1, 1, 128] strides [128, 128, 1] offset 0",
          "decode: padding uchar [1, 40] strides [40, 1] offset 0",
          "decode: mask float [1, 2, 40] strides [80, 40, 1] offset 0",
          "decode: rope tables float [50, 32] strides [32, 1] offset 0",
          "decode: ran flash_decode_rope_f16_d64, 2 x 1 threadgroups of 256 threads, 2240 bytes of "
          "threadgroup "
          "memory"));
  Knobs verboseAlone;
  verboseAlone.debugVerbose = true;
  FlashDecodeStep quiet(kernelSet(), verboseAlone);
  quiet.allow({.quantisedDecode = true});
  ASSERT_TRUE(quiet.run(run.arguments()));
  EXPECT_TRUE(quiet.log().empty());
}

/// Stands for a materialised step: writes the same output, with one element changed.
MaterializedDecode changed(const DecodeRun &run, size_t element, uint16_t bits, int &calls) {
  return [&run, element, bits, &calls](const FlashDecodeArguments &, const TensorView &out) -> Result<void> {
    ++calls;
    Buffer target = out.buffer;
    const std::vector<uint16_t> online = run.output();
    std::copy(online.begin(), online.end(), target.as<uint16_t>().begin());
    target.as<uint16_t>()[element] = bits;
    return {};
  };
}

TEST(FlashDecodeStep, ComparesOnceWithTheMaterialisedStepThatItIsGiven) {
  DecodeRun run(problem());
  int calls = 0;
  FlashDecodeStep step(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
  step.compareWith(changed(run, 77, 0x4400, calls)); // 4
  ASSERT_TRUE(step.run(run.arguments()));
  ASSERT_TRUE(step.run(run.arguments()));
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(step.comparison());
  const float online = valuesOf(run.output(), false)[77];
  EXPECT_EQ(step.comparison()->column, 77);
  EXPECT_EQ(step.comparison()->online, online);
  EXPECT_EQ(step.comparison()->materialized, 4.0f);
  EXPECT_EQ(step.comparison()->maxAbsDiff, 4.0 - online);
  EXPECT_THAT(step.log(), ElementsAre(fmt::format("decode: online against materialised: max abs diff {} at "
                                                  "batch 0, column 77: {} and 4",
                                                  4.0 - online, online)));

  FlashDecodeStep nan(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
  nan.compareWith(changed(run, 5, 0x7e00, calls));
  ASSERT_TRUE(nan.run(run.arguments()));
  EXPECT_TRUE(std::isnan(nan.comparison()->maxAbsDiff));
  EXPECT_EQ(nan.comparison()->column, 5);
}

TEST(FlashDecodeStep, SaysEqualWhereNothingDiffers) {
  DecodeRun run(problem());
  int calls = 0;
  FlashDecodeStep step(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
  const MaterializedDecode same = changed(run, 0, 0, calls);
  step.compareWith([&](const FlashDecodeArguments &arguments, const TensorView &out) -> Result<void> {
    const Result<void> done = same(arguments, out);
    Buffer target = out.buffer;
    target.as<uint16_t>()[0] = run.output()[0];
    return done;
  });
  ASSERT_TRUE(step.run(run.arguments()));
  EXPECT_EQ(step.comparison()->maxAbsDiff, 0);
  EXPECT_THAT(step.log(), ElementsAre("decode: online against materialised: equal"));
}

TEST(FlashDecodeStep, IsWithinTwoRoundingsOfTheMaterialisedStep) {
  DecodeCase c = problem();
  c.shape = decodeShape(2, 4, 2, 64, 45);
  c.lengths = {40};
  c.padding = true, c.mask = MaskType::OfQ, c.qRows = 3;
  DecodeRun run(c);
  FlashDecodeStep step(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
  step.compareWith(materializedDecode(kernelSet()));
  const Result<FlashDecodeReport> report = step.run(run.arguments());
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_TRUE(step.comparison());
  EXPECT_LE(step.comparison()->maxAbsDiff,
            0x1p-11 + 0x1p-14); // two halves below 1, and what floats differ by
}

TEST(FlashDecodeStep, SaysWhatCannotBeCompared) {
  const auto refusal = [](auto change) {
    DecodeCase c = problem();
    change(c);
    DecodeRun run(c);
    FlashDecodeStep step(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
    step.compareWith(materializedDecode(kernelSet()));
    const Result<FlashDecodeReport> report = step.run(run.arguments());
    return report ? "compared" : report.error().message() + " [" + report.error().rule() + "]";
  };
  EXPECT_EQ(refusal([](DecodeCase &c) { c.rope = RopePairs::Halves; }),
            "the materialised step does not take fused RoPE [not-comparable]");
  EXPECT_EQ(refusal([](DecodeCase &c) { c.shape.batches = 2, c.lengths = {40, 3}; }),
            "the materialised step does not take lengths of each batch [not-comparable]");
  EXPECT_EQ(refusal([](DecodeCase &c) { c.mask = MaskType::Float; }),
            "the materialised step does not take masks of another type than q's [not-comparable]");
}

TEST(FlashDecodeStep, DoesNotForgetAComparisonThatItCannotMake) {
  DecodeRun run(problem());
  FlashDecodeStep step(kernelSet(), knobs("METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"));
  const Result<FlashDecodeReport> report = step.run(run.arguments());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().rule(), "no-materialized-step");
  EXPECT_EQ(report.error().message(),
            "METALLIC_SDPA_DEBUG_ONLINE_COMPARE is 1, and this step was given none to compare with");
}

TEST(RopeTables, HoldAnglesOfPositions) {
  const RopeTables tables = ropeTables(Device::systemDefault(), 3, 4, 100);
  // base^(-2i/4): 1 and 1/10.
  const float cosines[] = {1, 1, 0.54030231f, 0.99500417f, -0.41614684f, 0.98006658f};
  const float sines[] = {0, 0, 0.84147098f, 0.099833417f, 0.90929743f, 0.19866933f};
  for (int i = 0; i < 6; ++i) {
    EXPECT_FLOAT_EQ(tables.cosines.buffer.as<float>()[i], cosines[i]);
    EXPECT_FLOAT_EQ(tables.sines.buffer.as<float>()[i], sines[i]);
  }
}

} // namespace
} // namespace assay::kernels::foundry
