// Finds broadcasts, shuffles and quad operations that take a value from a lane that does not provide one.
//
// In Metal such a value is undefined. Here the profile defines it (inactive_lanes of
// support/abi/numerics.def), so the kernel continues; on another GPU it may be anything. In shuffle_up and
// shuffle_down, a lane whose source is below the first or above the last lane keeps its own value, which is
// defined. The lane, distance or mask that an operation takes must be the same in all lanes, except in
// simd_shuffle and quad_shuffle, which take a lane number from each lane.
// source: MSL specification, section on SIMD-group functions, table of permute functions.
#pragma once

#include "checker.h"

namespace assay::validation {

class LaneChecker : public Checker {
public:
  using Checker::Checker;
  void simdOp(const GroupEvent &, const SimdEvent &) override;

private:
  void lookForVarying(const GroupEvent &, const SimdEvent &, uint32_t width);
};

} // namespace assay::validation
