// The interface of compiled kernels and the runtime: the memory layout, and the calls from one to the other.
//
// Lowering emits loads at these offsets and calls to these symbols; the runtime provides both. The structs
// are plain, so that offsetof is the one definition. Compiled objects are cached, so a change here must
// change kLaneAbiVersion.
#pragma once

#include "access_log_abi.h"
#include "builtins.h"
#include "limits.h"
#include "shadow_abi.h"

#include <cstddef>
#include <cstdint>

namespace assay {

inline constexpr uint32_t kLaneAbiVersion = 14;

/// What is bound begins at the offset of the binding. A kernel may also go back from there, to the begin of
/// the buffer: negative strides do.
struct BufferAbi {
  uint8_t *base;  ///< where the kernel's pointer points; null if the slot is not bound
  uint64_t bytes; ///< from there on
  uint64_t before = 0;

  uint8_t *begin() const { return base - before; }
  uint64_t allBytes() const { return before + bytes; }
};

/// One dispatch. Read-only while it runs.
struct DispatchAbi {
  BufferAbi buffers[kBufferSlots];
  uint32_t threadgroupOffset[kThreadgroupSlots]; ///< of each dynamic slot in the arena, bytes
  uint32_t threadgroupBytes[kThreadgroupSlots];
};

struct LaneAbi;

/// One threadgroup. Static threadgroup variables start at arena offset 0, dynamic slots after them.
struct GroupAbi {
  const DispatchAbi *dispatch;
  uint8_t *arena;
  uint32_t builtin[kBuiltinCount][3]; ///< those of BuiltinScope::Group
  /// Code that takes turns (KernelCodeInfo::takesTurns) writes it: the simdgroup that runs.
  LaneAbi *running;
};

/// What one call of a kernel's code runs: a thread, or a simdgroup (KernelCodeInfo::threadsPerCall), whose
/// built-ins are those of its first thread. The runtime's own state of a lane follows it. Where one call of
/// the code runs whole threadgroups, all this is of the first of their simdgroups.
struct LaneAbi {
  GroupAbi *group;
  uint32_t *loop;                     ///< KernelCode::loopCounters counters, see SiteInfo::loops
  uint8_t *published;                 ///< KernelCode::publishedBytes of each thread, see SiteInfo::published
  uint32_t builtin[kBuiltinCount][3]; ///< those of BuiltinScope::Lane
  /// A simdgroup: threads that it has, the first ones of 32.
  uint32_t lanes;
  /// A simdgroup: the thread in it that a call of the runtime is made for.
  uint32_t current;
  /// A simdgroup: [3][32], the place of each thread in the threadgroup, x first.
  const uint32_t *positions;
  /// The number of the call that runs, in its threadgroup. Code that runs whole threadgroups writes it.
  uint32_t thread;
  /// For such code (KernelCodeInfo::wholeThreadgroups): it runs the calls from `thread` on that come before
  /// `endThread`, of a threadgroup with so many threads.
  uint32_t endThread;
  uint32_t threadsInGroup;
  /// For code that takes turns (KernelCodeInfo::takesTurns), which is called with the first simdgroup of a
  /// threadgroup: the one after this; null after the last.
  LaneAbi *next;
  /// KernelCodeInfo::frameBytes: what the simdgroup keeps while it waits.
  uint8_t *frame;
  /// Such code writes both: where the simdgroup goes on, and the site of the barrier that it waits at.
  uint32_t resume, waitsAt;
  /// Of code that observes memory.
  AccessLogAbi *accesses;
};

using KernelEntry = void (*)(LaneAbi *);

/// LaneAbi::resume; others are numbers of the code's own.
inline constexpr uint32_t kResumeAtBegin = 0, kResumeNever = 0xFFFFFFFFu;

inline constexpr uint32_t kUncheckedSite = 0xFFFFFFFFu;

#define ASSAY_END_Returns
#define ASSAY_END_MayEnd
#define ASSAY_END_Never [[noreturn]]
extern "C" {
#define ASSAY_RUNTIME_CALL(name, symbol, result, parameters, memory, end, waits)                             \
  ASSAY_END_##end result assay_rt_##symbol parameters;
#include "runtime_calls.def"
#undef ASSAY_RUNTIME_CALL
}
#undef ASSAY_END_Returns
#undef ASSAY_END_MayEnd
#undef ASSAY_END_Never

} // namespace assay
