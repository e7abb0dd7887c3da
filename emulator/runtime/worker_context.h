// The resources with which a worker runs threadgroups: stacks, lanes with their fibers, threadgroup memory,
// and the two stacks that signals need. They outlive the dispatch.
//
// Problem.  Making them anew costs more than a small dispatch itself: the system has to fill new memory
//           mappings with pages, and each lane needs a fiber that starts on a stack that is not in any cache.
// Choice.   A dispatch takes a context for each worker from a pool and puts it back. At its end, fibers stay
//           suspended in their loop (LaneScheduler::laneMain); later they find their new scheduler through
//           their lane. The context of one kernel serves any other. It has lanes and threadgroup memory for
//           the largest threadgroup, as address space that takes no memory before it is used. Only the size
//           of the stacks has to be equal, so that a kernel overflows at the same depth each time.
// Faults.   A fault may leave a fiber at any instruction. After it, no fiber counts as suspended, and each
//           starts anew when it is next needed.
// Rejected. A pool for each kernel: it would keep a context for each of hundreds of pipelines. A context for
//           each thread of the host: the threads of a queue come and go. Fibers that are handed out one by
//           one: a dispatch would have 1,024 slots to fill instead of none.
// Limit.    There are at most kMostIdle idle contexts, with at most kMostLanes lanes between them; the least
//           recently used one is freed first. Besides its stacks and the frames of simdgroups that take
//           turns, a context has less than half a megabyte. Stacks go back to StackPool, which keeps all of
//           them: at most as many as were ever in use at the same time.
#pragma once

#include "runtime/dispatch.h"
#include "runtime/fiber.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace assay::runtime {

struct Lane;
struct Simdgroup;

/// The largest number of lanes that are fibers at the same time. Each stack takes two memory mappings, and
/// Linux gives a process 65,530 by default. ThreadSanitizer has room for some 8,000 threads, and counts
/// fibers, too.
#if defined(ASSAY_TSAN)
inline constexpr uint32_t kMostLanes = 4'096;
#else
inline constexpr uint32_t kMostLanes = 24'000;
#endif

/// Threadgroup memory between two guard pages.
class Arena {
public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  /// Does nothing if it has memory. False if the system has none.
  bool allocate();
  uint8_t *data() const { return data_; }

private:
  uint8_t *data_ = nullptr;
};

/// LaneAbi::positions of a threadgroup's simdgroups.
struct ThreadPositions {
  struct Simdgroup {
    uint32_t x[kSimdWidth], y[kSimdWidth], z[kSimdWidth];
  };
  Size3 of{0, 0, 0}; ///< the threadgroup
  Simdgroup bySimdgroup[kMaxSimdgroupsPerThreadgroup];
  /// Fills in the positions, for code that cannot compute them from those of lane 0.
  void fill(Size3 threads);
};

struct WorkerContext {
  static constexpr size_t kEmergencyBytes = 64 << 10;
  /// The largest number of lanes that are left where they are stuck, until it is known who waits for whom.
  static constexpr uint32_t kMostStuck = 4;

  /// `fibers`: each lane is a fiber; otherwise all of them run on one.
  WorkerContext(bool fibers, size_t stackBytes);
  ~WorkerContext();
  WorkerContext(const WorkerContext &) = delete;

  /// Makes sure that it has at least this many lanes. False if the system has no memory for their stacks.
  bool reserve(uint32_t lanes);
  /// The number of stacks for this many lanes. Without fibers one is enough. If simdgroups take turns, the
  /// others are for those that continue when one is stuck.
  static uint32_t stacksFor(bool fibers, uint32_t lanes) {
    return fibers ? lanes : lanes > 1 ? 1 + kMostStuck : 1;
  }
  /// Gives each lane `count` loop counters.
  void setLoopCounters(uint32_t count);
  /// Gives each lane `bytes` of space for what it publishes.
  void setPublished(uint32_t bytes);
  /// Gives each lane a frame of at least so many bytes.
  void setFrames(uint32_t bytes);

  const bool fibers;
  const size_t stackBytes;   ///< asked for; equal if StackPool::usableBytes are
  uint32_t laneCount = 0;    ///< that are ready for use
  std::vector<Stack> stacks; ///< stacksFor them
  std::unique_ptr<Lane[]> lanes;
  std::unique_ptr<Simdgroup[]> simdgroups;
  std::vector<uint32_t> loopCounters; ///< of lane 0, of lane 1, ..
  uint32_t loopCountersPerLane = 0;
  std::vector<uint8_t> published; ///< likewise
  uint32_t publishedPerLane = 0;
  std::vector<std::byte> frames; ///< likewise
  uint32_t framePerLane = 0;
  FiberSlot plain;           ///< without fibers: the one that runs all threads
  uint32_t standing = 0;     ///< this many of the first fibers are ready in their loop
  uint64_t dispatches = 0;   ///< that it has served
  Size3 shape{0, 0, 0};      ///< of the threadgroup that the lanes' positions were filled in for
  uint32_t shapePerCall = 0; ///< and KernelCodeInfo::threadsPerCall
  const std::unique_ptr<ThreadPositions> positions =
      std::make_unique<ThreadPositions>(); ///< filled in when code first needs them
  std::unique_ptr<std::byte[]> emergencyStack;
  std::unique_ptr<std::byte[]> signalStack;
  Arena arena;
  bool idle = false;
};

/// Contexts that no dispatch uses. Thread-safe.
class WorkerContextPool {
public:
  static constexpr size_t kMostIdle = 64;

  explicit WorkerContextPool(size_t mostIdle = kMostIdle, size_t mostLanes = kMostLanes)
      : mostIdle_(mostIdle), mostLanes_(mostLanes) {}
  ~WorkerContextPool();
  static WorkerContextPool &shared();
  /// A context with at least this many lanes, or nothing if the system has no memory.
  std::unique_ptr<WorkerContext> take(bool fibers, uint32_t lanes, size_t stackBytes);
  void giveBack(std::unique_ptr<WorkerContext> context);
  size_t idle() const;
  /// Destroys all that are idle.
  void clear();

  // For fork(), see fork_handlers.cpp.
  void hold() { mutex_.lock(); }
  void goOn() { mutex_.unlock(); }

private:
  std::unique_ptr<WorkerContext> takeIdle(bool fibers, uint32_t lanes, size_t stackBytes);

  const size_t mostIdle_, mostLanes_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerContext>> idle_; ///< the one used last is at the end
  size_t idleLanes_ = 0;
};

} // namespace assay::runtime
