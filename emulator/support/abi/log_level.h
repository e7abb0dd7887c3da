// The levels of os_log (msl_shim/detail/log_levels.def) as an enumeration: MTLLogLevel without `undefined`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

enum class LogLevel : uint8_t {
#define ASSAY_LOG_LEVEL(Name, text, method) Name,
#include "../../../msl_shim/detail/log_levels.def"
#undef ASSAY_LOG_LEVEL
};

inline constexpr std::array<std::string_view, 5> kLogLevelNames = {
#define ASSAY_LOG_LEVEL(Name, text, method) #text,
#include "../../../msl_shim/detail/log_levels.def"
#undef ASSAY_LOG_LEVEL
};

/// "debug", "info", "notice", "error", "fault"
constexpr std::string_view nameOf(LogLevel level) {
  return kLogLevelNames[static_cast<size_t>(level)];
}

} // namespace assay
