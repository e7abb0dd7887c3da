// The operations that lanes of a simdgroup do together (msl_shim/detail/simd_ops.def) as an enumeration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

enum class SimdResult : uint8_t { None, Value, Mask };

enum class SimdOp : uint8_t {
#define ASSAY_SIMD_OP(name, text, inputs, result) name,
#include "../../../msl_shim/detail/simd_ops.def"
#undef ASSAY_SIMD_OP
};

struct SimdOpInfo {
  SimdOp op;
  std::string_view text;
  uint8_t inputs;
  SimdResult result;
};

inline constexpr std::array kSimdOps = {
#define ASSAY_SIMD_OP(name, text, inputs, result) SimdOpInfo{SimdOp::name, text, inputs, SimdResult::result},
#include "../../../msl_shim/detail/simd_ops.def"
#undef ASSAY_SIMD_OP
};

constexpr const SimdOpInfo &simdOpInfo(SimdOp op) {
  return kSimdOps[static_cast<size_t>(op)];
}

/// A lane gets the value of a lane that an operand names, whether that one takes part or not.
constexpr bool readsOneLane(SimdOp op) {
  return (op >= SimdOp::Broadcast && op <= SimdOp::ShuffleAndFillDown && op != SimdOp::BroadcastFirst) ||
         (op >= SimdOp::QuadBroadcast && op <= SimdOp::QuadShuffleAndFillDown &&
          op != SimdOp::QuadBroadcastFirst);
}

/// Lanes wait for each other there and exchange nothing; memory keeps its order around it.
constexpr bool onlyMeets(SimdOp op) {
  return op == SimdOp::Barrier || op == SimdOp::Lockstep;
}

} // namespace assay
