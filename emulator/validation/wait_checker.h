// Finds threads that wait for another threadgroup: they poll device memory until it has written something.
//
// Metal does not promise that two threadgroups run at the same time. A threadgroup that waits may keep
// another one from beginning, and then neither continues. It is allowed to wait for a threadgroup that is
// known to have begun, because the waiting one has read something else that the other wrote before, for
// example a ticket. A loop waits if only the results of its atomic loads can end it (lowering/spin.h).
//
// In a checked run, threadgroups run one after the other. So what an earlier threadgroup has written is there
// at once. What a later one will write never comes, and the dispatch ends with no-progress.
// Limit.  Waiting by compare-and-exchange, by updates (a lock, for example) or by accesses that are not
//         atomic is not checked.
#pragma once

#include "checker.h"
#include "memory_names.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace assay::validation {

class WaitChecker : public Checker {
public:
  using Checker::Checker;
  bool wantsMemory() const override { return true; }
  bool wantsAccess(const SiteInfo &site) const override {
    return waits_ && site.access == AccessKind::Atomic;
  }
  void dispatchBegin(const DispatchEvent &) override;
  void dispatchEnd(const DispatchEvent &) override;
  void groupBegin(const GroupEvent &) override;
  void groupEnd(const GroupEvent &) override;
  void access(const GroupEvent &, const AccessEvent &) override;

private:
  struct Location {
    uint32_t writer = 0; ///< the last one, by its index in the grid
    const SiteInfo *site = nullptr;
    std::set<uint32_t> writers;
  };
  struct Poll { ///< the last access of a thread
    const SiteInfo *site = nullptr;
    uint64_t address = 0, count = 0;
  };
  void poll(const GroupEvent &group, const SiteInfo &site, uint32_t thread, uint64_t address);
  std::string positionText(uint32_t index) const;

  bool waits_ = false; ///< the kernel has such a loop
  std::optional<MemoryNames> names_;
  uint32_t groups_[3] = {1, 1, 1};
  uint64_t begun_ = 0;
  uint32_t group_ = 0;
  std::optional<GroupEvent> running_;
  std::unordered_map<uint64_t, Location> locations_;
  std::set<uint32_t> known_; ///< threadgroups that this one knows to have begun
  std::vector<Poll> polls_;  ///< by thread
};

} // namespace assay::validation
