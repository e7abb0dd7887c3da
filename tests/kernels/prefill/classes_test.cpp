// Attention with the classes of its mask's tiles: the same bits, less work;
// and where the classes do change something.
#include "prefill_case.h"

#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/tile_classifier.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;
using kernels::dispatchPrefill;
using kernels::KernelSet;
using kernels::prefillAttention;
using kernels::TileCounts;

std::vector<int8_t> classesOf(const PrefillCase &c, const TiledAttentionInputs &in) {
  const TiledAttentionShape &s = c.shape;
  const MaskCell cell = s.mask == TileMask::Bool           ? MaskCell::Bool
                        : s.element == TileElement::Bfloat ? MaskCell::Bfloat
                                                           : MaskCell::Half;
  return classifyTiles<Apple>(in.mask, {s.queries, s.keys, s.keys, s.tileQueries, s.tileKeys, cell});
}

std::vector<PrefillCase> maskedCases() {
  std::vector<PrefillCase> cases;
  for (const TileElement element : {TileElement::Bfloat, TileElement::Half})
    for (const int size : {64, 256, 512})
      for (const TileMask mask : {TileMask::Additive, TileMask::Bool}) {
        const int q = size == 512 ? 8 : 32, k = size == 512 ? 8 : 16;
        PrefillCase c = prefillCase(fmt::format("{}D{}{}", element == TileElement::Bfloat ? "Bf16" : "F16",
                                                size, mask == TileMask::Bool ? "Bool" : "Additive"),
                                    element, size, 2, 2, q + 5, 4 * k + 3);
        c.shape.mask = mask;
        c.shape.oneMask = true;
        c.pattern = MaskPattern::Tiles;
        c.layout = Layout::Capacity;
        cases.push_back(c);
        c.name += "CausalDeadRows";
        c.shape.causal = true;
        c.shape.queryOffset = k;
        c.pattern = MaskPattern::DeadRows;
        cases.push_back(c);
      }
  return cases;
}

class FlashPrefillClasses : public ::testing::TestWithParam<PrefillCase> {};

TEST_P(FlashPrefillClasses, ChangeNoBitAndAreReported) {
  const PrefillCase &c = GetParam();
  TiledAttentionInputs in = makePrefillInputs(c, 21);
  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  const std::vector<uint16_t> without = tensors.output();
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, without));

  tensors.poisonOutput();
  const auto report = prefillAttention(kernels, tensors.arguments);
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(bitsEqual(without, tensors.output()));

  in.classes = classesOf(c, in);
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, tensors.output()));
  TileCounts counts;
  for (size_t i = 0; i < in.classes.size(); ++i) {
    const int down = int(i) / c.shape.tilesAcross(), across = int(i) % c.shape.tilesAcross();
    if (across >= c.shape.tilesVisited(down))
      ++counts.beyondDiagonal;
    else
      ++(in.classes[i] == 0 ? counts.masked : in.classes[i] == 1 ? counts.mixed : counts.attended);
  }
  EXPECT_EQ(*report->tiles, counts);
  EXPECT_EQ(report->classifier->threadgroups, in.classes.size());
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillClasses, ::testing::ValuesIn(maskedCases()),
                         [](const auto &info) { return info.param.name; });

/// D = 64, one head, four tiles of keys: masked, attended, mixed, masked.
class FlashPrefillFourTiles : public ::testing::Test {
protected:
  PrefillCase c = prefillCase("FourTiles", TileElement::Half, 64, 1, 1, 32, 64);
  TiledAttentionInputs in;
  KernelSet kernels{ownKernelFolder()};

  void make(uint16_t masked, TileElement element = TileElement::Half) {
    c.shape.element = element;
    c.shape.mask = TileMask::Additive;
    c.shape.oneMask = true;
    in = makePrefillInputs(c, 22);
    for (int row = 0; row < 32; ++row)
      for (int key = 0; key < 64; ++key)
        in.mask[size_t(row) * 64 + key] = key / 16 == 1 || (key / 16 == 2 && key % 3) ? 0 : masked;
  }
  /// The output with the classifier and without.
  std::pair<std::vector<uint16_t>, std::vector<uint16_t>> both() {
    PrefillTensors tensors(kernels.device(), c, in);
    const auto report = prefillAttention(kernels, tensors.arguments);
    EXPECT_TRUE(succeeded(report));
    counts = report ? *report->tiles : TileCounts{};
    const std::vector<uint16_t> with = tensors.output();
    tensors.poisonOutput();
    EXPECT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
    return {with, tensors.output()};
  }
  TileCounts counts;
};

TEST_F(FlashPrefillFourTiles, AreOneOfEachAndOneMore) {
  make(0xfc00);
  const auto [with, without] = both();
  EXPECT_TRUE(bitsEqual(without, with));
  EXPECT_EQ(counts, (TileCounts{2, 1, 1, 0}));
}

// What is left out is not read: NaNs there stay there. Without the classes they reach every row.
TEST_F(FlashPrefillFourTiles, KeysOfMaskedTilesAreNotRead) {
  make(0xfc00);
  const auto [clean, alsoClean] = both();
  for (int key = 0; key < 16; ++key)
    for (int d = 0; d < 64; ++d)
      in.k[size_t(key) * 64 + d] = in.v[size_t(key + 48) * 64 + d] = 0x7e00;
  const auto [with, without] = both();
  EXPECT_TRUE(bitsEqual(clean, with));
  EXPECT_EQ(without[0], 0x7e00);
}

// A mask whose tile is attended is not read either: the classes are believed.
TEST_F(FlashPrefillFourTiles, MasksOfAttendedTilesAreNotRead) {
  make(0xfc00);
  PrefillTensors tensors(kernels.device(), c, in);
  tensors.arguments.classes = kernels::TensorView::poisoned(kernels.device(), DataType::Char, {1, 4});
  for (int8_t &byte : tensors.arguments.classes.buffer.as<int8_t>())
    byte = 2;
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  TiledAttentionShape unmasked = c.shape;
  unmasked.mask = TileMask::None;
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(unmasked, in).output, tensors.output()));
}

// llama.cpp's sentinel: what it masks weighs 2^-94000, which is nothing beside a key that is attended to.
TEST_F(FlashPrefillFourTiles, TheLargestHalfMasksAsInfinityDoes) {
  make(0xfc00);
  const auto [infinite, alsoInfinite] = both();
  make(0xfbff);
  const auto [with, without] = both();
  EXPECT_EQ(counts, (TileCounts{2, 1, 1, 0}));
  EXPECT_TRUE(bitsEqual(infinite, with));
  EXPECT_TRUE(bitsEqual(infinite, without));
}

// The documented difference: a row that masks everything with a finite sentinel has a softmax of its own, and
// none if its tiles are left out. With -inf it is zero both ways.
TEST_F(FlashPrefillFourTiles, RowsOfNothingButFiniteSentinelsDiffer) {
  for (const uint16_t sentinel : {uint16_t(0xfbff), uint16_t(0xfc00)}) {
    make(sentinel);
    std::fill(in.mask.begin(), in.mask.end(), sentinel);
    const auto [with, without] = both();
    EXPECT_EQ(counts, (TileCounts{4, 0, 0, 0}));
    EXPECT_TRUE(bitsEqual(std::vector<uint16_t>(32 * 64, 0), with));
    const TiledAttentionInputs unclassified = in;
    EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, unclassified).output, without));
    EXPECT_EQ(without == with, sentinel == 0xfc00);
  }
}

// A prompt under a sliding window of 48 keys, as a mask of halves or bfloats for four heads:
// most tiles are left out.
class FlashPrefillWindow : public ::testing::TestWithParam<std::tuple<TileElement, int>> {};

TEST_P(FlashPrefillWindow, LeavesOutWhatLiesOutside) {
  const auto [element, size] = GetParam();
  constexpr int kLength = 160, kWindow = 48;
  PrefillCase c = prefillCase("Window", element, size, size == 64 ? 4 : 1, 1, kLength, kLength);
  c.shape.gqa = c.shape.queryHeads;
  c.shape.mask = TileMask::Additive;
  c.shape.oneMask = true;
  TiledAttentionInputs in = makePrefillInputs(c, 23);
  const auto seen = [&](int query, int key) { return key <= query && key > query - kWindow; };
  for (int query = 0; query < kLength; ++query)
    for (int key = 0; key < kLength; ++key)
      in.mask[size_t(query) * kLength + key] = toElement(element, seen(query, key) ? 0 : -kInfinity);
  TileCounts counts;
  for (int q = 0; q < kLength; q += c.shape.tileQueries)
    for (int k = 0; k < kLength; k += c.shape.tileKeys) {
      const int lastQuery = q + c.shape.tileQueries - 1, lastKey = k + c.shape.tileKeys - 1;
      const bool all = seen(q, lastKey) && seen(lastQuery, k);
      const bool none = k > lastQuery || lastKey <= q - kWindow;
      ++(none ? counts.masked : all ? counts.attended : counts.mixed);
    }

  KernelSet kernels(ownKernelFolder());
  PrefillTensors tensors(kernels.device(), c, in);
  const auto report = prefillAttention(kernels, tensors.arguments);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(*report->tiles, counts);
  EXPECT_GT(counts.masked, counts.all() / 2);
  const std::vector<uint16_t> with = tensors.output();
  tensors.poisonOutput();
  ASSERT_TRUE(succeeded(dispatchPrefill(kernels, tensors.arguments)));
  EXPECT_TRUE(bitsEqual(with, tensors.output()));
  EXPECT_TRUE(bitsEqual(tiledAttentionExact<Apple>(c.shape, in).output, with));
  const TiledAttentionError error = compareWithReference(c.shape, tiledAttentionReference(c.shape, in), with);
  EXPECT_LE(error.largestOfBound, 1);
  RecordProperty("largest", std::to_string(error.largest));
  RecordProperty("largestRelative", std::to_string(error.largestRelative));
  RecordProperty("largestOfBound", std::to_string(error.largestOfBound));
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillWindow,
                         ::testing::Combine(::testing::Values(TileElement::Bfloat, TileElement::Half),
                                            ::testing::Values(64, 256, 512)),
                         [](const auto &info) {
                           return fmt::format("{}D{}",
                                              std::get<0>(info.param) == TileElement::Bfloat ? "Bf16" : "F16",
                                              std::get<1>(info.param));
                         });

} // namespace
} // namespace assay
