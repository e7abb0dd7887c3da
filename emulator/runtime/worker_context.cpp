// See worker_context.h.
#include "runtime/worker_context.h"

#include "runtime/builtin_values.h"
#include "runtime/lane_scheduler.h"
#include "runtime/signals.h"

#include <algorithm>
#include <sys/mman.h>

#ifdef ASSAY_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace assay::runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kArenaMapping = kPage + kMaxThreadgroupMemory + kPage;

} // namespace

// ---- threadgroup memory ----

Arena::~Arena() {
  if (data_)
    munmap(data_ - kPage, kArenaMapping);
}

bool Arena::allocate() {
  if (data_)
    return true;
  void *mapping = mmap(nullptr, kArenaMapping, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return false;
  uint8_t *memory = static_cast<uint8_t *>(mapping) + kPage;
  if (mprotect(memory, kMaxThreadgroupMemory, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, kArenaMapping);
    return false;
  }
  data_ = memory;
  return true;
}

// ---- places of threads ----

void ThreadPositions::fill(Size3 threads) {
  if (of.x == threads.x && of.y == threads.y && of.z == threads.z)
    return;
  of = threads;
  forEachThread(threads, [&](Size3 position, uint32_t thread) {
    auto &[x, y, z] = bySimdgroup[thread / kSimdWidth];
    const uint32_t lane = thread % kSimdWidth;
    x[lane] = position.x;
    y[lane] = position.y;
    z[lane] = position.z;
  });
}

// ---- one context ----

WorkerContext::WorkerContext(bool withFibers, size_t bytes)
    : fibers(withFibers), stackBytes(bytes),
      lanes(std::make_unique_for_overwrite<Lane[]>(withFibers ? kMaxThreadsPerThreadgroup
                                                              : kMaxSimdgroupsPerThreadgroup)),
      simdgroups(std::make_unique<Simdgroup[]>(withFibers ? kMaxSimdgroupsPerThreadgroup : 1)),
      emergencyStack(new std::byte[kEmergencyBytes]), signalStack(new std::byte[SignalScope::kStackBytes]) {}

WorkerContext::~WorkerContext() {
  for (uint32_t i = 0; fibers && i < stacks.size(); ++i)
    dropFiber(simdgroups[i / kSimdWidth].fiber[i % kSimdWidth]);
  dropFiber(plain);
  if (idle)
    StackPool::shared().countIn(stacks.size());
  StackPool::shared().release(stacks);
}

bool WorkerContext::reserve(uint32_t count) {
  const uint32_t before = laneCount;
  if (count <= before)
    return true;
  if (const size_t wanted = stacksFor(fibers, count); wanted > stacks.size()) {
    const std::optional<std::vector<Stack>> more =
        StackPool::shared().acquire(wanted - stacks.size(), stackBytes);
    if (!more)
      return false;
    stacks.insert(stacks.end(), more->begin(), more->end());
  }
  laneCount = count;
  for (uint32_t i = before; i < count; ++i) {
    Simdgroup &simdgroup = simdgroups[i / kSimdWidth];
    simdgroup.lanes = &lanes[i / kSimdWidth * kSimdWidth];
    lanes[i] = {};
    lanes[i].simdgroup = &simdgroup;
    lanes[i].lane = i % kSimdWidth;
    lanes[i].thread = i;
  }
  loopCountersPerLane = 0;
  loopCounters.clear();
  publishedPerLane = 0;
  published.clear();
  framePerLane = 0;
  return true;
}

void WorkerContext::setLoopCounters(uint32_t count) {
  if (count == loopCountersPerLane)
    return;
  loopCountersPerLane = count;
  loopCounters.resize(std::max(loopCounters.size(), size_t(laneCount) * count));
  for (size_t i = 0; i < laneCount; ++i)
    lanes[i].loop = loopCounters.data() + i * count;
}

void WorkerContext::setPublished(uint32_t bytes) {
  if (bytes == publishedPerLane)
    return;
  publishedPerLane = bytes;
  // Whole simdgroups: the lanes that a partial one lacks have memory, too, which says that nothing was
  // computed.
  const size_t all = size_t(laneCount + kSimdWidth - 1) / kSimdWidth * kSimdWidth;
  published.resize(std::max(published.size(), all * bytes));
  for (size_t i = 0; i < laneCount; ++i)
    lanes[i].published = published.data() + i * bytes;
}

void WorkerContext::setFrames(uint32_t bytes) {
  if (bytes <= framePerLane)
    return;
  // An odd number of cache lines: frames at a power of two would fight for the same sets.
  constexpr size_t kLine = 64;
  const size_t each = ((bytes + kLine - 1) / kLine | 1) * kLine;
  frames.resize(std::max(frames.size(), laneCount * each + kLine));
  const size_t misplaced = reinterpret_cast<uintptr_t>(frames.data()) % kLine;
  framePerLane = bytes;
  for (size_t i = 0; i < laneCount; ++i)
    lanes[i].frame = reinterpret_cast<uint8_t *>(frames.data()) + (kLine - misplaced) + i * each;
}

// ---- all that are idle ----

WorkerContextPool::~WorkerContextPool() = default;

WorkerContextPool &WorkerContextPool::shared() {
  static auto *pool = new WorkerContextPool; // never destroyed: others' dispatches may outlive main()
  return *pool;
}

// The smallest that has enough lanes, so that small dispatches leave the large ones alone; else the largest.
std::unique_ptr<WorkerContext> WorkerContextPool::takeIdle(bool fibers, uint32_t lanes, size_t stackBytes) {
  const std::lock_guard lock(mutex_);
  const size_t usable = StackPool::usableBytes(stackBytes);
  auto best = idle_.end();
  const auto better = [&](size_t count, size_t than) {
    return count >= lanes ? than < lanes || count <= than : than < lanes && count >= than;
  };
  for (auto it = idle_.begin(); it != idle_.end(); ++it)
    if ((*it)->fibers == fibers && StackPool::usableBytes((*it)->stackBytes) == usable &&
        (best == idle_.end() || better((*it)->laneCount, (*best)->laneCount)))
      best = it;
  if (best == idle_.end())
    return nullptr;
  std::unique_ptr<WorkerContext> context = std::move(*best);
  idle_.erase(best);
  idleLanes_ -= context->stacks.size();
  return context;
}

std::unique_ptr<WorkerContext> WorkerContextPool::take(bool fibers, uint32_t lanes, size_t stackBytes) {
  std::unique_ptr<WorkerContext> context = takeIdle(fibers, lanes, stackBytes);
  if (context) {
    StackPool::shared().countIn(context->stacks.size());
    context->idle = false;
#ifdef ASSAY_ASAN
    // Abandoned frames.
    ASAN_UNPOISON_MEMORY_REGION(context->emergencyStack.get(), WorkerContext::kEmergencyBytes);
#endif
  } else {
    context = std::make_unique<WorkerContext>(fibers, stackBytes);
  }
  if (context->reserve(lanes))
    return context;
  clear(); // the idle ones may have the stacks that are missing
  return context->reserve(lanes) ? std::move(context) : nullptr;
}

void WorkerContextPool::giveBack(std::unique_ptr<WorkerContext> context) {
  StackPool::shared().countOut(context->stacks.size());
  context->idle = true;
  std::vector<std::unique_ptr<WorkerContext>> surplus; // destroyed after the unlock
  const std::lock_guard lock(mutex_);
  idleLanes_ += context->stacks.size();
  idle_.push_back(std::move(context));
  while (idle_.size() > mostIdle_ || idleLanes_ > mostLanes_) {
    idleLanes_ -= idle_.front()->stacks.size();
    surplus.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
  }
}

size_t WorkerContextPool::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

void WorkerContextPool::clear() {
  std::vector<std::unique_ptr<WorkerContext>> all; // destroyed after the unlock
  const std::lock_guard lock(mutex_);
  all.swap(idle_);
  idleLanes_ = 0;
}

} // namespace assay::runtime
