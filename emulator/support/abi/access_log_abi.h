// What lanes note of their accesses for an observer: compiled code writes it (lowering/inline_reports.h and
// lowering/vector/reports.cpp), and the runtime reads it (runtime/event_log.h).
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

/// What lanes of a simdgroup did together, where it runs as one program. Of an access: where. Of a simd
/// operation: each lane's operand. Of a fence: its flags, then memory_order and thread_scope as in
/// RuntimeCall::ObserveFence. Of a threadgroup barrier: nothing but who came.
struct alignas(64) KeptOperation {
  uint64_t words[kSimdWidth]; ///< by lane; those of lanes that are not in the mask mean nothing
  uint32_t site;              ///< in KernelCodeInfo::sites
  uint32_t simdgroup;         ///< index in the threadgroup
  uint32_t mask;
  uint32_t bytes; ///< of an access, by each lane
};

struct AccessLogAbi {
  KeptAccess *next; ///< where the next one goes
  KeptAccess *end;  ///< if that is `next`, the runtime must be called instead
  /// For each site, 0 if the observer does not want accesses there (Observer::wantsAccess). Constant while a
  /// lane runs.
  const uint8_t *wanted;
  KeptOperation *nextOperation, *endOperation; ///< likewise, of code that runs simdgroups
};

} // namespace assay
