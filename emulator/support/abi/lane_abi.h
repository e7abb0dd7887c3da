// What compiled kernels and the runtime share: memory layout and the calls from one to the other.
//
// Lowering emits loads at these offsets and calls to these symbols; the runtime provides both. The structs
// are plain, so that offsetof is the one definition. Compiled objects are cached, so a change here must
// change kLaneAbiVersion.
#pragma once

#include "builtins.h"
#include "limits.h"

#include <cstddef>
#include <cstdint>

namespace assay {

inline constexpr uint32_t kLaneAbiVersion = 6;

struct BufferAbi {
  uint8_t *base; ///< null if the slot is not bound
  uint64_t bytes;
};

/// One dispatch. Read-only while it runs.
struct DispatchAbi {
  BufferAbi buffers[kBufferSlots];
  uint32_t threadgroupOffset[kThreadgroupSlots]; ///< of each dynamic slot in the arena, bytes
  uint32_t threadgroupBytes[kThreadgroupSlots];
};

/// One threadgroup. Static threadgroup variables start at arena offset 0, dynamic slots after them.
struct GroupAbi {
  const DispatchAbi *dispatch;
  uint8_t *arena;
  uint32_t builtin[kBuiltinCount][3]; ///< those of BuiltinScope::Group
};

/// One thread. The runtime's own state of a lane follows it.
struct LaneAbi {
  GroupAbi *group;
  uint32_t *loop;                     ///< KernelCode::loopCounters counters, see SiteInfo::loops
  uint8_t *published;                 ///< KernelCode::publishedBytes, see SiteInfo::published
  uint32_t builtin[kBuiltinCount][3]; ///< those of BuiltinScope::Lane
};

using KernelEntry = void (*)(LaneAbi *);

inline constexpr uint32_t kUncheckedSite = 0xFFFFFFFFu;

// Symbols that compiled kernels may call; `site` indexes KernelCode::sites.
extern "C" {
void assay_rt_threadgroup_barrier(LaneAbi *lane, uint32_t site, uint32_t flags);
void assay_rt_simd_op(LaneAbi *lane, uint32_t site, const void *in, void *out, uint32_t operand);
/// In every loop that polls an atomic: after many calls without a switch the lane lets the others run.
void assay_rt_spin(LaneAbi *lane, uint32_t site);
/// A call of os_log: a __assay_log_record of msl_shim/detail/log_record.h.
void assay_rt_log(LaneAbi *lane, uint32_t site, const void *record);
/// An assert whose expression was false: its text. Ends the dispatch; does not return.
void assay_rt_assertion_failed(LaneAbi *lane, uint32_t site, const void *expression);
/// SiteKind::PointerCall: `value` is the pointer. SiteKind::TableEntry: `value` is the index and `size` the
/// number of entries. Ends the dispatch; does not return.
void assay_rt_no_function(LaneAbi *lane, uint32_t site, uint64_t value, uint64_t size);
/// A probe's value: SiteInfo::count elements of SiteInfo::type. Nothing happens without an observer.
void assay_rt_probe(LaneAbi *lane, uint32_t site, const void *value);
/// An access that the inline check refused. Ends the dispatch; does not return.
[[noreturn]] void assay_rt_out_of_bounds(LaneAbi *lane, uint32_t site, uint64_t address, uint64_t bytes);
/// An access whose memory is not known at compile time. Returns if [address, address+bytes) lies in one bound
/// buffer, the threadgroup's arena, this lane's stack, or the kernel's constants; otherwise acts as
/// assay_rt_out_of_bounds.
void assay_rt_check_access(LaneAbi *lane, uint32_t site, uint64_t address, uint64_t bytes);
/// Only in pipelines built to observe memory: called before each access.
void assay_rt_observe_access(LaneAbi *lane, uint32_t site, uint64_t address, uint64_t bytes);

// Textures: handles, `where` and `request` as in msl_shim/detail/texture_request.h; a texel is four words.
// The dispatch knows what is bound (runtime/dispatch.h); compiled code knows no layout of textures. An access
// outside its texture ends the dispatch; in pipelines without bounds checks (kUncheckedSite) it reads zeros,
// or writes nothing.
void assay_rt_texture_read(LaneAbi *lane, uint32_t site, uint64_t texture, const uint32_t *where,
                           uint32_t *texel);
void assay_rt_texture_write(LaneAbi *lane, uint32_t site, uint64_t texture, const uint32_t *where,
                            const uint32_t *texel);
void assay_rt_texture_atomic(LaneAbi *lane, uint32_t site, uint64_t texture, const void *request,
                             uint32_t *texel);
void assay_rt_texture_sample(LaneAbi *lane, uint32_t site, uint64_t texture, uint64_t sampler,
                             const void *request, uint32_t *texel);
uint32_t assay_rt_texture_query(LaneAbi *lane, uint64_t texture, uint32_t query, uint32_t level);
}

} // namespace assay
