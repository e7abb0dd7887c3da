// Decides which accesses happened before the present access of a thread, in the order that barriers,
// simdgroup barriers and fences make.
//
// Problem.  Two accesses race if neither happens before the other. Full vector clocks need an entry for each
//           thread of the grid in each thread.
// Choice.   Metal's own means of order have cheaper forms. A threadgroup barrier orders all threads of its
//           threadgroup at once, for the memory that its mem_flags name: one number for each kind of memory.
//           A simdgroup barrier of all lanes is one number, too. A barrier of only some lanes needs a table
//           of 32 x 32, which is made when the first such barrier comes. Threadgroups have no order among
//           themselves. Only fences can make an order between any two threads: fence_order.h, used in kernels
//           that have one.
// Exact.    An order is for one kind of memory only: a barrier with mem_device does not order accesses to
//           threadgroup memory. Threads that have returned before a barrier count as passing it, as on GPUs;
//           their absence is a finding of its own (barrier_checker.cpp). If threads wait at barriers with
//           different flags, only the memory that all of them name is ordered.
#pragma once

#include "fence_order.h"

#include "../support/abi/kernel_code.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace assay::validation {

/// When a thread did something. It is compared with what another thread knows.
struct Moment {
  uint32_t group = 0;   ///< linear index of the threadgroup in the grid
  uint32_t barrier = 0; ///< threadgroup barriers that its threadgroup had passed
  uint32_t time = 0;    ///< of the thread itself; grows with each barrier and release
};

class HappensBefore {
public:
  /// fences   whether the kernel has fences
  void dispatchBegin(bool fences);
  void groupBegin(uint32_t group, uint32_t threads);

  /// place   the barrier
  void barrier(uint32_t flags, const SiteInfo *place);
  void simdgroupBarrier(uint32_t simdgroup, uint32_t mask, uint32_t flags, const SiteInfo *place);
  void fence(uint32_t thread, uint32_t flags, uint32_t order, uint32_t scope);
  /// To be called in the order in which the operations are performed.
  void atomic(uint32_t thread, uint64_t address, AtomicKind kind, MemorySpace space);

  Moment now(uint32_t thread) const { return {group_, passed_, timeOf(thread)}; }
  /// Whether what `lanes` of a simdgroup did at that moment happened before what `thread` does now. The
  /// thread's own past did.
  bool ordered(MemorySpace space, const Moment &then, uint32_t simdgroup, uint32_t lanes,
               uint32_t thread) const;
  /// Whether what this threadgroup did at that moment can no longer race within the threadgroup.
  bool isSettled(MemorySpace space, const Moment &then) const {
    return then.group == group_ && then.barrier < settledBefore(space);
  }
  /// What this threadgroup did is settled if its Moment::barrier is less than this.
  uint32_t settledBefore(MemorySpace space) const { return barriers_[size_t(space)]; }
  /// A barrier between then and now that both simdgroups passed, whatever memory it names; null if none.
  const SiteInfo *barrierBetween(const Moment &then, uint32_t simdgroup, uint32_t lanes,
                                 uint32_t thread) const;
  /// The last barrier that `simdgroup` has passed; null if it has passed none.
  ///   lanes   whether simdgroup barriers count, too
  const SiteInfo *lastBarrier(uint32_t simdgroup, bool lanes) const;
  /// Whether all lanes of the simdgroup have come equally far: their moments are the same.
  bool lanesAreAlike(uint32_t simdgroup) const { return !simdgroups_[simdgroup].table; }
  bool usesFences() const { return usesFences_; }
  uint32_t group() const { return group_; }

private:
  static constexpr size_t kExecution = kMemorySpaces; // whatever the flags
  static constexpr size_t kOrders = kMemorySpaces + 1;
  using Times = std::array<uint32_t, kSimdWidth>;
  using Tables = std::array<std::array<Times, kSimdWidth>, kOrders>; // [order][who knows][of whom]

  struct Simdgroup {
    std::array<uint32_t, kOrders>
        known{}; ///< all lanes know what came before this time, if there is no table
    std::unique_ptr<Tables> table;
    const SiteInfo *last = nullptr; ///< its last simdgroup barrier
    uint32_t lastAfter = 0;         ///< the number of threadgroup barriers before it
  };

  uint32_t timeOf(uint32_t thread) const { return passed_ + clocks_[thread]; }
  uint32_t lanesIn(uint32_t simdgroup) const;
  Tables &tableOf(Simdgroup &simdgroup);
  bool lanesKnown(size_t order, const Moment &then, uint32_t simdgroup, uint32_t lanes,
                  uint32_t thread) const;

  bool usesFences_ = false;
  uint32_t group_ = 0, threads_ = 0;
  uint32_t passed_ = 0;                            ///< threadgroup barriers
  std::array<uint32_t, kMemorySpaces> barriers_{}; ///< of passed_, after the last barrier for each memory
  std::vector<const SiteInfo *> places_;           ///< of the barriers passed
  std::vector<uint32_t> clocks_;                   ///< by thread: simdgroup barriers and releases
  std::vector<Simdgroup> simdgroups_;
  FenceOrder fences_;
};

} // namespace assay::validation
