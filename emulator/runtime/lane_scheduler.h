// Runs the threads of one threadgroup at a time on one worker. It decides which lane runs, which lanes wait
// for one another, and what happens when they meet.
//
// A thread of a kernel that can wait is a fiber; 32 consecutive ones form a simdgroup. A lane runs until it
// ends or reaches a barrier or a simd operation, and then switches straight into the next lane (fiber.h).
//
//   Next lane.    The next runnable lane of the same simdgroup, in lane order. If there is none, the lanes
//                 that wait at simd operations meet. If no lane waits at one, the next simdgroup that can
//                 continue runs. So a simdgroup advances as far as it can, independently of the others, and
//                 the order is the same in every run.
//   Who meets.    The lanes of a simdgroup that wait at the same site in the same iteration of every loop
//                 around it. Each waiting lane has a key (SiteInfo), and the lanes with the smallest key go
//                 first: they have come the least far, and the others may not pass them. For structured flow
//                 that is reconvergence at the immediate post-dominator, also for loops that lanes leave at
//                 different times and for `continue`. A mask stack would say the same, but needs structured
//                 flow from the optimiser; keys need only a numbering.
//   Barriers.     A threadgroup barrier opens when every live thread waits at a barrier. These need not be
//                 the same barrier, and threads that have ended do not count.
//   Spinning.     A lane that polls an atomic many times in a row yields: it continues after all others have
//                 had a chance. Until then its simdgroup delays the simd operations that come after the poll,
//                 because the lane will reach them.
//   Stuck lanes.  A lane is stuck if the watchdog finds it twice in the same stretch of kernel code. It is
//                 left there, and the others run until none can continue. Only then is it known where each
//                 lane waits, and this is reported. Operations of its whole simdgroup wait for it.
//
//   Turns.        Code whose simdgroups take turns (KernelCodeInfo::takesTurns) keeps this order itself, and
//                 calls the scheduler when all of them wait. It needs one stack, and a second one for the
//                 simdgroups that continue when one is stuck.
//
// The threads of kernels that never wait run in a loop on one stack. This is also a fiber's stack, so that a
// fault can abandon it.
//
// Simdgroup rather than Lane holds the masks and the arrays by lane: a switch then touches two or three cache
// lines of bookkeeping instead of one for each lane and field.
#pragma once

#include "runtime/event_log.h"
#include "runtime/fault.h"
#include "runtime/fiber.h"
#include "runtime/group_walk.h"
#include "runtime/log.h"
#include "runtime/run_plan.h"
#include "runtime/work_counter.h"
#include "runtime/worker_context.h"
#include "support/process/sanitizers.h"

#include <optional>
#include <span>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace assay::runtime {

class LaneScheduler;
struct Progress;
struct Simdgroup;
struct ThreadPositions;

/// A thread or, in code that runs simdgroups as one program, a simdgroup in the place of a lane. The part
/// that kernels see comes first.
struct Lane : LaneAbi {
  Simdgroup *simdgroup;
  uint32_t lane;  ///< in its simdgroup
  uint32_t spins; ///< polls since it last yielded
};

/// Bit i of each mask is lane i. A live lane that is in none of the other masks is the one that runs.
struct Simdgroup {
  uint32_t runnable;
  uint32_t atSimd;
  uint32_t atBarrier;
  uint32_t yielded;
  uint32_t stuck; ///< interrupted by the watchdog, and not going to run again
  uint32_t live;
  uint32_t position; ///< its turn within the threadgroup
  Lane *lanes;
  LaneScheduler *scheduler;
  uint32_t site[kSimdWidth]; ///< last reached
  FiberSlot fiber[kSimdWidth];
  const void *in[kSimdWidth];
  void *out[kSimdWidth];
  uint32_t operand[kSimdWidth];
};

class LaneScheduler {
public:
  /// Uses the lanes and stacks of `context`, which has enough of them and serves nobody else.
  LaneScheduler(const RunPlan &plan, const Progress &progress, WorkerContext &context);
  ~LaneScheduler();
  LaneScheduler(const LaneScheduler &) = delete;

  /// The calling thread will call run().
  void bindThread() { adoptThread(base_); }

  /// Runs the threadgroup that has been entered. If the compiled code goes on to further threadgroups by
  /// itself, runs those, too. False if one ended in a fault; the walk then stands at that threadgroup.
  bool run(GroupWalk &walk, const GroupEvent &event);
  Fault fault() const {
    Fault ofThread = fault_;
    ofThread.thread = fault_.thread * plan_.info.threadsPerCall + faultLane_;
    return ofThread;
  }
  /// What run() logged; empty afterwards.
  LogBuffer takeLog() { return std::exchange(log_, {}); }
  /// Calls of os_log in all runs, heard or not.
  uint64_t logCalls() const { return logCalls_; }
  /// Where each thread stood when run() returned false.
  std::vector<ThreadStanding> standings() const;

  // Called by the lane that runs.
  void waitAtSimdOp(Lane &lane, uint32_t site, const void *in, void *out, uint32_t operand) {
    Simdgroup &simdgroup = *lane.simdgroup;
    const uint32_t i = lane.lane;
    simdgroup.in[i] = in;
    simdgroup.out[i] = out;
    simdgroup.operand[i] = operand;
    simdgroup.site[i] = site;
    simdgroup.atSimd |= 1u << i;
    leave(simdgroup, i);
  }
  void waitAtBarrier(Lane &lane, uint32_t site, uint32_t flags) {
    Simdgroup &simdgroup = *lane.simdgroup;
    simdgroup.site[lane.lane] = site;
    simdgroup.operand[lane.lane] = flags;
    simdgroup.atBarrier |= 1u << lane.lane;
    leave(simdgroup, lane.lane);
  }
  void spin(Lane &lane, uint32_t site);
  bool nextThreadgroup() {
    if (stuckCount_) [[unlikely]]
      failWithoutProgress(*lastTurn(), kNoSite);
    if (!walk_->next())
      return false;
    if (interruptions_) [[unlikely]]
      awaitInterruptions();
    if (plan_.info.takesTurns)
      beginTurns();
    return true;
  }
  /// For code that takes turns, when all simdgroups wait or have ended. Returns the one that goes on first.
  Lane &openTurns(Lane &last);
  void ended(Lane &lane);
  /// Adds an operand of the index with which the lane's access is about to fail.
  void addIndexOperand(uint64_t value) { indexOperands_.add(value); }
  IndexOperands takeIndexOperands() { return std::exchange(indexOperands_, {}); }
  /// Ends the threadgroup with a fault.
  [[noreturn]] void fail(Lane &lane, Fault fault);
  bool inLaneStack(const Lane &lane, uint64_t address, uint64_t bytes) const;
  /// How many bytes from this address on belong to the kernel: to one bound buffer, its constants, the arena
  /// or this lane's stack. 0: none.
  uint64_t knownBytes(const Lane &lane, uint64_t address) const;
  /// A call of os_log.
  void log(Lane &lane, uint32_t site, const void *record);
  bool stopAsked() const;
  void checkStop(Lane &lane, uint32_t site) {
    if (givenUp_.load(std::memory_order_relaxed)) [[unlikely]]
      failWithoutProgress(lane, site);
  }
  const RunPlan &plan() const { return plan_; }
  /// Null if nobody wants the work counted.
  WorkCounter *workCounter() { return workCounter_ ? &*workCounter_ : nullptr; }
  const WorkCounter *workCounter() const { return workCounter_ ? &*workCounter_ : nullptr; }
  const GroupEvent &event() const { return *event_; }
  /// The events of which the observer is told later.
  EventLog &eventLog() { return eventLog_; }

  /// For a signal handler of the thread inside run(): whether the signal is the kernel's. If so, `context`
  /// now leads back into run().
  bool takeSignal(int signal, uintptr_t address, ucontext_t &context);

private:
  // The slot of the worker itself. From it a new fiber learns which lane it is.
  struct Base : FiberSlot {
    LaneScheduler *scheduler = nullptr;
    Lane *starting = nullptr;
  };

  // Lane i of `simdgroup` cannot go on: switches to the next lane that can.
  void leave(Simdgroup &simdgroup, uint32_t i) {
    const uint32_t runnable = simdgroup.runnable;
    FiberSlot *next;
    if (runnable) [[likely]] {
      const uint32_t rest = runnable & (runnable - 1);
      simdgroup.runnable = rest;
      next = &simdgroup.fiber[__builtin_ctz(runnable)];
      // The lane after the next: its stack is likely to have left the first-level cache.
      const uint32_t later = uint32_t(__builtin_ctz(rest | 1u << 31));
      // An integer, because pointer arithmetic on the null pointer of a lane without a fiber is undefined.
      const uintptr_t stack = reinterpret_cast<uintptr_t>(simdgroup.fiber[later].context);
      __builtin_prefetch(reinterpret_cast<const void *>(stack));
      __builtin_prefetch(reinterpret_cast<const void *>(stack + 64));
      __builtin_prefetch(&simdgroup.lanes[later].simdgroup);
    } else {
      next = nextFiber(simdgroup, i);
    }
    if (next != &simdgroup.fiber[i])
      switchFiber(simdgroup.fiber[i], *next);
  }
  FiberSlot *nextFiber(Simdgroup &simdgroup, uint32_t i);
  Simdgroup *nextSimdgroup(Simdgroup &simdgroup, uint32_t lane);
  bool meet(Simdgroup &simdgroup);
  uint32_t furthestBehind(const Simdgroup &simdgroup) const;
  int compareKeys(const Simdgroup &simdgroup, uint32_t a, uint32_t b) const;
  uint32_t together(const Simdgroup &simdgroup, uint32_t with) const;
  void openBarrier();
  void wakeYielded();
  void release(Simdgroup &simdgroup, uint32_t lanes);

  void startFibers(uint32_t count);
  void prepareLanes();
  void orderSimdgroups(uint32_t count);
  void awaitInterruptions();
  void runPlain();
  void runWhole();
  void linkTurns();
  void beginTurns();
  Lane *lastTurn() const { return static_cast<Lane *>(walk_->abi().running); }
  void turnStandings(std::vector<ThreadStanding> &all) const;
  void tellEnd(uint32_t call);
  void fillCall(LaneAbi &lane, uint32_t call) const;
  // Interruptions come every 10 ms. The search for stuck lanes ends after this many of them, and this much
  // processor time.
  static constexpr uint32_t kMostInterruptions = 20;
  static constexpr int64_t kSearchNanoseconds = 60'000'000;
  static constexpr uint32_t kMostStuck = WorkerContext::kMostStuck;
  // One lane's run between two waits. It is stuck if it is found there again after this much processor time;
  // elapsed time means nothing on a busy machine.
  struct Stretch {
    uint32_t thread = ~0u, runnable = 0;
    uint64_t resumes = 0;
    bool operator==(const Stretch &) const = default;
  };
  static constexpr int64_t kStuckNanoseconds = 5'000'000;
  [[noreturn]] void failWithoutProgress(Lane &lane, uint32_t site);
  [[noreturn]] static void leaveStuckLane(LaneScheduler *scheduler);
  [[noreturn]] static void leaveStuckTurn(LaneScheduler *scheduler);
  static void furtherTurns(boost::context::detail::transfer_t);
  void redirect(ucontext_t &context, void (*to)(LaneScheduler *)) const;

  static void laneMain(boost::context::detail::transfer_t);
  static void plainMain(boost::context::detail::transfer_t);
  [[noreturn]] static void leaveForBase(LaneScheduler *scheduler);
  uint32_t threadOnStack(uintptr_t stackPointer) const;

  void observeSimdOp(const Simdgroup &simdgroup, uint32_t active);
  void observeBarrier();
  bool wholeSimdgroupsAtBarrier() const;

  const RunPlan &plan_;
  const Progress &progress_;
  Base base_;

  // Parts of the context.
  const std::span<const Stack> stacks_; ///< of the lanes of this dispatch
  std::byte *const emergencyStack_;
  Simdgroup *const simdgroups_;
  Lane *const lanes_;
  uint32_t *loopCounters_;
  FiberSlot &plain_;
  uint32_t &started_; ///< fibers that stand in their loop
  Size3 &threads_;    ///< of the threadgroup that the lanes were last filled in for
  uint32_t &shapePerCall_;
  ThreadPositions &positions_;
  uint64_t serial_; ///< of this dispatch, among those of the context

  // State of the threadgroup that runs.
  GroupWalk *walk_ = nullptr;
  KernelEntry entry_ = nullptr;
  uint32_t callCount_ = 0, simdgroupCount_ = 0;
  uint32_t ready_ = 0; ///< positions of simdgroups that may be able to go on
  uint8_t byPosition_[kMaxSimdgroupsPerThreadgroup];
  const GroupEvent *event_ = nullptr;
  uint64_t resumes_ = 0;
  LogBuffer log_;
  uint64_t logCalls_ = 0; ///< of all threadgroups
  Fault fault_;           ///< its `thread` is the number of a call
  uint32_t faultLane_ = 0;
  bool failed_ = false;
  EventLog eventLog_;
  struct { ///< by thread, kept for the next barrier
    std::vector<const SiteInfo *> sites;
    std::vector<uint32_t> flags;
    std::vector<uint64_t> iterations;
    bool whole = false; ///< all of them are the same
  } atBarrier_;
  std::optional<WorkCounter> workCounter_;
  IndexOperands indexOperands_;      ///< of an access that is about to be refused
  std::atomic<bool> givenUp_{false}; ///< the search for stuck lanes has ended: stop at once
  uint32_t interruptions_ = 0;       ///< touched by the handler while a group runs
  int64_t searchBegan_ = 0;          ///< processor time of the thread
  Stretch interrupted_;
  int64_t interruptedAt_ = 0;
  struct {
    uint32_t thread;
    uintptr_t pc;
  } stuck_[kMostStuck];
  uint32_t stuckCount_ = 0;
  uint64_t rounds_ = 0; ///< of turns
  Base further_;        ///< from it, the fiber of those that go on when a turn is stuck begins
  FiberSlot turns_;     ///< that fiber
};

// A call from compiled code begins with these: the lane that makes it, and the scheduler of that lane.
inline Lane &laneOf(LaneAbi *lane) {
  return *static_cast<Lane *>(lane);
}
inline LaneScheduler &schedulerOf(const Lane &lane) {
  return *lane.simdgroup->scheduler;
}

ASSAY_CALLS_COMPILED_CODE inline void enter(KernelEntry kernel, Lane &lane) {
  kernel(&lane);
}

} // namespace assay::runtime
