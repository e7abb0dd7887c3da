// The scalar types of MSL (msl_shim/detail/scalar_types.def) as an enumeration.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class ScalarClass : uint8_t { Bool, Signed, Unsigned, Float };

enum class ScalarType : uint8_t {
#define ASSAY_SCALAR(name, metal, shortName, bytes, cls) name,
#include "../../../msl_shim/detail/scalar_types.def"
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
#include "../../../msl_shim/detail/scalar_types.def"
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

} // namespace assay
