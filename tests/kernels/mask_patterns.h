// An additive mask made of tiles, each with a pattern of its own: every class and every border of a class.
#pragma once

#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_data.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace assay::testing_support {

/// A cell of a pattern; `first` is whether it is the tile's one special cell.
using CellPattern = std::function<float(bool special, Random &)>;

inline const std::vector<CellPattern> &maskPatterns() {
  static const float inf = oracle::kInfinity, nan = std::numeric_limits<float>::quiet_NaN();
  static const std::vector<CellPattern> patterns{
      [](bool, Random &) { return -inf; },                               // nothing
      [](bool, Random &) { return 0.0f; },                               // everything
      [](bool, Random &r) { return r.below(2) ? 0.0f : -inf; },          // mixed
      [](bool, Random &r) { return r.below(2) ? -3e38f : -2e30f; },      // finite, as good as nothing
      [](bool special, Random &) { return special ? -0.9e30f : -inf; },  // just above that border
      [](bool, Random &) { return -0.0f; },                              // the other zero
      [](bool, Random &r) { return r.below(2) ? 0.0f : -0.0f; },         // both zeros
      [](bool special, Random &) { return special ? 1.0f : -inf; },      // one finite cell
      [](bool special, Random &) { return special ? 0x1p-133f : 0.0f; }, // the smallest bfloat subnormal
      [](bool special, Random &) { return special ? nan : 0.0f; },       // a NaN among zeros
      [](bool special, Random &) { return special ? nan : -inf; },       // a NaN among nothing
      [](bool, Random &) { return nan; },                                // nothing but NaN
      [](bool special, Random &) { return special ? inf : 0.0f; },       // +inf
      [](bool, Random &r) { return r.uniform(-4, 4); },                  // a bias
      [](bool special, Random &) { return special ? -1.0f : 0.0f; },     // almost everything
  };
  return patterns;
}

/// rows x columns cells in rows of `stride`, the rest of each row NaN; tile t has pattern t mod the number of
/// them, and its special cell in a place that moves from tile to tile.
inline std::vector<uint16_t> makeMask(uint32_t rows, uint32_t columns, uint32_t stride, uint32_t tileRows,
                                      uint32_t tileColumns, uint64_t seed) {
  Random random(seed);
  const uint32_t across = (columns + tileColumns - 1) / tileColumns;
  // Exactly as long as it must be: the last row has no padding.
  std::vector<uint16_t> mask(size_t(rows - 1) * stride + columns, 0x7fc0);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      const uint32_t tile = row / tileRows * across + column / tileColumns;
      const uint32_t cell = row % tileRows * tileColumns + column % tileColumns;
      const bool special = cell == tile * 7 % (tileRows * tileColumns);
      const CellPattern &pattern = maskPatterns()[tile % maskPatterns().size()];
      mask[size_t(row) * stride + column] = oracle::toBfloat(pattern(special, random));
    }
  return mask;
}

} // namespace assay::testing_support
