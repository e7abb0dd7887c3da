// Oracle of the mask tile classifier. See the header; every rule there is one line here.
#include "tile_classifier.h"

#include "f32.h"
#include "matrix.h"

#include <algorithm>

namespace assay::oracle {

namespace {

float valueOf(MaskCell cell, uint16_t bits) {
  switch (cell) {
  case MaskCell::Bfloat: return fromBfloat(bits);
  case MaskCell::Half: return fromHalf(bits);
  case MaskCell::Bool: return bits ? 0 : -kInfinity;
  }
  return 0;
}

} // namespace

template <class Profile>
std::vector<int8_t> classifyTiles(std::span<const uint16_t> mask, const TileGrid &grid) {
  using F = F32<Profile>;
  std::vector<int8_t> classes;
  for (int top = 0; top < grid.queries; top += grid.tileRows)
    for (int left = 0; left < grid.keys; left += grid.tileColumns) {
      if (left + grid.tileColumns > grid.keys) {
        classes.push_back(1);
        continue;
      }
      float smallest = kInfinity, largest = -kInfinity;
      for (int row = top; row < std::min(top + grid.tileRows, grid.queries); ++row)
        for (int column = left; column < left + grid.tileColumns; ++column) {
          const float cell = valueOf(grid.cell, mask[size_t(row) * grid.rowStride + column]);
          smallest = F::min(smallest, cell);
          largest = F::max(largest, cell);
        }
      if (F::lessOrEqual(largest, grid.cell == MaskCell::Half ? -65504.0f : -1.0e30f))
        classes.push_back(0);
      else
        classes.push_back(F::equal(smallest, 0.0f) && F::equal(largest, 0.0f) ? 2 : 1);
    }
  return classes;
}

template std::vector<int8_t> classifyTiles<Apple>(std::span<const uint16_t>, const TileGrid &);
template std::vector<int8_t> classifyTiles<Ieee>(std::span<const uint16_t>, const TileGrid &);

} // namespace assay::oracle
