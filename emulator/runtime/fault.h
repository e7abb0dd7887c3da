// The fault that ended a dispatch, and the report of it.
//
// A fault is recorded on the stack of a lane, or in a signal handler, so the record is plain numbers. Names,
// places and sentences are added later, on the worker's own stack.
#pragma once

#include "runtime/run_plan.h"
#include "runtime/texture_sample.h"
#include "runtime/wrapped_index.h"

#include <vector>

namespace assay::runtime {

inline constexpr uint32_t kNoSite = ~0u;

enum class FaultKind : uint8_t {
  OutOfBounds,
  StackOverflow,
  Trap,
  NoProgress,
  PartialSimdgroup,
  Texture,
  Assertion,
  Refused,
  NoFunction
};

struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  uint32_t thread = 0;     ///< index in the threadgroup
  uint32_t site = kNoSite; ///< where it called the runtime
  /// Assertion: of the text. Refused: of the text, and a number of simdgroups. NoFunction: value and size.
  uint64_t address = 0, bytes = 0;
  uintptr_t pc = 0;         ///< where it was interrupted, or 0
  int signal = 0;           ///< Trap
  uint32_t lanes = 0;       ///< PartialSimdgroup: those that met
  IndexOperands index = {}; ///< OutOfBounds: of SiteInfo::index

  // FaultKind::Texture
  TextureMistake mistake = TextureMistake::None;
  uint64_t texture = 0; ///< handle
  bool sampled = false; ///< with a sampler
  uint32_t texel[__assay_texture::kWhereWords] = {};
};

/// Elsewhere: the simdgroup runs as one program, and the thread is not where the others are; it may have
/// ended.
enum class Standing : uint8_t { Ended, NotStarted, Running, Ready, AtSimd, AtBarrier, Spinning, Elsewhere };

/// Where one thread of a threadgroup stands.
struct ThreadStanding {
  Standing standing = Standing::NotStarted;
  uint32_t site = kNoSite; ///< the last one it reached
  uintptr_t pc = 0;        ///< Running: where, if it was interrupted
};

/// FaultKind::Texture; see fault_texture.cpp.
Error describeTextureFault(const RunPlan &plan, const SiteInfo &site, const Fault &fault);

/// Adds a note that says which thread it was. `thread` is its index in the threadgroup.
void addThread(Error &error, const RunPlan &plan, const GroupAbi &group, uint32_t thread);

/// The report: an error, then notes that belong to it.
///   standings   by thread, for FaultKind::NoProgress and PartialSimdgroup; may be empty for the others
Error describeFault(const RunPlan &plan, const GroupAbi &group, const Fault &fault,
                    const std::vector<ThreadStanding> &standings);

} // namespace assay::runtime
