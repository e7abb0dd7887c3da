// See group_walk.h.
#include "runtime/group_walk.h"

#include <algorithm>
#include <cstring>

namespace assay::runtime {

GroupWalk::GroupWalk(const RunPlan &plan, uint8_t *arena, const FirstFailure &failure, Progress &progress)
    : plan_(plan), failure_(failure), progress_(progress) {
  abi_.dispatch = &plan_.dispatch;
  abi_.arena = arena;
}

void GroupWalk::poison() {
  std::memset(abi_.arena, kThreadgroupPoison, plan_.arenaBytes);
}

// The last threadgroup of a row may be cut short.
void GroupWalk::findEndOfRow() {
  const uint64_t left = plan_.groups.x - position()[0];
  endOfRow_ = std::min(end_, index_ + std::max<uint64_t>(left - 1, 1));
}

void GroupWalk::begin(uint64_t index, uint64_t end) {
  index_ = index;
  end_ = end;
  fillGroupBuiltins(abi_, plan_, plan_.groupPosition(index));
  if (plan_.arenaBytes)
    poison();
  findEndOfRow();
}

// To the last one of the row, or to the first one of the next.
bool GroupWalk::nextRow() {
  if (index_ + 1 >= end_ || !failure_.counts(index_ + 1))
    return false;
  const Size3 to = plan_.groupPosition(index_ + 1);
  const Size3 now = plan_.groupThreads(place()), then = plan_.groupThreads(to);
  if (now.x != then.x || now.y != then.y || now.z != then.z)
    return false;
  progress_.leave();
  setBuiltin(abi_, Builtin::ThreadgroupPositionInGrid, to);
  goOn();
  findEndOfRow();
  return true;
}

} // namespace assay::runtime
