// What descriptors, tensors and capabilities are refused, with whole messages and before anything runs.
#include "quantised_case.h"

#include <gmock/gmock.h>

#include <functional>

namespace assay::kernels::foundry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::bitsEqual;

TensorView fresh(DataType type, std::vector<int64_t> sizes) {
  return TensorView::poisoned(Device::systemDefault(), type, std::move(sizes));
}

QuantisedTest bothQuantised(const KvFormat &format = {}) {
  QuantisedTest t;
  t.k = t.v = format;
  return t;
}

template <class T> std::string refusalOf(const QuantisedCase &problem, const Result<T> &report) {
  for (const uint16_t bits : problem.out())
    if (bits != 0xA5A5)
      return report ? "accepted" : "ran before it refused";
  if (!report)
    EXPECT_EQ(report.error().kind, ErrorKind::Usage);
  return report ? "ran and wrote nothing" : errorOf(report);
}

using Spoil = std::function<void(KvTensor &)>;

/// The decode's refusal after its v was spoilt.
std::string ofDecode(const Spoil &spoil, const KvFormat &format = {}, int scalar = 4) {
  QuantisedCase problem(bothQuantised(format));
  spoil(problem.decode.v);
  return refusalOf(problem, dispatchFlashDecode(kernelSet(), problem.decode, {4, 4, scalar}));
}
/// The prefill's after its V was spoilt.
std::string ofPrefill(const Spoil &spoil, const KvFormat &format = {}, PrefillPlan plan = {4, 1}) {
  QuantisedCase problem(bothQuantised(format));
  spoil(*problem.prefill.vCache);
  return refusalOf(problem, dispatchFlashPrefill(appleKernels(), problem.prefill, plan));
}
std::string ofMaterialised(const Spoil &spoil, const KvFormat &format = {}) {
  QuantisedCase problem(bothQuantised(format));
  spoil(*problem.prefill.vCache);
  return refusalOf(problem, dispatchSdpaReference(appleKernels(), problem.prefill));
}

const Spoil kNothing = [](KvTensor &) {};

TEST(KvRefusal, TakesWhatTheOthersSpoil) {
  const KvFormat full = int4With([](KvFormat &f) { f.zeroType = DataType::Half, f.outliersPerBlock = 5; });
  const KvFormat tiles = tilesWith([](KvFormat &f) { f.keysPerBlock = 15; });
  for (const KvFormat &format : {KvFormat{}, kvInt4Format(), full, tiles}) {
    EXPECT_EQ(ofDecode(kNothing, format), "accepted");
    EXPECT_EQ(ofPrefill(kNothing, format), "accepted");
    EXPECT_EQ(ofMaterialised(kNothing, format), "accepted");
  }
}

TEST(KvRefusal, UnknownFormatsAndVersions) {
  const Spoil other = [](KvTensor &t) { t.format->formatId = "vendor.kv.fp8"; };
  const std::string known = "'vendor.kv.fp8', known are 'foundry.kv.int8', 'foundry.kv.int4', "
                            "'foundry.kv.int8.tiles' [kv-format-unknown]";
  EXPECT_EQ(ofDecode(other), "v is in format " + known);
  EXPECT_EQ(ofPrefill(other), "V is in format " + known);
  EXPECT_EQ(ofMaterialised(other), "V is in format " + known);
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format->version = 0; }),
            "V is in version 0 of 'foundry.kv.int8', known is 1 [kv-format-version]");
}

TEST(KvRefusal, DescriptorsThatContradictTheirId) {
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->bits = 4; }),
            "v has 4 bits to an element, foundry.kv.int8.v1 has 8 [kv-format]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->packing = KvPacking::HeadMajorNibbles; }),
            "v is packed as nibbles, head by head, foundry.kv.int8.v1 is packed as bytes, head by head "
            "[kv-packing]");
}

TEST(KvRefusal, TilesThatAreNoWholeBlocksOrHaveGaps) {
  const Spoil tiles = [](KvTensor &t) { t.format = kvTilesFormat(); }; // of 45 keys
  EXPECT_EQ(ofDecode(tiles),
            "v is packed as bytes, tile by tile, and its 45 keys are no whole blocks of 32 [kv-packing]");
  EXPECT_EQ(ofPrefill(tiles),
            "V is packed as bytes, tile by tile, and its 45 keys are no whole blocks of 32 [kv-packing]");
  EXPECT_EQ(ofMaterialised([](KvTensor &t) {
              t.format = kvTilesFormat(), t.format->keysPerBlock = 15;
              t.rows = fresh(DataType::Char, {1, 1, 45, 80});
              t.rows.sizes[3] = 64;
            }),
            "V is packed as bytes, tile by tile, and its rows of 64 bytes are 80 apart [kv-packing]");
}

TEST(KvRefusal, Groups) {
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->keysPerBlock = 0; }),
            "v has 0 keys to a block, the kernels read 1 to 256 [kv-group]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format->keysPerBlock = 257; }),
            "V has 257 keys to a block, the kernels read 1 to 256 [kv-group]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->elementsPerChunk = 6; }),
            "v has chunks of 6 elements, decode reads multiples of 4 up to 256 [kv-group]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format->elementsPerChunk = 2; }),
            "V has chunks of 2 elements, prefill reads multiples of 4 up to 256 [kv-group]");
  EXPECT_EQ(ofMaterialised([](KvTensor &t) { t.format->elementsPerChunk = 257; }),
            "V has chunks of 257 elements, the materialised step reads multiples of 1 up to 256 [kv-group]");
}

TEST(KvRefusal, Scales) {
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->scaleType = DataType::BFloat; }),
            "v has scales of bfloat, the kernels read half and float [kv-scales]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->scaleType = DataType::Float; }),
            "scales of v has type half, the kernel takes float [tensor-type]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format->scaleLayout = KvScaleLayout::PerChannelChunk; }),
            "scales of V is [1, 1, 2, 2], the other arguments ask for [1, 1, 1, 2] [shape-mismatch]");
  EXPECT_EQ(ofMaterialised([](KvTensor &t) { t.scales = {}; }),
            "scales of V is missing: half [1, 1, 2, 2] is needed [missing-tensor]");
}

TEST(KvRefusal, ZeroPoints) {
  const KvFormat zeros = int8With([](KvFormat &f) { f.zeroType = DataType::Char; });
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->zeroType = DataType::UInt; }),
            "v has zero points of uint, the kernels read char, half and float [kv-zero-points]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.zeros = t.scales; }),
            "v has zero points, and its format has none [kv-zero-points]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.zeros = {}; }, zeros),
            "zero points of V is missing: char [1, 1, 2, 2] is needed [missing-tensor]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.zeros.type = DataType::UChar; }, zeros),
            "zero points of V has type uchar, the kernel takes char [tensor-type]");
  EXPECT_EQ(ofMaterialised(
                [](KvTensor &t) {
                  t.zeros = fresh(DataType::Char, {1, 1, 2, 3});
                  t.zeros.sizes[3] = 2;
                },
                zeros),
            "zero points of V have stride 3 on axis 2, its scales 2 [stride]");
}

TEST(KvRefusal, Alignment) {
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->alignment = 3; }),
            "v has rows at multiples of 3 bytes, which is no power of two [kv-alignment]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->alignment = 2; }),
            "v has rows at multiples of 2 bytes, decode reads 4 at once [kv-alignment]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->alignment = 2; }, {}, 2), "accepted");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format->alignment = 1; }, kvInt4Format()),
            "V has rows at multiples of 1 bytes, prefill reads 2 at once [kv-alignment]");
  EXPECT_EQ(ofMaterialised([](KvTensor &t) { t.format->alignment = 1; }), "accepted");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->alignment = 128; }),
            "v has neighbours on axis 2 apart by 64 bytes, its format says multiples of 128 [kv-alignment]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) {
              t.rows = fresh(DataType::Char, {1, 1, 46, 64});
              t.rows.sizes[2] = 45, t.rows.offset = 2;
            }),
            "V has an offset of 2 bytes, its format says multiples of 4 [kv-alignment]");
}

TEST(KvRefusal, RowsOfAnotherTypeOrShape) {
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.rows.type = DataType::UChar; }),
            "v has type uchar, the kernel takes char [tensor-type]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.rows.type = DataType::Char; }, kvInt4Format()),
            "V has type char, the kernel takes uchar [tensor-type]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.rows = fresh(DataType::UChar, {1, 1, 45, 64}); }, kvInt4Format()),
            "v is [1, 1, 45, 64], the other arguments ask for [1, 1, 45, 32] [shape-mismatch]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.rows = fresh(DataType::Char, {1, 1, 45, 32}); }),
            "V is [1, 1, 45, 32], the other arguments ask for [1, 1, any, 64] [shape-mismatch]");
  // Elements that are no whole bytes: typed keys of 37, values of nibbles.
  QuantisedTest odd;
  odd.size = 37, odd.v = int8With([](KvFormat &f) { f.alignment = 1; });
  QuantisedCase problem(odd);
  problem.prefill.vCache->format = kvInt4Format();
  EXPECT_EQ(refusalOf(problem, dispatchSdpaReference(appleKernels(), problem.prefill)),
            "V is packed as nibbles, a row of 37 elements is no whole bytes [kv-packing]");
}

TEST(KvRefusal, SideTables) {
  // 45 keys in two blocks of 32 and 13, one head: words 0 to 2 are places, entries begin at word 3.
  const KvFormat outliers = int8With([](KvFormat &f) { f.outliersPerBlock = 3; });
  const auto table = [](std::vector<uint32_t> words) -> Spoil {
    return [words](KvTensor &t) {
      t.outliers = fresh(DataType::UInt, {int64_t(words.size())});
      std::copy(words.begin(), words.end(), t.outliers.buffer.as<uint32_t>().begin());
    };
  };
  const auto entry = [](uint32_t key, uint32_t d) { return (key * 64 + d) << 16; };
  EXPECT_EQ(ofDecode(table({3, 4, 5, entry(31, 63), entry(12, 63)}), outliers), "accepted");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->outliersPerBlock = -1; }),
            "v has up to -1 outliers in a block, the side table holds 0 to 65536 [kv-outliers]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.format->outliersPerBlock = 65537; }),
            "v has up to 65537 outliers in a block, the side table holds 0 to 65536 [kv-outliers]");
  EXPECT_EQ(ofDecode(table({3, 3, 3})), "v has a side table, and its format has no outliers [kv-outliers]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.outliers = {}; }, outliers),
            "V has no side table, its format has up to 3 outliers in a block [kv-outliers]");
  EXPECT_EQ(ofDecode([](KvTensor &t) { t.outliers = fresh(DataType::Float, {9}); }, outliers),
            "outliers of v has type float, the kernel takes uint [tensor-type]");
  EXPECT_EQ(ofDecode(table({3, 3}), outliers),
            "v has a side table of 2 words, places of runs alone are 3 [kv-outliers]");
  EXPECT_EQ(ofDecode(table({3, 5, 5, 0}), outliers),
            "v has a run of words 3 to 5 at batch 0, head 0, block 0, entries are the words 3 to 4 "
            "[kv-outliers]");
  EXPECT_EQ(ofDecode(table({2, 3, 3}), outliers),
            "v has a run of words 2 to 3 at batch 0, head 0, block 0, entries are the words 3 to 3 "
            "[kv-outliers]");
  EXPECT_EQ(ofDecode(table({3, 5, 4, 0, entry(0, 1)}), outliers),
            "v has a run of words 5 to 4 at batch 0, head 0, block 1, entries are the words 3 to 5 "
            "[kv-outliers]");
  EXPECT_EQ(ofDecode(table({3, 7, 7, 0, entry(0, 1), entry(0, 2), entry(0, 3)}), outliers),
            "v has 4 outliers at batch 0, head 0, block 0, its format allows 3 [kv-outliers]");
  EXPECT_EQ(ofDecode(table({3, 5, 5, entry(0, 2), entry(0, 2)}), outliers),
            "v has an outlier at place 2 after one at 2 at batch 0, head 0, block 0, they must ascend "
            "[kv-outliers]");
  EXPECT_EQ(ofMaterialised(table({3, 4, 4, entry(32, 0)}), outliers),
            "V has an outlier at place 2048 at batch 0, head 0, block 0, which has 2048 elements "
            "[kv-outliers]");
  EXPECT_EQ(ofPrefill(table({3, 3, 4, entry(13, 0)}), outliers),
            "V has an outlier at place 832 at batch 0, head 0, block 1, which has 832 elements "
            "[kv-outliers]");
}

TEST(KvRefusal, TensorsThatOnlyAFormatExplains) {
  const auto withoutFormat = [](auto keep) {
    QuantisedTest t;
    QuantisedCase problem(t);
    keep(problem.decode.v);
    return refusalOf(problem, dispatchFlashDecode(kernelSet(), problem.decode, {4, 4, 2}));
  };
  EXPECT_EQ(withoutFormat([](KvTensor &t) { t.zeros = fresh(DataType::Char, {1, 1, 2, 2}); }),
            "v has zero points and no format that says what they are [kv-format]");
  EXPECT_EQ(withoutFormat([](KvTensor &t) { t.outliers = fresh(DataType::UInt, {3}); }),
            "v has outliers and no format that says what they are [kv-format]");
  EXPECT_EQ(ofPrefill([](KvTensor &t) { t.format.reset(); }),
            "V is given as a quantised cache without a format [kv-format]");
  QuantisedCase problem(bothQuantised());
  problem.prefill.k = fresh(DataType::Half, {1, 1, 45, 64});
  EXPECT_EQ(refusalOf(problem, dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1})),
            "K is given both as elements and as a quantised cache [kv-format]");
}

TEST(KvRefusal, SimdgroupMatrices) {
  EXPECT_EQ(ofPrefill(kNothing, {}, {4, 1, PrefillForm::Matrix}),
            "K is quantised, flash_prefill_matrix loads simdgroup matrices of elements [prefill-plan]");
  QuantisedTest values;
  values.v = KvFormat{};
  QuantisedCase problem(values);
  EXPECT_EQ(
      refusalOf(problem, dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1, PrefillForm::Matrix})),
      "V is quantised, flash_prefill_matrix loads simdgroup matrices of elements [prefill-plan]");
}

TEST(KvRefusal, QueriesThatAreNoHalves) {
  QuantisedCase problem(bothQuantised());
  problem.prefill.q = fresh(DataType::Float, problem.prefill.q.sizes);
  EXPECT_EQ(refusalOf(problem, dispatchFlashPrefill(appleKernels(), problem.prefill, {4, 1})),
            "Q has type float, prefill takes half and bfloat [tensor-type]");
}

// ---- capability ----

TEST(KvCapability, IsTheSecondThingThatTheQuantisedPathNeeds) {
  const std::optional<KvFormat> none, int8 = KvFormat{}, int4 = kvInt4Format();
  const KvCapability all{.quantisedDecode = true, .quantisedPrefill = true};
  const auto path = [](const std::optional<KvFormat> &k, const std::optional<KvFormat> &v,
                       const KvCapability &capability, KvUse use, int64_t length) -> std::string {
    const Result<KvPath> selected = selectKvPath(k, v, capability, use, length);
    if (!selected)
      return errorOf(selected);
    return *selected == KvPath::Typed ? "typed" : "quantised";
  };
  EXPECT_EQ(path(none, none, {}, KvUse::Decode, 1), "typed");
  EXPECT_EQ(path(none, none, all, KvUse::Prefill, 1), "typed"); // a capability alone quantises nothing
  EXPECT_EQ(path(int8, none, all, KvUse::Decode, 1), "quantised");
  EXPECT_EQ(path(none, int4, all, KvUse::Prefill, 1), "quantised");
  EXPECT_EQ(path(int8, none, {}, KvUse::Decode, 5000),
            "keys foundry.kv.int8.v1, values typed, and the capability has no quantised decode "
            "[kv-capability]");
  EXPECT_EQ(path(none, int4, {.quantisedDecode = true}, KvUse::Prefill, 5000),
            "keys typed, values foundry.kv.int4.v1, and the capability has no quantised prefill "
            "[kv-capability]");
  EXPECT_EQ(path(none, int4, {.quantisedPrefill = true}, KvUse::Decode, 5000),
            "keys typed, values foundry.kv.int4.v1, and the capability has no quantised decode "
            "[kv-capability]");
  KvCapability fromAThousand = all;
  fromAThousand.minKvLength = 1000;
  EXPECT_EQ(path(int8, int8, fromAThousand, KvUse::Decode, 1000), "quantised");
  EXPECT_EQ(path(int8, int8, fromAThousand, KvUse::Decode, 999),
            "keys foundry.kv.int8.v1, values foundry.kv.int8.v1, and the capability begins at 1000 keys, "
            "there are 999 [kv-capability]");
  EXPECT_EQ(path(int8, int8, {}, KvUse::Materialised, 1), "quantised"); // picked by its name
  std::optional<KvFormat> other = int8;
  other->formatId = "vendor.kv";
  EXPECT_THAT(path(none, other, all, KvUse::Decode, 1), HasSubstr("v is in format 'vendor.kv', known are "));
}

TEST(KvCapability, IsAskedByTheDecodeStep) {
  QuantisedCase problem(bothQuantised());
  Knobs debug;
  debug.debug = true;
  FlashDecodeStep step(kernelSet(), debug);
  const std::string refusal = "keys foundry.kv.int8.v1, values foundry.kv.int8.v1, and the capability has "
                              "no quantised decode [kv-capability]";
  EXPECT_EQ(refusalOf(problem, step.run(problem.decode)), refusal);
  EXPECT_THAT(step.log(), ElementsAre("decode: refused: " + refusal));
  step.allow({.quantisedPrefill = true});
  EXPECT_EQ(refusalOf(problem, step.run(problem.decode)), refusal);
  step.allow({.quantisedDecode = true});
  const auto report = step.run(problem.decode);
  ASSERT_TRUE(succeeded(report));
  EXPECT_THAT(step.log(), ::testing::Contains("decode: keys foundry.kv.int8.v1, values foundry.kv.int8.v1"));
  EXPECT_TRUE(bitsEqual(oracle::flashDecodeExact<oracle::Apple>(problem.decodeShape(), problem.decodeInputs(),
                                                                orderOf(report->variant)),
                        problem.out()));
}

TEST(KvCapability, IsAskedByThePrefillStep) {
  QuantisedTest t = bothQuantised(kvInt4Format());
  t.queries = 5;
  QuantisedCase problem(t);
  Knobs debug;
  debug.debug = true;
  FlashPrefillStep step(appleKernels(), debug);
  step.allow({.quantisedDecode = true});
  EXPECT_EQ(refusalOf(problem, step.run(problem.prefill)),
            "keys foundry.kv.int4.v1, values foundry.kv.int4.v1, and the capability has no quantised "
            "prefill [kv-capability]");
  FlashPrefillStep allowed(appleKernels(), debug);
  allowed.allow({.quantisedPrefill = true});
  ASSERT_TRUE(succeeded(allowed.run(problem.prefill)));
  EXPECT_THAT(allowed.log(),
              ElementsAre("prefill m 5, kv_len 45, head_dim 64, f16: online, 4 simdgroups, 1 splits",
                          "prefill keys foundry.kv.int4.v1, values foundry.kv.int4.v1"));
  EXPECT_TRUE(bitsEqual(problem.prefillExact<oracle::Apple>({4, 1}), problem.out()));
}

} // namespace
} // namespace assay::kernels::foundry
