// Reads an output of one side in the shape and order of the logical tensor, and compares two of them.
//
// Problem.  An output of 4 GB of which a kernel writes a few pages should cost only those pages. But a copy
//           in logical order, a mark for each unwritten element and a verdict for each element together take
//           6 bytes or more for each element.
// Choice.   An output is read piece by piece, and pieces are compared as they are read. Untouched pages are
//           not read at all, because all of their elements are alike. Where both sides are untouched, one
//           pair is compared, and its verdict counts for all.
// Limit.    If axes are transposed or folded, each touched element is looked up by itself. If there are more
//           than four million of them, all elements are read, which takes longer, but no more memory.
#pragma once

#include "layout.h"

#include <functional>

namespace assay::cli::diff {

/// Elements from `begin` to before `end`.
using ElementRange = ByteRange;

class PlacedOutput {
public:
  /// Views of the memory after the run, which must live longer.
  struct Memory {
    std::string_view contents;
    std::string_view stale; ///< for each byte: 1 where nothing was written; empty if that is not known
  };
  /// type    of the elements that are read
  /// errors  Usage "output-shape": the buffer ends before the tensor
  static Result<PlacedOutput> make(const LogicalOutput &output, const Placement &place, const Memory &memory,
                                   ScalarType type);

  uint64_t count() const { return count_; }

  struct Piece {
    std::string bytes;           ///< of `type`
    std::vector<bool> unwritten; ///< empty: not known, or none
    operator compare::Elements() const { return {bytes, unwritten}; }
  };
  Piece read(uint64_t first, uint64_t count) const;

  /// Where memory was touched, in order and apart from each other.
  std::vector<ElementRange> touched() const;
  /// One element that is like each of those outside of touched().
  Piece untouched() const;

private:
  uint64_t convert(uint64_t bits) const;
  void readFolded(uint64_t first, Piece &piece) const;
  bool isStale(uint64_t element) const;
  uint64_t rowLength() const;

  Placement place_;
  std::vector<uint64_t> shape_;
  uint64_t count_ = 0;
  Memory memory_;
  ScalarType type_ = ScalarType::Float;
  bool folds_ = false, plain_ = false;
};

/// As compare::compare of both outputs read whole. Both have the same count.
///   seen  as for compare::Comparer
compare::Comparison compareOutputs(const PlacedOutput &a, const PlacedOutput &b, ScalarType type,
                                   const compare::Tolerance &tolerance, compare::Comparer::Seen seen = {});

} // namespace assay::cli::diff
