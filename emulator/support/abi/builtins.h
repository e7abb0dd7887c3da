// The thread-position attributes (msl_shim/detail/builtins.def) as an enumeration and a lookup.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class BuiltinScope : uint8_t { Group, Lane };

enum class Builtin : uint8_t {
#define ASSAY_BUILTIN(name, metal, components, scope) name,
#include "../../../msl_shim/detail/builtins.def"
#undef ASSAY_BUILTIN
};

struct BuiltinInfo {
  Builtin builtin;
  std::string_view metalName;
  uint8_t components;
  BuiltinScope scope;
};

inline constexpr std::array kBuiltins = {
#define ASSAY_BUILTIN(name, metal, components, scope)                                                        \
  BuiltinInfo{Builtin::name, metal, components, BuiltinScope::scope},
#include "../../../msl_shim/detail/builtins.def"
#undef ASSAY_BUILTIN
};

inline constexpr uint32_t kBuiltinCount = kBuiltins.size();

constexpr const BuiltinInfo &builtinInfo(Builtin b) {
  return kBuiltins[static_cast<size_t>(b)];
}

constexpr std::optional<Builtin> findBuiltin(std::string_view metalName) {
  for (const BuiltinInfo &info : kBuiltins)
    if (info.metalName == metalName)
      return info.builtin;
  return std::nullopt;
}

} // namespace assay
