// Oracle of the mask tile classifier: one byte for each tile of a mask. A cell adds its value to a score:
// additive masks of bfloats or halves their own, a bool 0 if true and -inf if false.
//
//   0 skip      every cell of the tile is at most -1e30 (halves: -65504), or the tile lies past the last key
//   2 attended  every cell equals zero
//   1 mixed     everything else, and every tile that straddles the last key
//
// Rows past the last query do not count. A tile without rows has nothing to attend to and is 0: its largest
// value is that of the empty set, -inf. A NaN cell counts neither as smallest nor as largest (MSL's min and
// max return the number), so a tile of nothing but NaN is 0 as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::oracle {

enum class MaskCell { Bfloat, Half, Bool };

struct TileGrid {
  int queries = 0, keys = 0;
  int rowStride = 0; ///< elements between rows of the mask; at least keys
  int tileRows = 32, tileColumns = 16;
  MaskCell cell = MaskCell::Bfloat;
  int tilesDown() const { return (queries + tileRows - 1) / tileRows; }
  int tilesAcross() const { return (keys + tileColumns - 1) / tileColumns; }
};

/// tilesDown x tilesAcross bytes, rows first.
///   mask   bits of the cells; 0 and 1 if they are bools
template <class Profile>
std::vector<int8_t> classifyTiles(std::span<const uint16_t> mask, const TileGrid &grid);

} // namespace assay::oracle
