// Observers see a run without changing it. The tracer, the checkers and the lane-level tests are observers.
//
// Calls come from the worker that runs the threadgroup. Workers run in parallel; an observer that needs one
// order asks for the canonical schedule, which is the default for a dispatch with an observer.
#pragma once

#include "../support/abi/kernel_code.h"

#include <cstdint>
#include <span>

namespace assay::runtime {

struct GroupEvent {
  uint32_t position[3];           ///< threadgroup_position_in_grid
  uint32_t threads[3];            ///< of this threadgroup; smaller at the edge of a non-uniform grid
  std::span<const uint8_t> arena; ///< threadgroup memory as it is at the event
  const DispatchAbi *dispatch;    ///< where in it the dynamic slots are
};

struct SimdEvent {
  const SiteInfo *site;
  uint32_t simdgroup;      ///< index in the threadgroup
  uint32_t activeMask;     ///< bit i: lane i takes part
  const void *const *in;   ///< per lane, null if inactive; layout as in simd_ops.def
  const void *const *out;  ///< per lane, already computed
  const uint32_t *operand; ///< per lane
};

struct BarrierEvent {
  const SiteInfo *const *sites; ///< per thread of the threadgroup, null for those that have ended
  uint32_t threads;
};

struct AccessEvent {
  const SiteInfo *site;
  uint32_t threadIndex; ///< thread_index_in_threadgroup
  uint64_t address;
  uint64_t bytes;
};

struct ProbeEvent {
  const SiteInfo *site; ///< with the name, the type and the number of elements
  uint32_t threadIndex; ///< thread_index_in_threadgroup
  const void *value;
};

class Observer {
public:
  virtual ~Observer() = default;
  virtual bool wantsMemory() const { return false; } ///< asks for a pipeline that reports accesses
  virtual void groupBegin(const GroupEvent &) {}
  virtual void groupEnd(const GroupEvent &) {}
  virtual void barrier(const GroupEvent &, const BarrierEvent &) {}
  virtual void simdOp(const GroupEvent &, const SimdEvent &) {}
  virtual void access(const GroupEvent &, const AccessEvent &) {}
  virtual void probe(const GroupEvent &, const ProbeEvent &) {}
  virtual void threadEnd(const GroupEvent &, uint32_t /*threadIndex*/) {}
};

} // namespace assay::runtime
