// Who runs next; see lane_scheduler.h.
#include "runtime/lane_scheduler.h"

#include "runtime/builtin_values.h"
#include "runtime/host_mxcsr.h"
#include "runtime/random.h"
#include "runtime/signals.h"
#include "runtime/statistics.h"
#include "runtime/watchdog.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <xmmintrin.h>

namespace assay::runtime {
namespace {

constexpr uint32_t kSpinsBeforeYield = 64;
constexpr size_t kEmergencyBytes = WorkerContext::kEmergencyBytes;

uint32_t firstLanes(uint32_t count) {
  return count >= kSimdWidth ? ~0u : (1u << count) - 1;
}

// Safe in a signal handler.
int64_t threadNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

} // namespace

LaneScheduler::LaneScheduler(const RunPlan &plan, const Progress &progress, WorkerContext &context)
    : plan_(plan), progress_(progress),
      stacks_(context.stacks.data(), WorkerContext::stacksFor(plan.fibers, plan.lanes())),
      emergencyStack_(context.emergencyStack.get()), simdgroups_(context.simdgroups.get()),
      lanes_(context.lanes.get()), plain_(context.plain), started_(context.standing), threads_(context.shape),
      shapePerCall_(context.shapePerCall), positions_(*context.positions), serial_(++context.dispatches),
      eventLog_(plan) {
  base_.scheduler = further_.scheduler = this;
  context.setLoopCounters(plan.info.loopCounters);
  context.setPublished(plan.info.publishedBytes * plan.info.threadsPerCall);
  context.setFrames(plan.frameBytes);
  loopCounters_ = context.loopCounters.data();
  for (size_t i = 0; i < plan.lanes(); i += kSimdWidth)
    simdgroups_[i / kSimdWidth].scheduler = this;
  if (plan.request.countWork)
    workCounter_.emplace(plan.info.work);
}

LaneScheduler::~LaneScheduler() {
  addLaneResumes(resumes_);
  dropFiber(turns_);
}

// ---- fibers ----

// A fiber's life: learn which lane it is, stand ready, then run one kernel after the other until it is
// dropped. The dispatches have different schedulers.
void LaneScheduler::laneMain(boost::context::detail::transfer_t transfer) {
  Base &base = static_cast<Base &>(*static_cast<FiberSlot *>(transfer.data));
  Lane &lane = *base.starting;
  FiberSlot &self = lane.simdgroup->fiber[lane.lane];
  arrive(transfer, self);
  switchFiber(self, base);
  for (uint64_t serial = 0;;) {
    LaneScheduler &scheduler = schedulerOf(lane);
    if (serial != scheduler.serial_) {
      serial = scheduler.serial_;
      _mm_setcsr(scheduler.plan_.mxcsr); // each switch saves and restores it from here on
    }
    enter(scheduler.entry_, lane);
    scheduler.ended(lane);
  }
}

void LaneScheduler::plainMain(boost::context::detail::transfer_t transfer) {
  Base &base = static_cast<Base &>(*static_cast<FiberSlot *>(transfer.data));
  Lane &lane = base.scheduler->lanes_[0];
  arrive(transfer, base.scheduler->plain_);
  for (;;) {
    LaneScheduler &scheduler = schedulerOf(lane);
    _mm_setcsr(scheduler.plan_.mxcsr);
    scheduler.runPlain();
    switchFiber(scheduler.plain_, scheduler.base_);
  }
}

void LaneScheduler::startFibers(uint32_t count) {
  if (started_ < count)
    addFibersStarted(count - started_);
  for (; started_ < count; ++started_) {
    base_.starting = &lanes_[started_];
    FiberSlot &fiber = base_.starting->simdgroup->fiber[base_.starting->lane];
    startFiber(fiber, stacks_[started_], laneMain, started_);
    switchFiber(base_, fiber);
  }
}

// ---- one threadgroup ----

void LaneScheduler::prepareLanes() {
  const Size3 position = walk_->place();
  const Size3 threads = plan_.groupThreads(position), &full = plan_.request.threadsPerThreadgroup;
  const uint32_t perCall = plan_.info.threadsPerCall;
  const bool newShape = threads.x != threads_.x || threads.y != threads_.y || threads.z != threads_.z ||
                        shapePerCall_ != perCall;
  const Size3 origin{position.x * full.x, position.y * full.y, position.z * full.z};
  threads_ = threads;
  shapePerCall_ = perCall;
  callCount_ = plan_.callsFor(threads);
  simdgroupCount_ = (callCount_ + kSimdWidth - 1) / kSimdWidth;
  const KernelCode &code = plan_.codeFor(threads);
  entry_ = code.entry;
  if (code.info->readsPositions)
    positions_.fill(threads);
  if (plan_.info.takesTurns)
    return linkTurns();
  if (!plan_.fibers)
    return;

  for (uint32_t i = 0; newShape && i < callCount_; ++i)
    fillCall(lanes_[i], i);
  for (uint32_t i = 0; i < callCount_; ++i) {
    Lane &lane = lanes_[i];
    fillGridPosition(lane, origin);
    lane.group = &walk_->abi();
    lane.accesses = &eventLog_.abi();
    lane.spins = 0;
  }
  std::fill_n(loopCounters_, size_t(callCount_) * plan_.info.loopCounters, 0u);
  if (const uint32_t bytes = plan_.info.publishedBytes) // those that a partial simdgroup does not have, too
    std::memset(lanes_[0].published, 0,
                size_t(perCall > 1 ? callCount_ : simdgroupCount_) * kSimdWidth * bytes);

  orderSimdgroups(simdgroupCount_);
  for (uint32_t i = 0; i < simdgroupCount_; ++i) {
    Simdgroup &simdgroup = simdgroups_[byPosition_[i]];
    simdgroup.position = i;
    simdgroup.atSimd = simdgroup.atBarrier = simdgroup.yielded = simdgroup.stuck = 0;
    simdgroup.live = firstLanes(callCount_ - byPosition_[i] * kSimdWidth);
    std::fill_n(simdgroup.site, kSimdWidth, kNoSite);
    release(simdgroup, simdgroup.live);
  }
}

void LaneScheduler::orderSimdgroups(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    byPosition_[i] = uint8_t(i);
  if (plan_.schedule == ScheduleKind::Shuffle) {
    SplitMix64 ofGroup(plan_.request.schedule.seed ^ SplitMix64(walk_->index()).next());
    shuffle(std::span(byPosition_, count), ofGroup);
  }
}

// What a call of the kernel's code is told of its first thread.
void LaneScheduler::fillCall(LaneAbi &lane, uint32_t call) const {
  const uint32_t perCall = plan_.info.threadsPerCall, thread = call * perCall;
  const Size3 position{thread % threads_.x, thread / threads_.x % threads_.y,
                       thread / threads_.x / threads_.y};
  fillThreadBuiltins(lane, position, thread);
  lane.lanes = std::min(perCall, uint32_t(threads_.count()) - thread);
  lane.current = 0;
  lane.positions = perCall > 1 ? positions_.bySimdgroup[call].x : nullptr;
}

// None has come in this threadgroup.
void LaneScheduler::awaitInterruptions() {
  givenUp_.store(false, std::memory_order_relaxed);
  interruptions_ = 0;
}

bool LaneScheduler::run(GroupWalk &walk, const GroupEvent &event) {
  walk_ = &walk;
  event_ = &event;
  eventLog_.begin(event);
  failed_ = false;
  stuckCount_ = 0;
  awaitInterruptions();
  interrupted_ = {};
  ready_ = 0;
  prepareLanes();
  if (plan_.fibers) {
    startFibers(callCount_);
    Simdgroup &first = simdgroups_[byPosition_[0]];
    first.runnable &= ~1u;
    switchFiber(base_, first.fiber[0]);
  } else {
    if (!started_) {
      addFibersStarted(1);
      startFiber(plain_, stacks_[0], plainMain, 0);
      started_ = 1;
    }
    switchFiber(base_, plain_);
  }
  if (failed_)
    started_ = 0; // fibers stand anywhere: each begins anew
  if (plan_.observer) [[unlikely]]
    eventLog_.deliver();
  return !failed_;
}

// The code goes through the simdgroups by itself. An observer is told of each.
void LaneScheduler::runWhole() {
  Lane &lane = lanes_[0];
  lane.group = &walk_->abi();
  lane.accesses = &eventLog_.abi();
  lane.threadsInGroup = uint32_t(threads_.count());
  const uint32_t step = plan_.observer ? 1 : callCount_;
  for (uint32_t index = 0; index < callCount_; index += step) {
    fillCall(lane, index);
    lane.thread = index;
    lane.endThread = index + step;
    enter(entry_, lane);
    tellEnd(index);
  }
}

void LaneScheduler::runPlain() {
  if (plan_.info.takesTurns)
    return enter(entry_, lanes_[byPosition_[0]]);
  if (plan_.info.wholeThreadgroups)
    return runWhole();
  const Size3 position = walk_->place(), &full = plan_.request.threadsPerThreadgroup;
  const Size3 origin{position.x * full.x, position.y * full.y, position.z * full.z};
  Lane &lane = lanes_[0];
  lane.group = &walk_->abi();
  lane.accesses = &eventLog_.abi();
  for (uint32_t index = 0; index < callCount_; ++index) {
    fillCall(lane, index);
    fillGridPosition(lane, origin);
    lane.thread = index;
    for (uint32_t i = 0; i < plan_.info.loopCounters; ++i)
      lane.loop[i] = 0;
    if (plan_.info.publishedBytes)
      std::memset(lane.published, 0, size_t(plan_.info.threadsPerCall) * plan_.info.publishedBytes);
    enter(entry_, lane);
    tellEnd(index);
  }
}

void LaneScheduler::tellEnd(uint32_t call) {
  if (plan_.observer && plan_.info.threadsPerCall == 1) [[unlikely]]
    eventLog_.keepEnd(call);
}

void LaneScheduler::ended(Lane &lane) {
  Simdgroup &simdgroup = *lane.simdgroup;
  simdgroup.live &= ~(1u << lane.lane);
  tellEnd(lane.thread);
  leave(simdgroup, lane.lane);
}

void LaneScheduler::spin(Lane &lane, uint32_t site) {
  if (++lane.spins < kSpinsBeforeYield)
    return;
  lane.spins = 0;
  lane.simdgroup->site[lane.lane] = site;
  lane.simdgroup->yielded |= 1u << lane.lane;
  leave(*lane.simdgroup, lane.lane);
}

// ---- who is next ----

FiberSlot *LaneScheduler::nextFiber(Simdgroup &simdgroup, uint32_t i) {
  Simdgroup *next = nextSimdgroup(simdgroup, i);
  if (!next)
    return &base_;
  const uint32_t runnable = next->runnable;
  next->runnable = runnable & (runnable - 1);
  return &next->fiber[__builtin_ctz(runnable)];
}

// The simdgroup that goes on now that `simdgroup` has no runnable lane left; none if all threads have ended.
Simdgroup *LaneScheduler::nextSimdgroup(Simdgroup &simdgroup, uint32_t lane) {
  for (Simdgroup *next = &simdgroup;; next = &simdgroups_[byPosition_[__builtin_ctz(ready_)]]) {
    checkStop(simdgroup.lanes[lane], simdgroup.site[lane]);
    if (next->runnable || (next->atSimd && meet(*next)))
      return next;
    ready_ &= ~(1u << next->position);
    if (eventLog_.isLong()) [[unlikely]]
      eventLog_.deliver();
    if (ready_)
      continue;

    // No simdgroup can go on by itself.
    uint32_t live = 0, yielded = 0, elsewhere = 0;
    for (uint32_t i = 0; i < simdgroupCount_; ++i) {
      live |= simdgroups_[i].live;
      yielded |= simdgroups_[i].yielded;
      elsewhere |= simdgroups_[i].live & ~simdgroups_[i].atBarrier;
    }
    if (!live)
      return nullptr;
    if (yielded)
      wakeYielded();
    else if (!elsewhere)
      openBarrier();
    else // all wait for lanes that are stuck
      failWithoutProgress(simdgroup.lanes[lane], simdgroup.site[lane]);
  }
}

void LaneScheduler::release(Simdgroup &simdgroup, uint32_t lanes) {
  simdgroup.runnable = lanes;
  ready_ |= 1u << simdgroup.position;
  resumes_ += uint32_t(__builtin_popcount(lanes));
}

void LaneScheduler::wakeYielded() {
  for (uint32_t i = 0; i < simdgroupCount_; ++i) {
    Simdgroup &simdgroup = simdgroups_[i];
    if (simdgroup.yielded)
      release(simdgroup, simdgroup.yielded);
    simdgroup.yielded = 0;
  }
  if (plan_.schedule == ScheduleKind::Parallel) // they may wait for another worker
    sched_yield();
}

void LaneScheduler::openBarrier() {
  if (plan_.observer) [[unlikely]]
    observeBarrier();
  for (uint32_t i = 0; i < simdgroupCount_; ++i) {
    Simdgroup &simdgroup = simdgroups_[i];
    if (simdgroup.atBarrier)
      release(simdgroup, simdgroup.atBarrier);
    simdgroup.atBarrier = 0;
  }
}

// ---- simd operations ----

// The lanes at simd operations that stand where lane `with` stands, in the same iterations.
uint32_t LaneScheduler::together(const Simdgroup &simdgroup, uint32_t with) const {
  const uint32_t site = simdgroup.site[with], waiting = simdgroup.atSimd;
  const RunSite &use = plan_.sites[site];
  const Lane *const lanes = simdgroup.lanes;

  // Mostly it is all of them, which takes no decision for each.
  uint32_t differ = 0;
  forEachLane(waiting, [&](uint32_t lane) { differ |= simdgroup.site[lane] ^ site; });
  for (uint32_t counter : use.counters) {
    const uint32_t *const first = lanes[0].loop + counter;
    const uint32_t stride = plan_.info.loopCounters;
    const uint32_t iteration = first[with * stride];
    forEachLane(waiting, [&](uint32_t lane) { differ |= first[lane * stride] ^ iteration; });
  }
  if (!differ)
    return waiting;

  uint32_t same = 0;
  forEachLane(waiting, [&](uint32_t lane) {
    bool equal = simdgroup.site[lane] == site;
    for (size_t i = 0; equal && i < use.counters.size(); ++i)
      equal = lanes[lane].loop[use.counters[i]] == lanes[with].loop[use.counters[i]];
    same |= uint32_t(equal) << lane;
  });
  return same;
}

// Below 0 if lane a has come less far than lane b, above 0 if farther, 0 if they stand at the same place.
int LaneScheduler::compareKeys(const Simdgroup &simdgroup, uint32_t a, uint32_t b) const {
  const SiteInfo &siteA = plan_.info.sites[simdgroup.site[a]], &siteB = plan_.info.sites[simdgroup.site[b]];
  for (size_t depth = 0;; ++depth) {
    const bool inLoopA = depth < siteA.loops.size(), inLoopB = depth < siteB.loops.size();
    const uint32_t orderA = inLoopA ? siteA.loops[depth].order : siteA.order;
    const uint32_t orderB = inLoopB ? siteB.loops[depth].order : siteB.order;
    if (orderA != orderB)
      return orderA < orderB ? -1 : 1;
    if (!inLoopA || !inLoopB)
      return int(inLoopA) - int(inLoopB);
    const uint32_t iterationA = simdgroup.lanes[a].loop[siteA.loops[depth].counter];
    const uint32_t iterationB = simdgroup.lanes[b].loop[siteB.loops[depth].counter];
    if (iterationA != iterationB)
      return iterationA < iterationB ? -1 : 1;
  }
}

uint32_t LaneScheduler::furthestBehind(const Simdgroup &simdgroup) const {
  uint32_t behind = uint32_t(__builtin_ctz(simdgroup.atSimd));
  forEachLane(simdgroup.atSimd, [&](uint32_t lane) {
    if (compareKeys(simdgroup, lane, behind) < 0)
      behind = lane;
  });
  return behind;
}

// Of the lanes at simd operations, lets those that have come the least far perform theirs. False if a lane
// that polls has come less far still.
bool LaneScheduler::meet(Simdgroup &simdgroup) {
  if (simdgroup.stuck) [[unlikely]]
    return false;
  uint32_t behind = uint32_t(__builtin_ctz(simdgroup.atSimd));
  uint32_t active = together(simdgroup, behind);
  if (active != simdgroup.atSimd) [[unlikely]] {
    behind = furthestBehind(simdgroup);
    active = together(simdgroup, behind);
  }
  for (uint32_t rest = simdgroup.yielded; rest; rest &= rest - 1)
    if (compareKeys(simdgroup, uint32_t(__builtin_ctz(rest)), behind) < 0)
      return false;

  const RunSite &site = plan_.sites[simdgroup.site[behind]];
  if (site.allLanes && active != firstLanes(kSimdWidth)) [[unlikely]]
    fail(simdgroup.lanes[behind],
         {.kind = FaultKind::PartialSimdgroup, .site = simdgroup.site[behind], .lanes = active});
  const uint8_t *const published =
      site.published == kNotPublished ? nullptr : simdgroup.lanes[0].published + site.published;
  site.evaluate({simdgroup.in, simdgroup.out, simdgroup.operand, active, site.count, &plan_.request.numerics,
                 published, plan_.info.publishedBytes});
  if (plan_.observer) [[unlikely]]
    observeSimdOp(simdgroup, active);
  simdgroup.atSimd &= ~active;
  release(simdgroup, active);
  return true;
}

// ---- faults ----

bool LaneScheduler::stopAsked() const {
  return progress_.stopAsked();
}

void LaneScheduler::fail(Lane &lane, Fault fault) {
  fault.thread = lane.thread;
  fault_ = fault;
  faultLane_ = lane.current;
  leaveForBase(this);
}

void LaneScheduler::failWithoutProgress(Lane &lane, uint32_t site) {
  Fault fault{.kind = FaultKind::NoProgress, .site = site};
  if (stuckCount_)
    fault.pc = stuck_[0].pc;
  fail(lane, fault);
}

// A signal handler may also enter the next two by changing the program counter, on the emergency stack.
#if defined(ASSAY_ASAN)
__attribute__((no_sanitize("address")))
#endif
void LaneScheduler::leaveStuckLane(LaneScheduler *scheduler) {
#if defined(ASSAY_ASAN)
  __sanitizer_start_switch_fiber(nullptr, scheduler->emergencyStack_, kEmergencyBytes);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  Lane &lane = scheduler->lanes_[scheduler->stuck_[scheduler->stuckCount_ - 1].thread];
  abandonFiber(scheduler->plain_, *scheduler->nextFiber(*lane.simdgroup, lane.lane));
}

#if defined(ASSAY_ASAN)
__attribute__((no_sanitize("address")))
#endif
void LaneScheduler::leaveForBase(LaneScheduler *scheduler) {
  scheduler->failed_ = true;
  abandonFiber(scheduler->plain_, scheduler->base_);
}

bool LaneScheduler::inLaneStack(const Lane &lane, uint64_t address, uint64_t bytes) const {
  const Stack &stack = stacks_[plan_.fibers ? lane.thread : 0];
  const uint64_t top = reinterpret_cast<uintptr_t>(stack.top);
  const uint64_t frame = reinterpret_cast<uintptr_t>(lane.frame);
  return (stack.contains(address) && bytes <= top - address) ||
         MemoryRange{frame, frame + plan_.frameBytes}.contains(address, bytes);
}

uint64_t LaneScheduler::knownBytes(const Lane &lane, uint64_t address) const {
  const Stack &stack = stacks_[plan_.fibers ? lane.thread : 0];
  const uint64_t arena = reinterpret_cast<uintptr_t>(lane.group->arena);
  const uint64_t frame = reinterpret_cast<uintptr_t>(lane.frame);
  uint64_t bytes = stack.contains(address) ? reinterpret_cast<uintptr_t>(stack.top) - address : 0;
  bytes = std::max(bytes, MemoryRange{frame, frame + plan_.frameBytes}.bytesFrom(address));
  bytes = std::max(bytes, MemoryRange{arena, arena + plan_.arenaBytes}.bytesFrom(address));
  const MemoryRange *range = plan_.memoryAt(address);
  return range ? std::max(bytes, range->bytesFrom(address)) : bytes;
}

void LaneScheduler::log(Lane &lane, uint32_t site, const void *record) {
  ++logCalls_;
  if (plan_.request.logHandler && logLevelOf(record) >= plan_.request.logLevel)
    log_.add(copyLogRecord(*this, lane, site, record));
}

uint32_t LaneScheduler::threadOnStack(uintptr_t stackPointer) const {
  for (uint32_t i = 0; plan_.fibers && i < stacks_.size(); ++i)
    if (stacks_[i].contains(stackPointer) || stacks_[i].guards(stackPointer))
      return i;
  if (plan_.info.takesTurns && lastTurn())
    return lastTurn()->thread;
  return lanes_[0].thread;
}

bool LaneScheduler::takeSignal(int signal, uintptr_t address, ucontext_t &context) {
  if (!progress_.inside())
    return false;
  auto &registers = context.uc_mcontext.gregs;
  const uintptr_t pc = uintptr_t(registers[REG_RIP]), sp = uintptr_t(registers[REG_RSP]);
  const bool inKernel = plan_.inKernelCode(pc);
  const bool guardHit = signal == SIGSEGV && std::any_of(stacks_.begin(), stacks_.end(),
                                                         [&](const Stack &s) { return s.guards(address); });
  const uint32_t thread = threadOnStack(guardHit ? address : sp);
  FaultKind kind = FaultKind::Trap;
  if (signal == interruptSignal()) {
    if (!stopAsked())
      return true; // too late
    const int64_t time = threadNanoseconds();
    if (!interruptions_++)
      searchBegan_ = time;
    const bool last = interruptions_ > kMostInterruptions && time - searchBegan_ >= kSearchNanoseconds;
    givenUp_.store(last, std::memory_order_relaxed);
    if (!inKernel)
      return true; // the flag answers
    kind = FaultKind::NoProgress;
    const bool turns = plan_.info.takesTurns && stacks_.size() > 1;
    if ((plan_.fibers || turns) && !last && stuckCount_ < kMostStuck) {
      Simdgroup &simdgroup = *lanes_[thread].simdgroup;
      const Stretch now{thread, turns ? 0 : simdgroup.runnable, turns ? rounds_ : resumes_};
      if (now != interrupted_) {
        interrupted_ = now;
        interruptedAt_ = time;
      } else if (time - interruptedAt_ >= kStuckNanoseconds) {
        stuck_[stuckCount_++] = {thread, pc};
        if (turns)
          lanes_[thread].resume = kResumeNever;
        else
          simdgroup.stuck |= 1u << lanes_[thread].lane;
        redirect(context, turns ? leaveStuckTurn : leaveStuckLane);
      }
      return true;
    }
  } else if (guardHit) {
    kind = FaultKind::StackOverflow;
  } else if (!inKernel) {
    return false;
  }
  fault_ = {kind, thread, kNoSite, address, 0, pc, signal};
  faultLane_ = 0;
  redirect(context, leaveForBase);
  return true;
}

// As if the function had been called on the emergency stack.
void LaneScheduler::redirect(ucontext_t &context, void (*to)(LaneScheduler *)) const {
  auto &registers = context.uc_mcontext.gregs;
  const uintptr_t top = reinterpret_cast<uintptr_t>(emergencyStack_ + kEmergencyBytes) & ~uintptr_t(15);
  registers[REG_RSP] = greg_t(top - 8);
  registers[REG_RDI] = greg_t(reinterpret_cast<uintptr_t>(this));
  registers[REG_RIP] = greg_t(reinterpret_cast<uintptr_t>(to));
  registers[REG_EFL] &= ~greg_t(0x400); // direction flag, as every call expects it
}

std::vector<ThreadStanding> LaneScheduler::standings() const {
  std::vector<ThreadStanding> all(callCount_);
  if (plan_.info.takesTurns)
    turnStandings(all);
  for (uint32_t i = 0; i < callCount_ && !plan_.info.takesTurns; ++i) {
    ThreadStanding &thread = all[i];
    const bool current = i == fault_.thread; // it runs, unless it was seen on its way into a wait
    if (!plan_.fibers) {
      thread.standing = current             ? Standing::Running
                        : i < fault_.thread ? Standing::Ended
                                            : Standing::NotStarted;
      thread.pc = current ? fault_.pc : 0;
      continue;
    }
    const Simdgroup &simdgroup = simdgroups_[i / kSimdWidth];
    auto in = [lane = i % kSimdWidth](uint32_t mask) { return mask >> lane & 1; };
    thread.site = simdgroup.site[i % kSimdWidth];
    thread.standing = !in(simdgroup.live)       ? Standing::Ended
                      : in(simdgroup.atBarrier) ? Standing::AtBarrier
                      : in(simdgroup.atSimd)    ? Standing::AtSimd
                      : in(simdgroup.yielded)   ? Standing::Spinning
                      : current                 ? Standing::Running
                      : thread.site == kNoSite  ? Standing::NotStarted
                                                : Standing::Ready;
    if (thread.standing == Standing::Running)
      thread.pc = fault_.pc;
  }
  for (uint32_t i = 0; i < stuckCount_; ++i)
    all[stuck_[i].thread] = {Standing::Running, kNoSite, stuck_[i].pc};
  if (plan_.info.threadsPerCall == 1)
    return all;
  std::vector<ThreadStanding> threads(threads_.count());
  for (uint32_t i = 0; i < threads.size(); ++i)
    threads[i] = all[i / plan_.info.threadsPerCall];
  const uint32_t first = fault_.thread * plan_.info.threadsPerCall;
  for (uint32_t lane = 0; fault_.kind == FaultKind::PartialSimdgroup && first + lane < threads.size() &&
                          lane < plan_.info.threadsPerCall;
       ++lane)
    if (!(fault_.lanes >> lane & 1))
      threads[first + lane] = {Standing::Elsewhere};
  return threads;
}

} // namespace assay::runtime
