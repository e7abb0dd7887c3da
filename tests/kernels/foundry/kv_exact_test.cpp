// Every kernel that reads a quantised cache, on random caches of every form: every bit, and the distance to
// float64 attention over the elements that the format says.
#include "quantised_case.h"

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

std::vector<QuantisedTest> formats() {
  std::vector<QuantisedTest> all;
  const auto add = [&](QuantisedTest t, std::string name) {
    t.name = std::move(name);
    all.push_back(std::move(t));
  };
  const KvFormat int8, int4 = kvInt4Format();
  const auto plain = [](KvFormat &) {};
  const auto floats = [](KvFormat &f) { f.scaleType = DataType::Float; };
  const auto zeros = [](KvFormat &f) { f.zeroType = DataType::Char; };
  add({.k = int8, .v = int8}, "Int8");
  add({.k = int8}, "KeysInt8");
  add({.v = int8}, "ValuesInt8");
  add({.k = int4, .v = int4}, "Int4");
  add({.k = int4}, "KeysInt4");
  add({.v = int4}, "ValuesInt4");
  add({.k = int8, .v = int4}, "KeysInt8ValuesInt4");
  add({.k = int4With(floats), .v = int8With(floats), .size = 128}, "FloatScales");
  add({.k = int8With(zeros), .v = int8With(zeros)}, "Int8WithZeroPoints");
  add({.k = int4With(zeros), .v = int4With(zeros)}, "Int4WithZeroPoints");
  add({.k = int4With([](KvFormat &f) { f.zeroType = DataType::Half; }),
       .v = int8With([](KvFormat &f) { f.zeroType = DataType::Float, f.scaleType = DataType::Float; })},
      "FractionalZeroPoints");
  const auto outliers = [](KvFormat &f) { f.outliersPerBlock = 9; };
  add({.k = int8With(outliers), .v = int8With(outliers), .keys = 100}, "Int8WithOutliers");
  add({.k = int4With(outliers), .v = int4With(outliers), .keys = 100, .bfloat = true},
      "Int4WithOutliersOfBfloat");
  const auto smallGroups = [](KvFormat &f) { f.keysPerBlock = 8, f.elementsPerChunk = 16; };
  add({.k = int8With(smallGroups), .v = int4With(smallGroups), .keys = 41}, "SmallGroups");
  const auto largeGroups = [](KvFormat &f) { f.keysPerBlock = 64, f.elementsPerChunk = 64; };
  add({.k = int4With(largeGroups), .v = int8With(largeGroups), .keys = 150, .size = 96}, "LargeGroups");
  const auto channels = [](KvFormat &f) {
    f.scaleLayout = KvScaleLayout::PerChannelChunk, f.elementsPerChunk = 4, f.zeroType = DataType::Char;
  };
  add({.k = int8With(channels), .v = int4With(channels), .keys = 70, .size = 80}, "ScalesPerChannelChunk");
  add({.k = kvTilesFormat(), .v = kvTilesFormat(), .capacity = 64}, "Tiles");
  add({.k = kvTilesFormat(), .v = int8, .keys = 64}, "KeysInTiles");
  add({.k = int4, .v = tilesWith(smallGroups), .keys = 41, .size = 80, .capacity = 48}, "ValuesInSmallTiles");
  const auto everything = [](KvFormat &f) {
    f.keysPerBlock = 20, f.elementsPerChunk = 16, f.scaleType = DataType::Float, f.zeroType = DataType::Half,
    f.outliersPerBlock = 30, f.alignment = 16;
  };
  add({.k = int8With(everything),
       .v = int4With(everything),
       .batches = 2,
       .heads = 4,
       .kvHeads = 2,
       .keys = 70,
       .capacity = 95,
       .padding = true,
       .spread = true},
      "EverythingAtOnce");
  add({.k = int4With(everything),
       .v = int8With(everything),
       .batches = 2,
       .heads = 4,
       .kvHeads = 2,
       .keys = 66,
       .size = 32,
       .capacity = 130,
       .bfloat = true,
       .causal = false,
       .padding = true,
       .spread = true},
      "EverythingAtOnceBfloat");
  add({.k = tilesWith(everything),
       .v = tilesWith(everything),
       .batches = 2,
       .heads = 4,
       .kvHeads = 2,
       .keys = 66,
       .size = 96,
       .capacity = 100,
       .padding = true,
       .spread = true},
      "EverythingInTiles");
  add({.k = int4With(plain), .v = int8With(plain), .keys = 40, .size = 256}, "D256");
  return all;
}

std::string nameOf(const ::testing::TestParamInfo<QuantisedTest> &info) {
  return info.param.name;
}

// ---- prefill and the materialised step ----

class QuantisedPrefill : public ::testing::TestWithParam<QuantisedTest> {
protected:
  QuantisedCase problem{[] {
    QuantisedTest t = GetParam();
    t.queries = 18;
    return t;
  }()};
  void expectExact(const PrefillPlan &plan) {
    problem.prefill.out.buffer.poison();
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.prefill, plan)));
    EXPECT_TRUE(bitsEqual(problem.prefillExact<oracle::Apple>(plan), problem.out()));
    EXPECT_TRUE(problem.withinBound(plan.splitK));
  }
};

TEST_P(QuantisedPrefill, TiledEqualsTheOracle) {
  expectExact({4, 1});
}
TEST_P(QuantisedPrefill, SplitKEqualsTheOracle) {
  expectExact({8, 3});
}
TEST_P(QuantisedPrefill, BufferedEqualsTheOracle) {
  if (GetParam().size <= 128) {
    expectExact({4, 1, PrefillForm::Buffered});
  } else {
    EXPECT_EQ(errorOf(dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1, PrefillForm::Buffered}))
                  .substr(0, 15),
              "head_dim is 256");
  }
}
TEST_P(QuantisedPrefill, TheMaterialisedStepEqualsTheOracle) {
  ASSERT_TRUE(succeeded(SdpaReferenceStep(appleKernels()).run(problem.prefill)));
  EXPECT_TRUE(bitsEqual(problem.materialisedExact<oracle::Apple>(), problem.out()));
  EXPECT_TRUE(problem.withinBound());
}
INSTANTIATE_TEST_SUITE_P(Formats, QuantisedPrefill, ::testing::ValuesIn(formats()), nameOf);

TEST(QuantisedPrefillIeee, EqualsTheOracle) {
  for (QuantisedTest t : formats()) {
    if (t.name != "EverythingAtOnce" && t.name != "FractionalZeroPoints")
      continue;
    SCOPED_TRACE(t.name);
    t.queries = 7;
    QuantisedCase problem(t);
    ASSERT_TRUE(succeeded(dispatchFlashPrefill(ieeeKernels(), problem.prefill, {4, 1})));
    EXPECT_TRUE(bitsEqual(problem.prefillExact<oracle::Ieee>({4, 1}), problem.out()));
    problem.prefill.out.buffer.poison();
    ASSERT_TRUE(succeeded(dispatchSdpaReference(ieeeKernels(), problem.prefill)));
    EXPECT_TRUE(bitsEqual(problem.materialisedExact<oracle::Ieee>(), problem.out()));
  }
}

QuantisedTest named(const std::string &name) {
  for (const QuantisedTest &t : formats())
    if (t.name == name)
      return t;
  ADD_FAILURE() << name;
  return {};
}

TEST(QuantisedPrefillSchedules, GiveTheSameBits) {
  for (const PrefillForm form : {PrefillForm::Tiled, PrefillForm::Buffered}) {
    QuantisedTest t = named("EverythingAtOnce");
    t.queries = 5;
    QuantisedCase problem(t);
    const PrefillPlan plan{4, 1, form};
    const auto expected = problem.prefillExact<oracle::Apple>(plan);
    KernelSet &kernels = appleKernels();
    inAllWays(
        false,
        [&](const DispatchOptions &options) {
          kernels.options() = options;
          problem.prefill.out.buffer.poison();
          return succeeded(dispatchFlashPrefill(kernels, problem.prefill, plan));
        },
        [&] { EXPECT_TRUE(bitsEqual(expected, problem.out())); });
    kernels.options() = {};
  }
}

/// A comparer that cannot fail proves nothing: one number changed by one is seen.
TEST(QuantisedPrefillComparer, NoticesOneNumber) {
  QuantisedTest t = named("Int4");
  t.queries = 3;
  QuantisedCase problem(t);
  problem.v.cache.numbers[17] ^= 1;
  const auto other = problem.prefillExact<oracle::Apple>({4, 1}); // of the data before bind()
  ASSERT_TRUE(succeeded(dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1})));
  EXPECT_FALSE(bitsEqual(other, problem.out()));
}

// ---- decode ----

/// The same formats as the decode's oracle can say them: where there are outliers, groups that are not of 32
/// keys, fractional zero points or differences of more than 8 bits, scales are powers of two, so that the
/// elements are also halves or bfloats.
std::vector<QuantisedTest> decodes() {
  std::vector<QuantisedTest> all = formats();
  for (QuantisedTest &t : all) {
    const auto hard = [](const std::optional<KvFormat> &f) {
      return f && (f->outliersPerBlock > 0 || f->keysPerBlock % 32 != 0 ||
                   (f->zeroType && (f->bits == 8 || *f->zeroType != DataType::Char)));
    };
    t.representable = hard(t.k) || hard(t.v);
  }
  return all;
}

class QuantisedDecode : public ::testing::TestWithParam<QuantisedTest> {
protected:
  QuantisedCase problem{GetParam()};
  DecodeVariant variant(int scalar) const {
    DecodeVariant v{4, 4, scalar};
    return v;
  }
};

TEST_P(QuantisedDecode, EqualsTheOracle) {
  for (const int scalar : {2, 4}) {
    SCOPED_TRACE(scalar);
    problem.prefill.out.buffer.poison();
    ASSERT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), problem.decode, variant(scalar))));
    const auto order = orderOf(variant(scalar));
    EXPECT_TRUE(bitsEqual(
        oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), problem.decodeInputs(), order),
        problem.out()));
    EXPECT_TRUE(foundry::withinBound(
        problem.out(), GetParam().bfloat,
        oracle::flashDecodeReference(problem.decodeShape(), problem.decodeInputs(), order)));
  }
}
TEST_P(QuantisedDecode, SplitKEqualsTheOracle) {
  oracle::DecodeOrder order = orderOf(variant(4));
  order.splits = 3;
  ASSERT_TRUE(succeeded(dispatchFlashDecodeSplitK(kernelSet(), problem.decode, variant(4), 3)));
  EXPECT_TRUE(
      bitsEqual(oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), problem.decodeInputs(), order),
                problem.out()));
}
INSTANTIATE_TEST_SUITE_P(Formats, QuantisedDecode, ::testing::ValuesIn(decodes()), nameOf);

TEST(QuantisedDecodeSchedules, GiveTheSameBitsWithoutFindings) {
  QuantisedTest t = named("EverythingAtOnce");
  t.representable = true;
  QuantisedCase problem(t);
  const DecodeVariant variant{4, 4, 2};
  const auto expected = oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), problem.decodeInputs(),
                                                                orderOf(variant));
  KernelSet &kernels = kernelSet();
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        problem.prefill.out.buffer.poison();
        return succeeded(dispatchFlashDecode(kernels, problem.decode, variant));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, problem.out())); });
  KernelSet &checked = kernelSet();
  checked.options().checks = CheckRules::byDefault();
  const auto report = dispatchFlashDecode(checked, problem.decode, variant);
  ASSERT_TRUE(succeeded(report));
  for (const Finding &finding : report->dispatch.findings)
    ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
  checked.options() = {};
}

/// The fused rotation changes the query alone.
TEST(QuantisedDecodeRope, ReadsTheSameCache) {
  QuantisedTest t = named("Int4WithZeroPoints");
  QuantisedCase problem(t);
  oracle::DecodeInputs in = problem.decodeInputs();
  const RopeTables tables = ropeTables(Device::systemDefault(), 9, 64);
  const auto floats = [](const TensorView &view) {
    const auto all = view.buffer.as<float>();
    return std::vector<float>(all.begin(), all.end());
  };
  in.rope = oracle::DecodeRope{floats(tables.cosines), floats(tables.sines), {5}, 32, false};
  TensorView position = TensorView::poisoned(Device::systemDefault(), DataType::UInt, {1});
  position.buffer.as<uint32_t>()[0] = 5;
  problem.decode.rope = RopeArguments{tables.cosines, tables.sines, position, RopePairs::Halves};
  const DecodeVariant variant{2, 8, 2};
  ASSERT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), problem.decode, variant)));
  EXPECT_TRUE(bitsEqual(oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), in, orderOf(variant)),
                        problem.out()));
}

} // namespace
} // namespace assay::kernels::foundry
