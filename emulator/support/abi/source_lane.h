// Computes the lane from which a broadcast or a shuffle reads, for the engines and for the checkers alike.
#pragma once

#include "simd_op.h"

#include <cstdint>

namespace assay {

/// An operation of a quad is one of a simdgroup, in blocks of four lanes.
struct SimdForm {
  SimdOp op;
  uint32_t width;
};
constexpr SimdForm simdForm(SimdOp op) {
  constexpr uint8_t kFirstQuad = uint8_t(SimdOp::QuadBroadcast), kFirstSimd = uint8_t(SimdOp::Broadcast);
  return uint8_t(op) < kFirstQuad ? SimdForm{op, 32}
                                  : SimdForm{SimdOp(uint8_t(op) - kFirstQuad + kFirstSimd), 4};
}
static_assert(simdForm(SimdOp::QuadActiveMask).op == SimdOp::ActiveMask,
              "both halves of simd_ops.def run in parallel");
static_assert(simdForm(SimdOp::QuadSum).op == SimdOp::Sum);
static_assert(simdForm(SimdOp::QuadShuffleAndFillDown).op == SimdOp::ShuffleAndFillDown);

inline constexpr uint32_t kOwnLane = ~0u;      ///< the lane keeps its value
inline constexpr uint32_t kFillLane = 1u << 8; ///< this flag: from the filling data of the lane below it

/// The lane inside the block that `lane` reads, for blocks of `width` lanes.
///   op        Broadcast to ShuffleAndFillDown (simdForm)
///   operand   the lane's own
constexpr uint32_t sourceLane(SimdOp op, uint32_t width, uint32_t lane, uint32_t operand,
                              uint32_t activeInBlock) {
  switch (op) {
  case SimdOp::Broadcast:
  case SimdOp::Shuffle: return operand < width ? operand : kOwnLane;
  case SimdOp::BroadcastFirst: return uint32_t(__builtin_ctz(activeInBlock));
  case SimdOp::ShuffleXor: return operand < width ? lane ^ operand : kOwnLane;
  case SimdOp::ShuffleUp: return operand <= lane ? lane - operand : kOwnLane;
  case SimdOp::ShuffleDown: return operand < width - lane ? lane + operand : kOwnLane;
  case SimdOp::ShuffleRotateUp: return (lane - operand) % width;
  case SimdOp::ShuffleRotateDown: return (lane + operand) % width;
  default: break;
  }
  // The fill forms: the block is split into vectors of `modulo` lanes, with the filling data beyond their
  // ends.
  const uint32_t delta = operand & 0xffff, asked = operand >> 16;
  const uint32_t modulo = asked >= 2 && asked < width ? asked : width;
  const uint32_t position = lane % modulo, first = lane - position;
  if (delta > modulo)
    return kOwnLane;
  if (op == SimdOp::ShuffleAndFillUp)
    return delta <= position ? lane - delta : kFillLane | (first + position + modulo - delta);
  return position + delta < modulo ? lane + delta : kFillLane | (first + position + delta - modulo);
}

} // namespace assay
