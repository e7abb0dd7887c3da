// Counts which lanes enter which blocks together, for the work of a dispatch (support/abi/work.h).
//
// Problem.  Fibers run lanes one after the other, and one lane may be far ahead of another. Lanes execute a
//           block together if they are in the same iteration of every loop around it.
// Choice.   A tree for each simdgroup. Its root is the code outside of loops, with a mask of lanes for each
//           block. A loop is a child of the code around it, and has a mask for each block in each of its
//           iterations. A lane knows, for each loop around it, the node of its present iteration. So a call
//           finds its mask without a search, and the result does not depend on the order in which lanes come.
//           At the end of a threadgroup the masks are added up.
// Rejected. A set of hashed keys: it is only as exact as the hash, and slower. Counting lanes, and taking the
//           largest count for the simdgroup: this is wrong if lanes take different branches.
// Limit.    Four bytes for each block of each iteration, until the threadgroup ends.
#pragma once

#include "support/abi/kernel_code.h"
#include "support/abi/limits.h"

#include <array>
#include <deque>
#include <vector>

namespace assay::runtime {

class WorkCounter {
public:
  explicit WorkCounter(const WorkBlocks &work);

  /// A threadgroup of so many threads begins.
  void begin(uint32_t threads);
  /// A thread of it comes to a block.
  void enter(uint32_t thread, uint32_t block);
  /// It has ended.
  void end();

  /// Of all threadgroups that have ended.
  WorkCounts counts() const;

private:
  // A loop that lanes went through, one after the other, or the kernel outside of loops. It has `width` cells
  // for each iteration. The cell of a block holds a mask of lanes. The cell of an inner loop holds the index
  // of that loop's node in `nodes`, or 0.
  struct Node {
    uint32_t loop;
    std::vector<uint32_t> cells;
  };
  struct Place {
    uint32_t node = 0;
    uint32_t iteration = 0;
  };
  struct Simdgroup {
    std::deque<Node> nodes;
    std::array<uint32_t, kSimdWidth> last; ///< the block that a lane was in
    std::vector<Place> places;             ///< of each lane in each loop
  };
  struct Entered {
    uint64_t lanes = 0, simdgroups = 0;
  };

  uint32_t &cell(Simdgroup &simdgroup, Place place, uint32_t at) const;

  const WorkBlocks &work_;
  std::vector<uint32_t> cellOfBlock_, cellOfLoop_; ///< in the region around
  std::vector<uint32_t> width_;                    ///< by loop
  std::vector<std::vector<uint32_t>> blocksOf_;    ///< by loop, in the order of their cells, which come first
  std::vector<Simdgroup> simdgroups_;
  uint32_t used_ = 0; ///< simdgroups of the threadgroup
  std::vector<Entered> entered_;
  std::vector<uint64_t> length_; ///< of a block: what one simdgroup does in it
  uint64_t longest_ = 0;
};

} // namespace assay::runtime
