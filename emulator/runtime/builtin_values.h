// The state in which a threadgroup begins: the values of the thread-position attributes
// (msl_shim/detail/builtins.def), and its memory.
//
// threads_per_threadgroup is the actual size of this threadgroup, which is smaller at the edge of a
// non-uniform grid. dispatch_threads_per_threadgroup is the size that the dispatch asked for. The counts of
// simdgroups and quadgroups follow the same rule. Threads are numbered over the actual size, x fastest.
// source: MSL specification, section 5.2.3.6.
#pragma once

#include "runtime/run_plan.h"

namespace assay::runtime {

template <class Abi> uint32_t *builtinSlot(Abi &abi, Builtin builtin) {
  return abi.builtin[size_t(builtin)];
}

template <class Abi> void setBuiltin(Abi &abi, Builtin builtin, uint32_t value) {
  builtinSlot(abi, builtin)[0] = value;
}
template <class Abi> void setBuiltin(Abi &abi, Builtin builtin, Size3 value) {
  uint32_t *to = builtinSlot(abi, builtin);
  to[0] = value.x;
  to[1] = value.y;
  to[2] = value.z;
}

/// The bytes of threadgroup memory that nobody has written: a NaN in every float type, -1 in every integer
/// type.
inline constexpr int kThreadgroupPoison = 0xff;

/// Sets the values of BuiltinScope::Group.
void fillGroupBuiltins(GroupAbi &group, const RunPlan &plan, Size3 position);

/// Sets the values of BuiltinScope::Lane that depend only on the thread's place in the threadgroup.
inline void fillThreadBuiltins(LaneAbi &lane, Size3 position, uint32_t thread) {
  setBuiltin(lane, Builtin::ThreadPositionInThreadgroup, position);
  setBuiltin(lane, Builtin::ThreadIndexInThreadgroup, thread);
  setBuiltin(lane, Builtin::ThreadIndexInSimdgroup, thread % kSimdWidth);
  setBuiltin(lane, Builtin::ThreadIndexInQuadgroup, thread % kQuadWidth);
  setBuiltin(lane, Builtin::SimdgroupIndexInThreadgroup, thread / kSimdWidth);
  setBuiltin(lane, Builtin::QuadgroupIndexInThreadgroup, thread / kQuadWidth);
}

/// Sets thread_position_in_grid, after the other values have been set.
///   origin   position in the grid of the threadgroup's first thread
inline void fillGridPosition(LaneAbi &lane, Size3 origin) {
  const uint32_t *local = builtinSlot(lane, Builtin::ThreadPositionInThreadgroup);
  setBuiltin(lane, Builtin::ThreadPositionInGrid,
             Size3{origin.x + local[0], origin.y + local[1], origin.z + local[2]});
}

/// Calls `body(position, index)` for each thread of a threadgroup of this size, in order.
template <class Body> void forEachThread(Size3 threads, Body body) {
  uint32_t index = 0;
  for (uint32_t z = 0; z < threads.z; ++z)
    for (uint32_t y = 0; y < threads.y; ++y)
      for (uint32_t x = 0; x < threads.x; ++x)
        body(Size3{x, y, z}, index++);
}

} // namespace assay::runtime
