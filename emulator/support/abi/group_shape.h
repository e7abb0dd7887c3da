// The shape in which the threads of a threadgroup are divided into simdgroups. Code of a simdgroup is made
// for one shape.
//
// Threads are numbered x fastest, and 32 consecutive numbers are a simdgroup. If a threadgroup is 64 wide,
// the lanes of a simdgroup have consecutive x and the same y. If it is 16 x 16, they are two rows of 16. Code
// for a known shape has addresses at constant distances; code for any shape would have 32 unrelated
// addresses.
#pragma once

#include "limits.h"

#include <bit>
#include <cstdint>

namespace assay {

struct GroupShape {
  /// 1, 2, 4, .. 32: x is that of lane 0 plus lane % columns. 0: nothing is known, and `rows` is 0, too.
  uint8_t columns = kSimdWidth;
  /// y is that of lane 0 plus lane / columns % rows, and z that of lane 0 plus lane / (columns * rows).
  uint8_t rows = 1;
  /// Threadgroups begin in the grid at multiples of `columns` in x, and of `rows` in y.
  bool aligned = true;
  /// Each simdgroup has all its lanes.
  bool full = false;

  bool operator==(const GroupShape &) const = default;
  bool known() const { return columns != 0; }
  /// Whether code for this shape is right for threadgroups of the other.
  ///   needsPlaces   it computes with positions
  bool serves(const GroupShape &other, bool needsPlaces) const {
    return (!full || other.full) &&
           (!needsPlaces || (columns == other.columns && rows == other.rows && (!aligned || other.aligned)));
  }
};

inline constexpr GroupShape kRowsShape{kSimdWidth, 1, true, true};

/// The shape of a threadgroup of x * y * z threads. `fullX`, `fullY`: the size of threadgroups that are not
/// at an edge of the grid, from which follows where each one begins; 0 if all begin at 0.
constexpr GroupShape groupShapeOf(uint32_t x, uint32_t y, uint32_t z, uint32_t fullX, uint32_t fullY) {
  const bool full = uint64_t(x) * y * z % kSimdWidth == 0;
  const GroupShape unknown{0, 0, false, full};
  const auto shape = [&](uint32_t columns, uint32_t rows) {
    return GroupShape{uint8_t(columns), uint8_t(rows), fullX % columns == 0 && fullY % rows == 0, full};
  };
  if (x % kSimdWidth == 0 || uint64_t(y) * z == 1)
    return shape(kSimdWidth,
                 1); // of one row there may be less than a simdgroup: the other lanes are not there
  if (x > kSimdWidth || !std::has_single_bit(x))
    return unknown;
  const uint32_t rows = kSimdWidth / x;
  if (z == 1 || y % rows == 0)
    return shape(x, rows);
  return y < rows && std::has_single_bit(y) ? shape(x, y) : unknown;
}

} // namespace assay
