// flash_attn_prefill_blk_*: every byte against the oracle,
// for masks of tiles that lie around the borders of a class.
#include "prefill_case.h"

#include "tests/kernels/mask_patterns.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/matrix.h"
#include "tests/kernels/oracles/tile_classifier.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <array>
#include <ostream>

namespace assay {
namespace {

using namespace testing_support;
using namespace oracle;
using kernels::dispatchPrefillClassifier;
using kernels::KernelSet;
using kernels::PrefillClassifyArguments;
using kernels::TensorView;

DataType typeOf(MaskCell cell) {
  return cell == MaskCell::Bfloat ? DataType::BFloat
         : cell == MaskCell::Half ? DataType::Half
                                  : DataType::Bool;
}

/// The cells of a tile: those of mask_patterns.h for bfloats; for halves, which have no 1e30, around -65504.
uint16_t cellOf(MaskCell cell, uint32_t tile, bool special, Random &random) {
  if (cell == MaskCell::Bool)
    return std::array<bool, 5>{false, true, random.below(2) == 1, special, !special}[tile % 5];
  if (cell == MaskCell::Bfloat) {
    const auto &patterns = maskPatterns();
    return toBfloat(patterns[tile % patterns.size()](special, random));
  }
  constexpr uint16_t inf = 0xfc00, sentinel = 0xfbff, above = 0xfbfe, subnormal = 0x0001, nan = 0x7e00;
  switch (tile % 8) {
  case 0: return inf;
  case 1: return random.below(2) ? 0 : 0x8000;
  case 2: return sentinel;
  case 3: return special ? above : sentinel;
  case 4: return special ? subnormal : 0; // halves keep their subnormals, so this tile is mixed
  case 5: return special ? nan : inf;
  case 6: return special ? 0 : inf;
  default: return toHalf(random.uniform(-4, 4));
  }
}

struct ClassifierCase {
  std::string name;
  TileGrid grid;
};
void PrintTo(const ClassifierCase &c, std::ostream *out) {
  *out << c.name;
}

std::vector<ClassifierCase> classifierCases() {
  std::vector<ClassifierCase> cases;
  for (const auto &[name, cell] : {std::pair{"Bfloat", MaskCell::Bfloat}, std::pair{"Half", MaskCell::Half},
                                   std::pair{"Bool", MaskCell::Bool}}) {
    cases.push_back({std::string(name) + "32by16", {96, 160, 160, 32, 16, cell}});
    cases.push_back({std::string(name) + "32by16Ragged", {70, 155, 170, 32, 16, cell}});
    cases.push_back({std::string(name) + "8by8", {33, 130, 133, 8, 8, cell}});
    cases.push_back({std::string(name) + "OneRow", {1, 40, 40, 8, 8, cell}});
    cases.push_back({std::string(name) + "WiderThanASimdgroup", {9, 200, 200, 3, 40, cell}});
  }
  return cases;
}

class FlashPrefillClassifier : public ::testing::TestWithParam<ClassifierCase> {
protected:
  TileGrid grid = GetParam().grid;
  std::vector<uint16_t> cells = makeCells(); // in rows of rowStride, for the oracle
  PrefillClassifyArguments arguments;

  std::vector<uint16_t> makeCells() const {
    Random random(5);
    std::vector<uint16_t> out(size_t(grid.queries) * grid.rowStride);
    for (int row = 0; row < grid.queries; ++row)
      for (int key = 0; key < grid.keys; ++key) {
        const int tile = row / grid.tileRows * grid.tilesAcross() + key / grid.tileColumns;
        const int place = row % grid.tileRows * grid.tileColumns + key % grid.tileColumns;
        const bool special = place == tile * 7 % (grid.tileRows * grid.tileColumns);
        out[size_t(row) * grid.rowStride + key] = cellOf(grid.cell, uint32_t(tile), special, random);
      }
    return out;
  }

  void bind(const Device &device) {
    std::vector<uint16_t> values;
    for (int row = 0; row < grid.queries; ++row) {
      const uint16_t *first = &cells[size_t(row) * grid.rowStride];
      values.insert(values.end(), first, first + grid.keys);
    }
    arguments.mask =
        placed(device, typeOf(grid.cell), values, {grid.queries, grid.keys}, {grid.rowStride, 1}, 5);
    arguments.classes = TensorView::poisoned(device, DataType::Char, {grid.tilesDown(), grid.tilesAcross()});
    arguments.tiles = {grid.tileRows, grid.tileColumns};
  }
};

TEST_P(FlashPrefillClassifier, EqualsTheOracle) {
  KernelSet kernels(ownKernelFolder());
  bind(kernels.device());
  const std::vector<int8_t> expected = classifyTiles<Apple>(cells, grid);
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        arguments.classes.buffer.poison();
        return succeeded(dispatchPrefillClassifier(kernels, arguments));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, bytesOf(arguments.classes))); });
}

TEST_P(FlashPrefillClassifier, EqualsTheOracleUnderIeee) {
  KernelSet kernels(ownKernelFolder(), {{kIeeeNumerics}});
  bind(kernels.device());
  ASSERT_TRUE(succeeded(dispatchPrefillClassifier(kernels, arguments)));
  EXPECT_TRUE(bitsEqual(classifyTiles<Ieee>(cells, grid), bytesOf(arguments.classes)));
}

TEST_P(FlashPrefillClassifier, CountsWhatItFound) {
  KernelSet kernels(ownKernelFolder());
  bind(kernels.device());
  const auto report = dispatchPrefillClassifier(kernels, arguments);
  ASSERT_TRUE(succeeded(report));
  kernels::TileCounts counts;
  for (const int8_t byte : classifyTiles<Apple>(cells, grid))
    ++(byte == 0 ? counts.masked : byte == 1 ? counts.mixed : counts.attended);
  EXPECT_EQ(report->tiles, counts);
  EXPECT_EQ(report->tiles.all(), int64_t(grid.tilesDown()) * grid.tilesAcross());
}

INSTANTIATE_TEST_SUITE_P(All, FlashPrefillClassifier, ::testing::ValuesIn(classifierCases()),
                         [](const auto &info) { return info.param.name; });

// Rows 2^28 elements apart: row 8 begins where an int has wrapped, within a tile and at the top of one. Only
// the rows' own pages take memory. A kernel that wraps leaves the buffer or reads zeros, which are class 2.
TEST(FlashPrefillClassifierExtremes, RowsFarApartAreFound) {
  for (const int tileRows : {8, 32}) {
    const int64_t stride = int64_t(1) << 28;
    KernelSet kernels(ownKernelFolder());
    PrefillClassifyArguments a;
    a.mask = {
        kernels.device().newBuffer(size_t(16 * stride + 16) * 2), DataType::BFloat, {17, 16}, {stride, 1}, 0};
    for (int64_t row = 8; row < 17; ++row)
      for (int64_t key = 0; key < 16; ++key)
        a.mask.buffer.as<uint16_t>()[row * stride + key] = 0xff80;
    a.tiles = {tileRows, 16};
    a.classes = TensorView::poisoned(kernels.device(), DataType::Char, {a.tiles.down(17), 1});
    ASSERT_TRUE(succeeded(dispatchPrefillClassifier(kernels, a)));
    EXPECT_EQ(bytesOf(a.classes), tileRows == 8 ? (std::vector<int8_t>{2, 0, 0}) : (std::vector<int8_t>{1}));
  }
}

// What the oracle's two profiles disagree about: a bfloat subnormal is zero to Apple's comparisons.
TEST(FlashPrefillClassifierExtremes, SubnormalBfloatsAttendUnderAppleOnly) {
  const std::vector<uint16_t> cells(8 * 8, 0x0001);
  for (const bool apple : {true, false}) {
    PipelineOptions options;
    options.numerics = apple ? kAppleNumerics : kIeeeNumerics;
    KernelSet kernels(ownKernelFolder(), options);
    PrefillClassifyArguments a;
    a.mask = placed(kernels.device(), DataType::BFloat, cells, {8, 8}, {8, 1}, 0);
    a.tiles = {8, 8};
    a.classes = TensorView::poisoned(kernels.device(), DataType::Char, {1, 1});
    ASSERT_TRUE(succeeded(dispatchPrefillClassifier(kernels, a)));
    EXPECT_EQ(bytesOf(a.classes)[0], apple ? 2 : 1);
  }
}

} // namespace
} // namespace assay
