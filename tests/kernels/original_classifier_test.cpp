// flash_attn_prefill_blk.metal, unchanged, against the tile classifier's oracle.
#include "mask_patterns.h"

#include "tests/kernels/oracles/tile_classifier.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace testing_support;
using oracle::TileGrid;

constexpr const char *kFile = "flash_attn_prefill_blk.metal";

struct Params {
  int32_t queries, keys, rowStride, padding = 0;
};
static_assert(sizeof(Params) == 16);

KernelRun classifier(const TileGrid &grid, const std::vector<uint16_t> &mask, size_t classes,
                     bool setConstants) {
  KernelRun run(originalKernel(kFile), "flash_attn_prefill_blk_bf16");
  if (setConstants)
    run.constant(400, grid.tileRows).constant(401, grid.tileColumns);
  run.input(0, mask).output<int8_t>(1, classes).bytes(2, Params{grid.queries, grid.keys, grid.rowStride});
  return run;
}

template <class Profile>
void expectClasses(const NumericsProfile &numerics, const TileGrid &grid, bool setConstants = true) {
  SCOPED_TRACE(fmt::format("{} x {}, stride {}, tiles of {} x {}", grid.queries, grid.keys, grid.rowStride,
                           grid.tileRows, grid.tileColumns));
  const std::vector<uint16_t> mask =
      makeMask(grid.queries, grid.keys, grid.rowStride, grid.tileRows, grid.tileColumns, 17);
  const std::vector<int8_t> expected = oracle::classifyTiles<Profile>(mask, grid);
  KernelRun run = classifier(grid, mask, expected.size(), setConstants);
  run.numerics(numerics);
  const Size groups(grid.tilesAcross(), grid.tilesDown());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups(groups, {32}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<int8_t>(1))); });
}

TEST(OriginalClassifier, ClassifiesEveryPatternInTilesOf32By16) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectClasses<oracle::Apple>(kAppleNumerics, {128, 128, 128, 32, 16});
  expectClasses<oracle::Ieee>(kIeeeNumerics, {128, 128, 128, 32, 16});
}

TEST(OriginalClassifier, ClassifiesEveryPatternInTilesOf8By8) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectClasses<oracle::Apple>(kAppleNumerics, {64, 64, 64, 8, 8});
}

TEST(OriginalClassifier, UsesItsDefaultsWhenNoConstantIsGiven) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  expectClasses<oracle::Apple>(kAppleNumerics, {70, 100, 100, 32, 16}, false);
}

TEST(OriginalClassifier, TakesPartialTilesInBothDirectionsAndRowsFarApart) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  for (const auto &[rows, columns] : {std::pair{32, 16}, std::pair{8, 8}})
    for (const auto &[queries, keys, stride] :
         {std::array{rows + 1, 3 * columns, 3 * columns},
          std::array{2 * rows - 1, 3 * columns + 1, 4 * columns},
          std::array{rows, 5 * columns - 1, 5 * columns + 7}, std::array{1, 2 * columns, 2 * columns + 1},
          std::array{rows + 3, columns - 1, columns},
          std::array{1, 1, 1}}) // the last two: fewer keys than a tile
      expectClasses<oracle::Apple>(kAppleNumerics, {queries, keys, stride, rows, columns});
}

TEST(OriginalClassifier, CallsTilesOutsideTheMaskSkipped) {
  ASSAY_NEEDS_ORIGINAL(kFile);
  // One row of tiles, so that tiles to the right do not share their byte with the next row; then one column.
  const std::vector<uint16_t> zeros(8 * 12);
  KernelRun wide = classifier({8, 12, 12, 8, 8}, zeros, 5, true);
  ASSERT_TRUE(wide.dispatchThreadgroups({5}, {32}));
  EXPECT_TRUE(bitsEqual(std::vector<int8_t>{2, 1, 0, 0, 0}, wide.read<int8_t>(1)));
  KernelRun tall = classifier({12, 8, 8, 8, 8}, zeros, 4, true);
  ASSERT_TRUE(tall.dispatchThreadgroups({1, 4}, {32}));
  EXPECT_TRUE(bitsEqual(std::vector<int8_t>{2, 2, 0, 0}, tall.read<int8_t>(1)));
}

} // namespace
} // namespace assay
