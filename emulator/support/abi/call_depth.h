// How deep a function may call itself, and how code says that it went deeper. Metal publishes no depth for
// direct calls: both limits are ours.
#pragma once

#include <cstdint>

namespace assay {

inline constexpr uint32_t kMaxCallDepth = 1024;
inline constexpr uint32_t kMinCallDepth = 8;          ///< a function with less room is refused
inline constexpr uint32_t kCallStackBytes = 64 << 10; ///< for each thread: fewer calls of a large function

/// The call that ends a kernel at a missing entry of a function table has this number of entries, and the
/// greatest depth as its index, where a function calls itself too often. No table is as large.
inline constexpr uint32_t kCallsTooDeep = UINT32_MAX;

} // namespace assay
