// kernels_msl/mask: function constants with and without a default, simd_min and simd_max, bfloat.
#include "mask_patterns.h"

#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace testing_support;

struct Shape {
  uint32_t rows, columns, stride;
};

template <class Profile>
std::vector<uint8_t> expectedClasses(const std::vector<uint16_t> &mask, Shape shape, uint32_t tileRows,
                                     uint32_t tileColumns, float maskedBelow) {
  using F = oracle::F32<Profile>;
  std::vector<uint8_t> classes;
  for (uint32_t top = 0; top < shape.rows; top += tileRows)
    for (uint32_t left = 0; left < shape.columns; left += tileColumns) {
      float smallest = oracle::kInfinity, largest = -oracle::kInfinity;
      for (uint32_t row = top; row < std::min(top + tileRows, shape.rows); ++row)
        for (uint32_t column = left; column < std::min(left + tileColumns, shape.columns); ++column) {
          const float cell = oracle::fromBfloat(mask[row * shape.stride + column]);
          smallest = F::min(smallest, cell);
          largest = F::max(largest, cell);
        }
      const bool zero = F::equal(smallest, 0.0f) && F::equal(largest, 0.0f);
      classes.push_back(F::lessOrEqual(largest, maskedBelow) ? 0 : zero ? 2 : 1);
    }
  return classes;
}

template <class Profile>
void expectClasses(const NumericsProfile &numerics, Shape shape,
                   std::optional<std::pair<uint32_t, uint32_t>> tile) {
  const auto [tileRows, tileColumns] = tile.value_or(std::pair{16u, 32u});
  const float maskedBelow = -1e30f;
  const std::vector<uint16_t> mask =
      makeMask(shape.rows, shape.columns, shape.stride, tileRows, tileColumns, 9);
  const std::vector<uint8_t> expected =
      expectedClasses<Profile>(mask, shape, tileRows, tileColumns, maskedBelow);
  KernelRun run(ownKernel("mask/tile_class.metal"), "mask_tile_class");
  run.numerics(numerics).constant(2, maskedBelow);
  if (tile)
    run.constant(0, tileRows).constant(1, tileColumns);
  run.input(0, mask).output<uint8_t>(1, expected.size()).bytes(2, shape);
  const Size groups{(shape.columns + tileColumns - 1) / tileColumns, (shape.rows + tileRows - 1) / tileRows};
  for (const Size threads : {Size{32, 1}, Size{16, 6}, Size{20, 1}}) { // one, three and part of a simdgroup
    SCOPED_TRACE(threads.width);
    inAllWays(
        false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups(groups, threads, o); },
        [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint8_t>(1))); });
  }
}

TEST(MaskTileClass, UsesTheDefaultTileWhenNoneIsGiven) {
  expectClasses<oracle::Apple>(kAppleNumerics, {70, 150, 160}, std::nullopt);
}

TEST(MaskTileClass, UsesTheTileThatIsGiven) {
  expectClasses<oracle::Apple>(kAppleNumerics, {45, 29, 29}, std::pair{8u, 8u});
}

TEST(MaskTileClass, SeesSubnormalsUnderIeee) {
  expectClasses<oracle::Ieee>(kIeeeNumerics, {45, 29, 40}, std::pair{8u, 8u});
}

TEST(MaskTileClass, NeedsTheConstantThatHasNoDefault) {
  KernelRun run(ownKernel("mask/tile_class.metal"), "mask_tile_class");
  const ::testing::AssertionResult result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("masked_below"), std::string::npos) << result.message();
}

} // namespace
} // namespace assay
