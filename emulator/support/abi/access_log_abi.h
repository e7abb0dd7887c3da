// What lanes note of their accesses for an observer: compiled code writes it (lowering/inline_reports.h), and
// the runtime reads it (runtime/event_log.h).
#pragma once

#include "limits.h"

#include <cstdint>

namespace assay {

/// One access of one lane.
struct KeptAccess {
  uint64_t address;
  uint32_t site;   ///< in KernelCodeInfo::sites
  uint16_t thread; ///< thread_index_in_threadgroup
  uint16_t bytes;  ///< less than kManyBytes
};
inline constexpr uint16_t kManyBytes = 0xFFFF;
static_assert(kMaxThreadsPerThreadgroup <= UINT16_MAX + 1);

struct AccessLogAbi {
  KeptAccess *next; ///< where the next one goes
  KeptAccess *end;  ///< if that is `next`, the runtime must be called instead
  /// For each site, 0 if the observer does not want accesses there (Observer::wantsAccess). Constant while a
  /// lane runs.
  const uint8_t *wanted;
};

} // namespace assay
