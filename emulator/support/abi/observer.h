// Observers see a run without changing it. The tracer, the checkers and the lane-level tests are observers.
//
// The worker that runs a threadgroup calls the observer. Workers run in parallel. An observer that needs one
// order asks for the canonical schedule, which is the default for a dispatch with an observer.
//
// An event about memory belongs to a simdgroup: a place in the kernel, the lanes that are there, and what
// each of them does. An engine that runs lanes one by one reports masks of one lane. An engine that runs a
// simdgroup as one program reports an instruction once, with all of its lanes. An observer must accept both.
// It may rely on this: the events of one lane come in the order of its program, and barriers, fences and
// atomic operations come in the order in which they are performed.
//
// A plain access (Read, Write) is reported at its place in the program, even if the optimiser has removed,
// merged or moved the access itself. So the contents of memory at such an event mean nothing. An access that
// fails a bounds check may be reported before the dispatch ends. An observer may decline the accesses of a
// site, but it may still receive them.
//
// Code that runs simdgroups (KernelCodeInfo::threadsPerCall) reports less. Of simd operations, it reports
// only simdgroup barriers and operations that read from a lane that an operand names, and without their
// values. It does not report ends of threads. The host uses such code only with checkers
// (host/quick_check.h).
#pragma once

#include "access_log_abi.h"
#include "code_options.h"
#include "kernel_code.h"
#include "shadow_abi.h"

#include <cstdint>
#include <span>

namespace assay {

struct DispatchEvent {
  const KernelCodeInfo *code;
  const DispatchAbi *dispatch;
  uint32_t gridThreads[3];
  uint32_t threadsPerThreadgroup[3]; ///< of a whole threadgroup
};

struct GroupEvent {
  uint32_t position[3];           ///< threadgroup_position_in_grid
  uint32_t threads[3];            ///< of this threadgroup; smaller at the edge of a non-uniform grid
  std::span<const uint8_t> arena; ///< threadgroup memory as it is at the event
  const DispatchAbi *dispatch;    ///< where in it the dynamic slots are
  uint32_t threadCount() const { return threads[0] * threads[1] * threads[2]; }
};

struct SimdEvent {
  const SiteInfo *site;
  uint32_t simdgroup;      ///< index in the threadgroup
  uint32_t activeMask;     ///< bit i: lane i takes part
  const void *const *in;   ///< per lane, null if inactive or not told; layout as in simd_ops.def
  const void *const *out;  ///< per lane, already computed
  const uint32_t *operand; ///< per lane; of a simdgroup_barrier its mem_flags
};

struct BarrierEvent {
  const SiteInfo *const *sites; ///< per thread of the threadgroup, null for those that have ended
  uint32_t threads;
  const uint32_t *flags;      ///< per thread: the bits of metal::mem_flags
  const uint64_t *iterations; ///< per thread: equal for two threads at one site in the same iterations
  bool whole = false; ///< all threads are known to be at one site, in the same iterations, with its flags
};

struct AccessEvent {
  const SiteInfo *site;
  uint32_t simdgroup;        ///< index in the threadgroup
  uint32_t mask;             ///< bit i: lane i performs it; never 0
  const uint64_t *addresses; ///< 32, by lane; only those of the mask are set
  uint64_t bytes;            ///< of each lane; 0: only a pointer whose alignment is not what the site says

  /// Calls visit(thread_index_in_threadgroup, address) for each lane, in ascending order.
  template <class Visit> void forEachThread(Visit visit) const {
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
      const uint32_t lane = uint32_t(__builtin_ctz(rest));
      visit(simdgroup * kSimdWidth + lane, addresses[lane]);
    }
  }
};

/// An access whose lanes are at distances from one address that were known before the kernel ran.
struct SpacedAccess {
  const SiteInfo *site;
  uint32_t simdgroup, mask; ///< as of AccessEvent
  uint64_t base;            ///< the address of lane 0, also if that takes no part
  const int64_t *distances; ///< 32, by lane. They do not change while the dispatch runs.
  uint64_t bytes;           ///< of each lane; not 0
  uint32_t number;          ///< of the site in KernelCodeInfo::sites

  void writeAddresses(uint64_t (&addresses)[kSimdWidth]) const {
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      addresses[lane] = base + uint64_t(distances[lane]);
  }
};

/// Accesses of simdgroups one after the other, as compiled code has kept them.
struct KeptAccesses {
  const KeptOperation *begin, *end;
  const SiteInfo *sites; ///< of the kernel

  static const KeptOperation *next(const KeptOperation *at) {
    return at + 1 + (at->distances ? 0 : sizeof(KeptWords) / sizeof(KeptOperation));
  }
  SpacedAccess spaced(const KeptOperation &kept) const {
    return {&sites[kept.site], kept.simdgroup, kept.mask, kept.base, kept.distances, kept.bytes, kept.site};
  }
  AccessEvent access(const KeptOperation &kept) const {
    return {&sites[kept.site], kept.simdgroup, kept.mask,
            reinterpret_cast<const KeptWords *>(&kept + 1)->words, kept.bytes};
  }
  /// Calls one of the two functions for each access.
  template <class Spaced, class Access> void forEach(Spaced visitSpaced, Access visitAccess) const {
    for (const KeptOperation *at = begin; at != end; at = next(at)) {
      if (at->bytes) {
        if (at->distances)
          visitSpaced(spaced(*at));
        else
          visitAccess(access(*at));
        continue;
      }
      // A promise about a pointer, or a copy of nothing. Only a promise that is broken is told.
      uint64_t addresses[kSimdWidth];
      AccessEvent event = access(*at);
      if (at->distances) {
        spaced(*at).writeAddresses(addresses);
        event.addresses = addresses;
      }
      const uint32_t alignment = event.site->alignment;
      uint32_t broken = 0;
      event.forEachThread([&](uint32_t thread, uint64_t address) {
        if (alignment > 1 && address % alignment)
          broken |= 1u << thread % kSimdWidth;
      });
      event.mask = broken;
      if (broken)
        visitAccess(event);
    }
  }
};
static_assert(sizeof(KeptWords) % sizeof(KeptOperation) == 0);

/// atomic_thread_fence.
struct FenceEvent {
  const SiteInfo *site;
  uint32_t simdgroup;
  uint32_t mask;  ///< as of an access
  uint32_t flags; ///< the bits of metal::mem_flags
  uint32_t order; ///< a metal::memory_order: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequential
  uint32_t scope; ///< a metal::thread_scope: 0 thread, 1 threadgroup, 2 device, 3 system, 4 simdgroup
};

struct ProbeEvent {
  const SiteInfo *site; ///< with the name, the type and the number of elements
  uint32_t threadIndex; ///< thread_index_in_threadgroup
  const void *value;
};

/// Something depends on bits that nobody has written.
struct UndefinedEvent {
  const SiteInfo *site; ///< of the decision
  uint32_t threadIndex; ///< thread_index_in_threadgroup
  uint64_t origin;      ///< ValueOrigin
  uint64_t address;     ///< of an access; else 0
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual bool wantsMemory() const { return false; } ///< asks for a pipeline that reports accesses
  /// True if the order of two lanes' plain accesses does not matter to the observer where nothing orders
  /// them. Then lanes that do the same are reported together on every engine. Otherwise each access is
  /// reported when it is performed.
  virtual bool takesLanesTogether() const { return false; }
  /// Whether it must be told of accesses at this site of the kernel. Asked after dispatchBegin.
  virtual bool wantsAccess(const SiteInfo &) const { return true; }
  /// Asks for a pipeline that tracks undefined values. It may change between dispatches only.
  virtual TrackUndefined tracksUndefined() const { return TrackUndefined::No; }
  /// If it tracks undefined values: not null from groupBegin to groupEnd.
  virtual ShadowAbi *shadows() { return nullptr; }
  virtual void undefined(const GroupEvent &, const UndefinedEvent &) {}
  /// In code without shadows: a lane has read an unwritten part of a variable.
  virtual void unwrittenVariable() {}
  /// A store through a pointer that may lead to any memory.
  virtual void written(uint64_t /*address*/, uint64_t /*bytes*/) {}
  virtual void dispatchBegin(const DispatchEvent &) {}
  virtual void dispatchEnd(const DispatchEvent &) {} ///< also of a dispatch that ended in a fault
  virtual void groupBegin(const GroupEvent &) {}
  virtual void groupEnd(const GroupEvent &) {}
  virtual void barrier(const GroupEvent &, const BarrierEvent &) {}
  virtual void simdOp(const GroupEvent &, const SimdEvent &) {}
  virtual void access(const GroupEvent &, const AccessEvent &) {}
  /// An access whose lanes are at known distances.
  virtual void spacedAccess(const GroupEvent &group, const SpacedAccess &event) {
    uint64_t addresses[kSimdWidth];
    event.writeAddresses(addresses);
    access(group, {event.site, event.simdgroup, event.mask, addresses, event.bytes});
  }
  /// Several accesses of both forms at once.
  virtual void accesses(const GroupEvent &group, const KeptAccesses &kept) {
    kept.forEach([&](const SpacedAccess &event) { spacedAccess(group, event); },
                 [&](const AccessEvent &event) { access(group, event); });
  }
  /// Whether its accesses() is faster than one call for each access.
  virtual bool takesAccessesAtOnce() const { return false; }
  virtual void fence(const GroupEvent &, const FenceEvent &) {}
  virtual void probe(const GroupEvent &, const ProbeEvent &) {}
  virtual void threadEnd(const GroupEvent &, uint32_t /*threadIndex*/) {}
};

} // namespace assay
