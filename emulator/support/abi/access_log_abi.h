// The log of the accesses of lanes, for an observer. Compiled code writes it (lowering/inline_reports.h and
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

/// What lanes of a simdgroup did together, in code that runs the simdgroup as one program. An access has the
/// address of each lane, and a simd operation the operand of each lane. A fence has its flags, then
/// memory_order and thread_scope as in RuntimeCall::ObserveFence. A threadgroup barrier has only the mask of
/// lanes that came. If the distances between lanes were known to the compiler, `distances` gives them;
/// otherwise KeptWords follow.
struct alignas(32) KeptOperation {
  uint64_t base;            ///< with distances: the address of lane 0, also if that takes no part
  const int64_t *distances; ///< 32, by lane, from lane 0; or null
  uint32_t site;            ///< in KernelCodeInfo::sites
  uint32_t simdgroup;       ///< index in the threadgroup
  uint32_t mask;
  uint32_t bytes; ///< of an access, by each lane
};
struct alignas(32) KeptWords {
  uint64_t words[kSimdWidth]; ///< by lane; those of lanes that are not in the mask mean nothing
};

struct AccessLogAbi {
  KeptAccess *next; ///< where the next one goes
  KeptAccess *end;  ///< if that is `next`, the runtime must be called instead
  /// For each site, 0 if the observer does not want accesses there (Observer::wantsAccess). Constant while a
  /// lane runs.
  const uint8_t *wanted;
  /// The same for code that runs simdgroups. At `lastOperation` there is still room for one operation with
  /// words.
  uint8_t *nextOperation, *lastOperation;
};

} // namespace assay
