// kernels_msl/foundry/decode_kernels.metal through its dispatcher: every bit, and the distance to float64.
#include "decode_case.h"

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

DecodeCase plain(std::string name, oracle::DecodeShape shape, std::vector<uint32_t> lengths,
                 DecodeVariant variant) {
  DecodeCase c;
  c.name = std::move(name), c.shape = shape, c.lengths = std::move(lengths), c.variant = variant;
  return c;
}

template <class Change> DecodeCase with(DecodeCase c, Change change) {
  change(c);
  return c;
}

KvFormat int8Format(int64_t chunk, DataType scale) {
  KvFormat format;
  format.elementsPerChunk = chunk, format.scaleType = scale;
  return format;
}

std::vector<DecodeCase> cases() {
  std::vector<DecodeCase> all = {
      plain("OneKey", decodeShape(1, 2, 1, 64, 4), {1}, {4, 8, 2}),
      plain("RaggedRound", decodeShape(1, 2, 2, 64, 41), {37}, {2, 8, 2}),
      plain("FewerKeysThanSimdgroups", decodeShape(1, 1, 1, 64, 8), {3}, {8, 1, 2}),
      plain("LanesPastTheHead", decodeShape(1, 2, 1, 32, 30), {30}, {2, 4, 4}),
      plain("Odd80", decodeShape(1, 2, 2, 80, 33), {33}, {2, 8, 2}),
      plain("Odd80Half4", decodeShape(1, 2, 2, 80, 33), {33}, {2, 8, 4}),
      plain("Odd96", decodeShape(1, 3, 1, 96, 20), {19}, {1, 32, 2}),
      plain("Odd96Half4", decodeShape(1, 3, 1, 96, 20), {19}, {4, 2, 4}),
      plain("D128", decodeShape(1, 4, 2, 128, 50), {50}, {4, 8, 4}),
      plain("D256", decodeShape(1, 2, 1, 256, 40), {40}, {8, 4, 4}),
      plain("D256Half2", decodeShape(1, 1, 1, 256, 20), {20}, {4, 4, 2}),
      plain("HalfPartials", decodeShape(1, 2, 1, 64, 60), {57}, {8, 4, 2, true}),
      plain("MostSimdgroups", decodeShape(1, 1, 1, 64, 100), {99}, {32, 2, 2}),
      plain("Bfloat", decodeShape(2, 2, 1, 64, 40, true), {40}, {4, 4, 2}),
      plain("BfloatD32", decodeShape(1, 2, 1, 32, 20, true), {20}, {4, 4, 4}),
      plain("BfloatD80", decodeShape(1, 2, 1, 80, 20, true), {17}, {2, 4, 4}),
      plain("BfloatD96", decodeShape(1, 2, 1, 96, 20, true), {17}, {2, 4, 2}),
      plain("BfloatD128", decodeShape(1, 2, 1, 128, 33, true), {33}, {2, 8, 4}),
      plain("BfloatD256", decodeShape(1, 1, 1, 256, 33, true), {33}, {2, 8, 4}),
      plain("GroupedHeads", decodeShape(2, 6, 2, 64, 24), {24}, {4, 4, 2}),
      plain("BatchesOfDifferentLengths", decodeShape(3, 2, 1, 64, 40), {40, 1, 17}, {4, 4, 2}),
      plain("ABatchWithoutKeys", decodeShape(2, 2, 1, 64, 16), {16, 0}, {2, 4, 2}),
  };
  const DecodeCase base = plain("", decodeShape(2, 4, 2, 64, 45), {45, 30}, {4, 4, 2});
  const auto add = [&](std::string name, auto change) {
    all.push_back(with(base, change));
    all.back().name = std::move(name);
  };
  add("FirstRowOfACapacity", [](DecodeCase &c) { c.qRows = 5; });
  add("SpreadCache", [](DecodeCase &c) { c.spread = true; });
  add("Padding", [](DecodeCase &c) { c.padding = true; });
  add("MaskOfHalf", [](DecodeCase &c) { c.mask = MaskType::OfQ; });
  add("MaskOfFloat", [](DecodeCase &c) { c.mask = MaskType::Float; });
  add("MaskOfBfloatAndPadding",
      [](DecodeCase &c) { c.shape.bfloat = true, c.mask = MaskType::OfQ, c.padding = true; });
  add("RopeHalves", [](DecodeCase &c) { c.rope = RopePairs::Halves; });
  add("RopeNeighbours", [](DecodeCase &c) { c.rope = RopePairs::Neighbours; });
  add("RopeOfPartOfAHead", [](DecodeCase &c) { c.rope = RopePairs::Halves, c.ropeSize = 32; });
  add("RopeBfloat", [](DecodeCase &c) { c.rope = RopePairs::Halves, c.shape.bfloat = true; });
  add("RopeD32", [](DecodeCase &c) { c.rope = RopePairs::Halves, c.shape = decodeShape(2, 2, 1, 32, 45); });
  add("RopeD80",
      [](DecodeCase &c) { c.rope = RopePairs::Neighbours, c.shape = decodeShape(2, 2, 1, 80, 45); });
  add("RopeD96", [](DecodeCase &c) { c.rope = RopePairs::Halves, c.shape = decodeShape(2, 2, 1, 96, 45); });
  add("RopeD128", [](DecodeCase &c) { c.rope = RopePairs::Halves, c.shape = decodeShape(2, 2, 1, 128, 45); });
  add("RopeD256",
      [](DecodeCase &c) { c.rope = RopePairs::Neighbours, c.shape = decodeShape(2, 1, 1, 256, 45, true); });
  add("KeysInt8", [](DecodeCase &c) { c.kFormat = int8Format(32, DataType::Half); });
  add("ValuesInt8", [](DecodeCase &c) { c.vFormat = int8Format(32, DataType::Half); });
  add("Int8WithFloatScales", [](DecodeCase &c) {
    c.kFormat = int8Format(16, DataType::Float), c.vFormat = int8Format(64, DataType::Float);
    c.spread = true, c.padding = true;
  });
  add("Int8LastChunkPartial", [](DecodeCase &c) {
    c.shape = decodeShape(2, 4, 2, 80, 45), c.variant.scalar = 4;
    c.kFormat = c.vFormat = int8Format(32, DataType::Half);
  });
  add("Int8UnderBfloatQueries", [](DecodeCase &c) {
    c.shape.bfloat = true, c.kFormat = int8Format(32, DataType::Float),
    c.vFormat = int8Format(32, DataType::Half);
  });
  add("EverythingAtOnce", [](DecodeCase &c) {
    c.kFormat = c.vFormat = int8Format(32, DataType::Half);
    c.rope = RopePairs::Halves, c.mask = MaskType::Float, c.padding = true, c.qRows = 3,
    c.variant.halfPartials = true;
  });
  return all;
}

class FlashDecode : public ::testing::TestWithParam<DecodeCase> {};

TEST_P(FlashDecode, EqualsTheOracleInEveryBit) {
  DecodeRun run(GetParam());
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
  EXPECT_TRUE(run.restUntouched());
  EXPECT_TRUE(withinBound(run.output(), GetParam().shape.bfloat, run.reference()));
  recordError(run.output(), GetParam().shape.bfloat, run.reference());
}

TEST_P(FlashDecode, EqualsTheOracleUnderIeee) {
  DecodeRun run(GetParam());
  ASSERT_TRUE(run.dispatch(kernelSet(kIeeeNumerics)));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Ieee>(), run.output()));
  EXPECT_TRUE(withinBound(run.output(), GetParam().shape.bfloat, run.reference()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, FlashDecode, ::testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

DecodeCase named(const std::string &name) {
  for (DecodeCase &c : cases())
    if (c.name == name)
      return c;
  ADD_FAILURE() << "no case " << name;
  return {};
}

class FlashDecodeInAllWays : public ::testing::TestWithParam<std::string> {};

TEST_P(FlashDecodeInAllWays, GivesTheSameBits) {
  DecodeRun run(named(GetParam()));
  KernelSet &kernels = kernelSet();
  const auto dispatch = [&](const DispatchOptions &options) {
    kernels.options() = options;
    return run.dispatch(kernels);
  };
  inAllWays(false, dispatch, [&] { EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output())); });
}

INSTANTIATE_TEST_SUITE_P(Schedules, FlashDecodeInAllWays,
                         ::testing::Values("GroupedHeads", "HalfPartials", "RopeHalves", "EverythingAtOnce"),
                         [](const auto &info) { return info.param; });

TEST(FlashDecode, FusedEqualsStandaloneOnRotatedQueries) {
  for (const char *name : {"RopeHalves", "RopeNeighbours", "RopeOfPartOfAHead", "RopeBfloat"}) {
    SCOPED_TRACE(name);
    DecodeRun fused(named(name)), alone(named(name));
    alone.inputs().q = oracle::rotatedQuery<oracle::Apple>(named(name).shape, alone.inputs());
    EXPECT_NE(alone.inputs().q, fused.inputs().q);
    alone.inputs().rope.reset();
    alone.upload();
    ASSERT_TRUE(fused.dispatch(kernelSet()));
    ASSERT_TRUE(alone.dispatch(kernelSet()));
    EXPECT_TRUE(bitsEqual(alone.output(), fused.output()));
  }
}

TEST(FlashDecode, OneMaskForAllBatchesAndHeadsIsBroadcast) {
  DecodeCase c = named("MaskOfFloat");
  c.padding = true;
  DecodeRun run(c);
  const int capacity = c.shape.capacity, heads = c.shape.heads;
  for (size_t i = 0; i < run.inputs().mask.size(); ++i)
    run.inputs().mask[i] = run.inputs().mask[i % capacity];
  for (size_t i = 0; i < run.inputs().padding.size(); ++i)
    run.inputs().padding[i] = run.inputs().padding[i % capacity];
  run.upload();
  // The same numbers, once for every head and once for all.
  run.arguments().mask.sizes = {1, 1, capacity};
  run.arguments().padding.sizes = {1, capacity};
  ASSERT_EQ(run.inputs().mask.size(), size_t(2 * heads * capacity));
  ASSERT_TRUE(run.dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), run.output()));
}

TEST(FlashDecode, ARowWithEveryKeyHiddenIsZero) {
  DecodeCase c = named("MaskOfHalf");
  DecodeRun run(c);
  const size_t row = size_t(c.shape.capacity);
  std::fill_n(run.inputs().mask.begin() + row, row, -oracle::kInfinity); // head 1 of batch 0
  run.upload();
  ASSERT_TRUE(run.dispatch(kernelSet()));
  const std::vector<uint16_t> out = run.output();
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(), out));
  EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(64, 0), std::vector(out.begin() + 64, out.begin() + 128)));
}

TEST(FlashDecode, WhatHidesAKeyDoesNotMatter) {
  // Past the length, under a padding byte of 0, under -inf: the same keys, the same bits.
  const DecodeCase c = plain("", decodeShape(1, 2, 1, 64, 32), {32}, {2, 4, 2});
  DecodeRun byMask([&] {
    DecodeCase m = c;
    m.mask = MaskType::Float;
    return m;
  }());
  DecodeRun byPadding([&] {
    DecodeCase m = c;
    m.padding = true;
    return m;
  }());
  DecodeRun byLength([&] {
    DecodeCase m = c;
    m.lengths = {21};
    return m;
  }());
  for (int key = 0; key < 32; ++key) {
    for (int head = 0; head < 2; ++head)
      byMask.inputs().mask[head * 32 + key] = key < 21 ? 0.0f : -oracle::kInfinity;
    byPadding.inputs().padding[key] = key < 21;
  }
  for (DecodeRun *run : {&byMask, &byPadding}) {
    run->inputs().k = byLength.inputs().k, run->inputs().v = byLength.inputs().v;
    run->upload();
  }
  for (DecodeRun *run : {&byMask, &byPadding, &byLength})
    ASSERT_TRUE(run->dispatch(kernelSet()));
  EXPECT_TRUE(bitsEqual(byLength.output(), byMask.output()));
  EXPECT_TRUE(bitsEqual(byLength.output(), byPadding.output()));
}

} // namespace
} // namespace assay::kernels::foundry
