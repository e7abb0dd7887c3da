// The threadgroup that a worker is in, and the step to the next one.
//
// Problem.  A small threadgroup takes less time than setting up a worker for it: a fiber, a scheduler, thirty
//           built-ins. Yet the same rules hold for each threadgroup: the watchdog measures its time, it does
//           not run after an earlier one has failed, its memory is poisoned, and a fault names its position.
// Choice.   A worker is set up once. The next threadgroup of the same size differs only in its position.
//           Compiled code that runs whole threadgroups asks for that step itself
//           (RuntimeCall::NextThreadgroup).
// Rejected. The step as compiled code: it would save two nanoseconds, and the rules above would be in two
//           places. A step over several threadgroups at once: the time limit is for one threadgroup.
#pragma once

#include "runtime/builtin_values.h"
#include "runtime/first_failure.h"
#include "runtime/watchdog.h"

namespace assay::runtime {

class GroupWalk {
public:
  /// `arena`: threadgroup memory, null if the plan needs none
  GroupWalk(const RunPlan &plan, uint8_t *arena, const FirstFailure &failure, Progress &progress);

  /// Prepares the threadgroup with this index in grid order.
  ///   end   next() stops before this threadgroup
  void begin(uint64_t index, uint64_t end);
  void enter() { progress_.enter(index_); }
  /// Goes on to the next threadgroup if that is to run and has the same size. Otherwise returns false and
  /// changes nothing.
  bool next() {
    if (index_ + 1 >= endOfRow_) [[unlikely]]
      return nextRow();
    if (!failure_.counts(index_ + 1)) [[unlikely]]
      return false;
    progress_.leave();
    ++position()[0];
    goOn();
    return true;
  }
  void leave() { progress_.leave(); }

  GroupAbi &abi() { return abi_; }
  uint64_t index() const { return index_; }
  Size3 place() const { return {position()[0], position()[1], position()[2]}; }

private:
  const uint32_t *position() const { return abi_.builtin[size_t(Builtin::ThreadgroupPositionInGrid)]; }
  uint32_t *position() { return builtinSlot(abi_, Builtin::ThreadgroupPositionInGrid); }
  bool nextRow();
  void findEndOfRow();
  void poison();
  void goOn() {
    ++index_;
    if (plan_.arenaBytes) [[unlikely]]
      poison();
    enter();
  }

  const RunPlan &plan_;
  const FirstFailure &failure_;
  Progress &progress_;
  GroupAbi abi_{};
  uint64_t index_ = 0, end_ = 0;
  uint64_t endOfRow_ = 0; ///< threadgroups before it differ only in x and have one size
};

} // namespace assay::runtime
