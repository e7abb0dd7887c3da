// Threads that wait for another threadgroup: they poll device memory until it has written something.
//
// Metal does not promise that two threadgroups run at the same time. One that waits may keep another one from
// beginning; then both stand still. It may wait for one that is known to have begun, since it has read
// something else that the other one wrote before: a ticket, for instance.
// A loop waits if it ends only by what its atomic loads return (lowering/spin.h).
//
// In a checked run threadgroups come one after the other. So what an earlier one has written is there at
// once, and what a later one will write never comes: then the dispatch ends with no-progress.
// Limit.  Waiting by compare-and-exchange or by updates, such as a lock, is not looked at, nor by accesses
//         that are not atomic.
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
