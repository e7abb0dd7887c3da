// Evaluates one simd or quad operation for the lanes that perform it together.
//
// Where the specification leaves a choice, Assay makes the same choice on every host:
//
//   reductions  sums and products are in the profile's order. Butterfly: after the steps of xor distance 1,
//               2, 4, 8, 16 every lane holds the same balanced tree over all lanes, because addition commutes
//               bit for bit. So the tree is evaluated once: the value of a block of lanes is that of its
//               lower half combined with that of its upper half. If one half has no active lane, the block
//               has the value of the other half, unchanged. So no identity element can change a bit (-0, a
//               subnormal), and every active lane receives the same bits under every mask. Pairwise: the same
//               with distances 16, 8, 4, 2, 1. Sequential: active lanes in ascending order.
//   scans       Doubling: by lane position (Kogge-Stone). For each distance 1, 2, 4, 8, 16, a lane takes the
//               value of the lane that far below as the left operand, and its own as the right one. An
//               exclusive scan is the inclusive scan of the position below; the first active lane gets T(0)
//               or T(1). Sequential: ascending.
//   one lane    a reduction over one active lane is that lane's bits: nothing is rounded, flushed or made
//               canonical.
//   min, max    the number if one side is NaN; -0 lies below +0; subnormals are flushed where arithmetic
//               flushes them.
//   NaN         the result of float arithmetic is the canonical NaN where the profile says so.
//   half        computed in float and rounded to half after each step, which equals one rounding; bfloat
//               likewise.
//   matrices    see simd_matrix.cpp; only called with all lanes active.
//   fragments   see simd_fragments.cpp; only called with all lanes active.
//   permutes    a lane that reads from beyond the last lane of a simdgroup gets its own value. For a read
//               from an inactive lane, or from a lane that a partial simdgroup lacks, the profile decides
//               (inactive_lanes). The reader gets what that lane has published of the operand, element by
//               element; where it has published nothing, the reader gets its own value.
//
// The MXCSR of the calling lane is in force: it flushes where the profile flushes both float and bfloat
// (NumericsProfile::flushesInHardware).
// source: MSL specification, sections 6.9.2 and 6.9.3; orders of sums: support/abi/numerics.def; what
// shuffles read from beyond the simdgroup and from inactive lanes: dougallj/applegpu, applegpu.py (M1).
#pragma once

#include "support/abi/numerics.h"
#include "support/abi/scalar_type.h"
#include "support/abi/simd_op.h"
#include "support/abi/source_lane.h"

#include <cstdint>

namespace assay::runtime {

/// The arrays have one entry for each lane; only those of active lanes are read. `in` and `out` of a lane may
/// be the same.
struct SimdCall {
  const void *const *in;
  void *const *out;
  const uint32_t *operand;
  uint32_t active; ///< bit i: lane i takes part
  uint32_t count;  ///< elements in one input
  const NumericsProfile *numerics;
  /// What lane 0 has published of this operand (SiteInfo::published); the next lanes follow at a distance of
  /// publishedStride. Null if nobody publishes it.
  const uint8_t *published = nullptr;
  uint32_t publishedStride = 0;
};

using SimdFunction = void (*)(const SimdCall &);

/// The evaluation of an operation on a type. Never null.
SimdFunction simdFunction(SimdOp op, ScalarType type);

// The parts that simdFunction chooses from. Null where the operation does not belong to the part.
SimdFunction simdPermutation(SimdOp op, ScalarType type);
SimdFunction simdReduction(SimdOp op, ScalarType type);

enum class CpuUse : uint8_t { Best, Portable }; ///< Portable: as on the oldest x86-64
SimdFunction simdMatrix(SimdOp op, ScalarType type, CpuUse use = CpuUse::Best);

/// Whether the operation has a meaning only for all 32 lanes together.
constexpr bool needsAllLanes(SimdOp op) {
  return op == SimdOp::MatrixMultiply || op == SimdOp::MatrixMultiplyAccumulate ||
         op == SimdOp::MultiplyFragments;
}
SimdFunction simdFragments(SimdOp op, ScalarType type, CpuUse use = CpuUse::Best);

/// Calls `body(lane)` for each active lane in ascending order.
template <class Body> inline void forEachLane(uint32_t active, Body body) {
  if (active == ~0u) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      body(lane);
    return;
  }
  for (; active; active &= active - 1)
    body(uint32_t(__builtin_ctz(active)));
}

} // namespace assay::runtime
