// Values taken from lanes that do not give one: by broadcasts, shuffles and quad operations.
//
// Metal calls such a value undefined. Here it is what the profile says (inactive_lanes of
// support/abi/numerics.def), so a kernel runs on; on another GPU it may be anything. Lanes below the first
// and above the last one of shuffle_up and shuffle_down keep their own value, which is defined.
// Of all but the shuffles that take a lane from each lane, the operand must be the same for all lanes.
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
