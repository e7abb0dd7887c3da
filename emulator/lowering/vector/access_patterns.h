// Finds the vector loads and stores that make up an access whose lanes are constant distances apart.
//
// All lanes take part. A load may also read memory between the elements of the lanes, if a gap is less than a
// page, because then the gap is on pages that the lanes read, too. It never reads below the first element or
// above the last one. A store writes only what the lanes write, and each element only once.
#pragma once

#include "lane_shapes.h"

namespace assay::lowering::vector {

/// Elements that one instruction loads or stores.
struct Piece {
  int64_t first = 0;        ///< from the first one of lane 0
  unsigned length = 0;      ///< a power of two
  uint64_t written = ~0ull; ///< bit i: a store writes element i
};

struct AccessShape;

struct AccessPattern {
  std::vector<Piece> pieces;               ///< in ascending order
  std::array<int64_t, kLanes> starts = {}; ///< the first element of each lane

  /// The piece that holds an element of a lane, and its place there.
  std::pair<unsigned, unsigned> at(unsigned lane, unsigned component) const;
  unsigned lengthOf(unsigned piece) const { return pieces[piece].length; }
  /// Whether the pieces, which are equally long, are the elements of lane 0, then those of lane 1, and so on.
  bool isLaneByLane(const AccessShape &shape) const;
};

/// What each lane accesses: `count` elements of `bytes` bytes. A piece has at most `longest` elements, a
/// power of two.
struct AccessShape {
  Distances distances;
  unsigned count, bytes, longest;
};

/// In loads or stores of pieces, and shuffles.
size_t costOf(const AccessShape &shape, const AccessPattern &pattern);

/// nullopt: it would cost more than an access for each lane.
std::optional<AccessPattern> loadPattern(const AccessShape &shape);
///   withHoles   whether there are store instructions that leave elements out
std::optional<AccessPattern> storePattern(const AccessShape &shape, bool withHoles);

} // namespace assay::lowering::vector
