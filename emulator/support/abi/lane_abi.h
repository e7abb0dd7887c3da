// The interface between compiled kernels and the runtime: the memory layout, and the calls from one to the
// other.
//
// Lowering emits loads at these offsets and calls to these symbols; the runtime provides both. The structs
// are plain, so that offsetof is the one definition. Compiled objects are cached, so a change here must
// change kLaneAbiVersion.
#pragma once

#include "access_log_abi.h"
#include "builtins.h"
#include "limits.h"
#include "shadow_abi.h"
#include "tensor_abi.h"

#include <cstddef>
#include <cstdint>

namespace assay {

inline constexpr uint32_t kLaneAbiVersion = 18;

/// The bound memory begins at the offset of the binding. A kernel may also access the bytes before it, back
/// to the beginning of the buffer; kernels with negative strides do so.
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
  const TensorAbi *tensors[kBufferSlots]; ///< of a tensor in a buffer's slot, else null
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

/// What one call of a kernel's code runs: a thread, or a simdgroup (KernelCodeInfo::threadsPerCall). The
/// built-ins of a simdgroup are those of its first thread. In memory, the runtime's own state of a lane
/// follows this struct. If one call runs whole threadgroups, the struct is that of their first simdgroup.
struct LaneAbi {
  GroupAbi *group;
  uint32_t *loop;                     ///< KernelCodeInfo::loopCounters counters, see SiteInfo::loops
  uint8_t *published;                 ///< KernelCodeInfo::publishedBytes of each thread
  uint32_t builtin[kBuiltinCount][3]; ///< those of BuiltinScope::Lane
  /// Of a simdgroup: how many threads it has. They are the first ones of 32.
  uint32_t lanes;
  /// Of a simdgroup: the thread in it for which the code calls the runtime.
  uint32_t current;
  /// Of a simdgroup: [3][32], the place of each thread in the threadgroup, x first.
  const uint32_t *positions;
  /// The number of the call that runs, in its threadgroup. Code that runs whole threadgroups writes it.
  uint32_t thread;
  /// For such code (KernelCodeInfo::wholeThreadgroups): it runs the calls from `thread` to before
  /// `endThread`, in a threadgroup of `threadsInGroup` threads.
  uint32_t endThread;
  uint32_t threadsInGroup;
  /// For code that takes turns (KernelCodeInfo::takesTurns), which is called with the first simdgroup of a
  /// threadgroup: the next simdgroup; null if this is the last one.
  LaneAbi *next;
  /// KernelCodeInfo::frameBytes: what the simdgroup keeps while it waits.
  uint8_t *frame;
  /// Such code writes both: where the simdgroup will continue, and the site of the barrier at which it waits.
  uint32_t resume, waitsAt;
  /// For code that observes memory.
  AccessLogAbi *accesses;
};

using KernelEntry = void (*)(LaneAbi *);

/// Values of LaneAbi::resume; the code defines the others itself.
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
