// Code that lets the simdgroups of a threadgroup take turns: lane_scheduler.h.
#include "runtime/builtin_values.h"
#include "runtime/lane_scheduler.h"

#include <cstring>
#include <xmmintrin.h>

namespace assay::runtime {

// The simdgroups in the order in which they go on. The lanes may have served code of another kind.
void LaneScheduler::linkTurns() {
  orderSimdgroups(callCount_);
  for (uint32_t i = 0; i < callCount_; ++i) {
    Lane &lane = lanes_[byPosition_[i]];
    fillCall(lane, byPosition_[i]);
    lane.thread = byPosition_[i];
    lane.group = &walk_->abi();
    lane.accesses = &eventLog_.abi();
    lane.next = i + 1 < callCount_ ? &lanes_[byPosition_[i + 1]] : nullptr;
  }
  beginTurns();
}

void LaneScheduler::beginTurns() {
  const Size3 position = walk_->place(), &full = plan_.request.threadsPerThreadgroup;
  const Size3 origin{position.x * full.x, position.y * full.y, position.z * full.z};
  for (uint32_t i = 0; i < callCount_; ++i) {
    fillGridPosition(lanes_[i], origin);
    lanes_[i].resume = kResumeAtBegin;
  }
  if (const uint32_t bytes = plan_.info.publishedBytes)
    std::memset(lanes_[0].published, 0, size_t(callCount_) * kSimdWidth * bytes);
  walk_->abi().running = &lanes_[byPosition_[0]];
  ++rounds_;
}

Lane &LaneScheduler::openTurns(Lane &last) {
  walk_->abi().running = nullptr; // nobody's turn
  checkStop(last, last.waitsAt);
  if (stuckCount_) [[unlikely]] // all others wait for those
    failWithoutProgress(last, last.waitsAt);
  ++rounds_;
  return lanes_[byPosition_[0]];
}

void LaneScheduler::turnStandings(std::vector<ThreadStanding> &all) const {
  const auto *const running = static_cast<const Lane *>(walk_->abi().running);
  bool before = true; // the one that runs, in this round
  for (uint32_t i = 0; i < callCount_; ++i) {
    const Lane &lane = lanes_[byPosition_[i]];
    ThreadStanding &thread = all[lane.thread];
    thread.site = lane.resume == kResumeAtBegin || lane.resume == kResumeNever ? kNoSite : lane.waitsAt;
    thread.standing = lane.resume == kResumeNever     ? Standing::Ended
                      : &lane == running              ? Standing::Running
                      : lane.resume == kResumeAtBegin ? Standing::NotStarted
                      : before                        ? Standing::AtBarrier
                                                      : Standing::Ready;
    if (&lane == running) {
      thread.pc = fault_.pc;
      before = false;
    }
  }
}

// As leaveStuckLane: those after it in the round have their turns on a stack of their own.
#if defined(ASSAY_ASAN)
__attribute__((no_sanitize("address")))
#endif
void LaneScheduler::leaveStuckTurn(LaneScheduler *scheduler) {
#if defined(ASSAY_ASAN)
  __sanitizer_start_switch_fiber(nullptr, scheduler->emergencyStack_, WorkerContext::kEmergencyBytes);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  startFiber(scheduler->turns_, scheduler->stacks_[scheduler->stuckCount_], furtherTurns, 0);
  abandonFiber(scheduler->further_, scheduler->turns_);
}

void LaneScheduler::furtherTurns(boost::context::detail::transfer_t transfer) {
  LaneScheduler &scheduler = *static_cast<Base &>(*static_cast<FiberSlot *>(transfer.data)).scheduler;
  arrive(transfer, scheduler.turns_);
  _mm_setcsr(scheduler.plan_.mxcsr);
  Lane &stuck = scheduler.lanes_[scheduler.stuck_[scheduler.stuckCount_ - 1].thread];
  if (stuck.next)
    enter(scheduler.entry_, static_cast<Lane &>(*stuck.next));
  scheduler.walk_->abi().running = nullptr;
  scheduler.failWithoutProgress(stuck, kNoSite);
}

} // namespace assay::runtime
