// Finds races: two threads access the same byte, at least one of them writes, not both accesses are atomic,
// and neither happened before the other.
//
// Exact.   The checker decides for each access whether it races with an earlier one. It reports one such
//          pair, the gravest that the shadow still holds: a race between threadgroups comes before a race
//          between simdgroups, which comes before a race between lanes. Among equal races, it reports the
//          oldest.
// Same value. A write of the value that is already there is a race, too: Metal does not promise what two
//          simultaneous writes leave, and the next edit may make the values differ.
// Fast.    Most accesses are decided without touch(), and for several lanes at once (cell_shortcuts.h,
//          shared_addresses.h). Buffers that the dispatch only reads are not checked (read_only_memory.h).
//          Way::Each uses none of these shortcuts; tests compare it with the fast way.
// Limit.   Metal does not order what one threadgroup does before another one begins, but here it is ordered.
//          A thread that waits for an atomic flag of a later threadgroup waits for ever (no-progress).
#pragma once

#include "cell_shortcuts.h"
#include "checker.h"
#include "memory_names.h"
#include "publications.h"
#include "read_only_memory.h"
#include "shared_addresses.h"

#include <optional>

namespace assay::validation {

class RaceChecker : public Checker {
public:
  /// Each: without shortcuts, for comparison.
  enum class Way : uint8_t { Short, Each };
  explicit RaceChecker(const CheckContext &context, Way way = Way::Short) : Checker(context), way_(way) {}
  bool wantsMemory() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override;
  void dispatchBegin(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void barrier(const GroupEvent &, const BarrierEvent &) override;
  void simdOp(const GroupEvent &, const SimdEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;
  void fence(const GroupEvent &, const FenceEvent &) override;

private:
  struct Use { ///< of a site
    Touch touch;
    bool looksAt = true;              ///< false: it reads constant memory
    std::optional<MemorySpace> space; ///< if it is the same at each access
  };
  struct Race {
    CheckRule rule;
    AccessRecord earlier;
    uint64_t address;
  };
  using Races = std::vector<Race>; ///< of one access: one of each rule
  struct Now : CellAccess {        ///< the access at hand
    uint32_t thread;
  };
  ShadowMemory &shadowOf(MemorySpace space) {
    return space == MemorySpace::Threadgroup ? threadgroup_ : device_;
  }
  void accessAlike(const GroupEvent &group, const AccessEvent &event, Now &now);
  uint32_t accessRow(const AccessEvent &event, const SharedAddresses &shared, Now &now, uint32_t lane,
                     uint32_t mask);
  void accessByOne(const GroupEvent &group, const AccessEvent &event, Now &now, uint64_t address);
  Use useOf(const SiteInfo &site) const;
  void touch(ShadowCell &cell, uint64_t word, const Now &now, Races &races);
  void insert(ShadowCell &cell, const Now &now);
  void thin(ShadowCell &cell, MemorySpace space);
  CheckRule ruleOf(const Now &now, const AccessRecord &earlier) const;
  void report(const GroupEvent &group, const SiteInfo &site, const Now &now, const Race &race);
  struct Between {
    bool inOrder; ///< the earlier place comes first in the program, too
    std::string text;
    uint32_t line = 0; ///< of both places, if it is the same one and both write
  };
  Between betweenOf(const SourcePlace &where, const SourcePlace &other, const Now &now, bool sameGroup,
                    const Race &race) const;
  std::string hintFor(CheckRule rule, const Between &between, const Now &now,
                      const AccessRecord &record) const;

  const Way way_;
  std::vector<Use> uses_; ///< by site
  ReadOnlyMemory readOnly_;
  std::optional<MemoryNames> names_;
  const KernelCodeInfo *code_ = nullptr;
  uint32_t groups_[3] = {1, 1, 1}; ///< in the grid
  HappensBefore order_;
  Publications publications_;
  ShadowMemory device_, threadgroup_;
};

} // namespace assay::validation
