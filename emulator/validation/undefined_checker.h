// Finds decisions that depend on unwritten values: of variables, of threadgroup memory, and of buffers that
// the host has poisoned.
//
// The kernel itself computes which bits are undefined (lowering/shadow_values.h). The checker holds the
// shadows of the memory that threads share, moves them through simd operations (simd_shadows.h), and makes
// findings of the decisions that the kernel reports.
//
// A result that Metal does not define, such as that of a division by zero, is undefined as well
// (lowering/undefined_results.h).
//
// Threadgroup memory is undefined when a threadgroup begins. A buffer is undefined where UnwrittenMemory says
// so, and what a kernel writes is defined for later dispatches, too.
#pragma once

#include "checker.h"
#include "memory_names.h"

#include "../support/abi/shadow_abi.h"

#include <optional>
#include <vector>

namespace assay::validation {

class UndefinedChecker : public Checker {
public:
  UndefinedChecker(const CheckContext &context, std::vector<UnwrittenMemory> unwritten);
  TrackUndefined tracksUndefined() const override { return tracks_; }
  ShadowAbi *shadows() override { return &abi_; }
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void simdOp(const GroupEvent &, const SimdEvent &) override;
  void undefined(const GroupEvent &, const UndefinedEvent &) override;
  void written(uint64_t address, uint64_t bytes) override;

private:
  struct Source {
    CheckRule rule;
    SourcePlace where;
    std::string what; ///< "acc, which nobody has written"
    std::string note; ///< at its place
    std::string hint;
  };
  Source sourceOf(const GroupEvent &group, uint64_t origin) const;
  /// The kind of birth of an origin that is not a load.
  BirthKind birthKindOf(uint64_t origin) const;
  CheckRule ruleOf(uint64_t origin) const;
  SourcePlace placeOf(uint64_t origin) const;

  const std::vector<UnwrittenMemory> unwritten_;
  TrackUndefined tracks_ = TrackUndefined::No;
  const KernelCodeInfo *code_ = nullptr;
  const DispatchAbi *dispatch_ = nullptr;
  std::optional<MemoryNames> names_;
  std::vector<uint8_t> arena_;
  std::vector<uint64_t> arenaOrigins_;
  std::vector<LaneShadow> lanes_ = std::vector<LaneShadow>(kMaxThreadsPerThreadgroup);
  size_t arenaBytes_ = 0;
  ShadowAbi abi_ = {};
};

} // namespace assay::validation
