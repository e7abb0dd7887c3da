// Finds barriers that not all threads pass together.
//
// The scheduler opens a threadgroup barrier when every live thread waits at one (runtime/lane_scheduler.h).
// Metal demands more: all threads of the threadgroup must come to the same one, in the same iteration.
// source: MSL specification, section on synchronization functions.
#pragma once

#include "checker.h"

namespace assay::validation {

class BarrierChecker : public Checker {
public:
  using Checker::Checker;
  void groupBegin(const GroupEvent &) override;
  void barrier(const GroupEvent &, const BarrierEvent &) override;
  void simdOp(const GroupEvent &, const SimdEvent &) override;
  void threadEnd(const GroupEvent &, uint32_t thread) override;

private:
  std::vector<uint32_t> ended_; ///< by simdgroup: lanes
};

} // namespace assay::validation
