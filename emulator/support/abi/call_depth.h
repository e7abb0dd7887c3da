// How deep a function may call itself. Metal publishes no depth for direct calls: both limits are ours.
#pragma once

#include <cstdint>

namespace assay {

inline constexpr uint32_t kMaxCallDepth = 1024;
inline constexpr uint32_t kMinCallDepth = 8;          ///< a function with less room is refused
inline constexpr uint32_t kCallStackBytes = 64 << 10; ///< for each thread: fewer calls of a large function

} // namespace assay
