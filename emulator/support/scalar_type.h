// The scalar types of MSL (msl_shim/detail/scalar_types.def) and the collective operations
// (msl_shim/detail/simd_ops.def) as enumerations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class ScalarClass : uint8_t { Bool, Signed, Unsigned, Float };

enum class ScalarType : uint8_t {
#define ASSAY_SCALAR(name, metal, shortName, bytes, cls) name,
#include "msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR
};

struct ScalarTypeInfo {
  ScalarType type;
  std::string_view metalName;
  std::string_view shortName;
  uint8_t bytes;
  ScalarClass cls;
};

inline constexpr std::array kScalarTypes = {
#define ASSAY_SCALAR(name, metal, shortName, bytes, cls)                                                     \
  ScalarTypeInfo{ScalarType::name, metal, shortName, bytes, ScalarClass::cls},
#include "msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR
};

constexpr const ScalarTypeInfo &scalarTypeInfo(ScalarType t) {
  return kScalarTypes[static_cast<size_t>(t)];
}

/// By Metal's name ("ushort") or by the short name ("u16").
constexpr std::optional<ScalarType> findScalarType(std::string_view name) {
  for (const ScalarTypeInfo &info : kScalarTypes)
    if (info.metalName == name || info.shortName == name)
      return info.type;
  return std::nullopt;
}

enum class SimdResult : uint8_t { None, Value, Mask };

enum class SimdOp : uint8_t {
#define ASSAY_SIMD_OP(name, text, inputs, result) name,
#include "msl_shim/detail/simd_ops.def"
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
#include "msl_shim/detail/simd_ops.def"
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
