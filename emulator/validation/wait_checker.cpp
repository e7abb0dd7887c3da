// See wait_checker.h.
#include "validation/wait_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {
namespace {

// Who polls so often when the dispatch ends in a fault was waiting.
constexpr uint64_t kManyPolls = 1000;

constexpr const char *kHint = "threadgroups of one dispatch need not run at the same time: use two "
                              "dispatches, or let threadgroups take "
                              "numbers from an atomic counter and wait for lower ones only";

} // namespace

void WaitChecker::dispatchBegin(const DispatchEvent &event) {
  names_.emplace(event, context().arguments);
  waits_ = std::any_of(event.code->sites.begin(), event.code->sites.end(),
                       [](const SiteInfo &site) { return site.polled; });
  for (int axis = 0; axis < 3; ++axis)
    groups_[axis] =
        (event.gridThreads[axis] + event.threadsPerThreadgroup[axis] - 1) / event.threadsPerThreadgroup[axis];
  begun_ = 0;
  locations_.clear();
  running_.reset();
}

void WaitChecker::groupBegin(const GroupEvent &group) {
  group_ = group.position[0] + groups_[0] * (group.position[1] + groups_[1] * group.position[2]);
  ++begun_;
  running_ = group;
  known_.clear();
  if (waits_)
    polls_.assign(group.threadCount(), {});
}

void WaitChecker::groupEnd(const GroupEvent &) {
  running_.reset();
}

std::string WaitChecker::positionText(uint32_t index) const {
  const uint32_t position[3] = {index % groups_[0], index / groups_[0] % groups_[1],
                                index / groups_[0] / groups_[1]};
  return groupText(position);
}

void WaitChecker::access(const GroupEvent &group, const AccessEvent &event) {
  const SiteInfo &site = *event.site;
  if (!wantsAccess(site))
    return;
  event.forEachThread([&](uint32_t thread, uint64_t address) {
    if (spaceOf(site, group, address) != MemorySpace::Device)
      return;
    if (site.polled)
      poll(group, site, thread, address);
    else
      polls_[thread] = {};
    if (site.atomic != AtomicKind::Store)
      if (const auto found = locations_.find(address); found != locations_.end())
        known_.insert(found->second.writers.begin(), found->second.writers.end());
    if (site.atomic == AtomicKind::Load)
      return;
    Location &location = locations_[address];
    location.writer = group_;
    location.site = &site;
    location.writers.insert(group_);
  });
}

void WaitChecker::poll(const GroupEvent &group, const SiteInfo &site, uint32_t thread, uint64_t address) {
  Poll &last = polls_[thread];
  last = last.site == &site && last.address == address ? Poll{&site, address, last.count + 1}
                                                       : Poll{&site, address, 1};
  const auto found = locations_.find(address);
  if (found == locations_.end() || found->second.writer == group_ || known_.contains(found->second.writer))
    return;
  const Location &location = found->second;
  findings().add(CheckRule::ThreadgroupWait, site.where, location.site->where, true, [&]() -> FindingText {
    return {fmt::format("{} of {} waits here for what {} writes to {}", threadText(thread),
                        groupText(group.position), positionText(location.writer),
                        names_->of(site, group, address)),
            fmt::format("the write by {}", positionText(location.writer)), kHint};
  });
}

// A threadgroup that has not ended, and others that could not begin.
void WaitChecker::dispatchEnd(const DispatchEvent &) {
  const uint64_t all = uint64_t(groups_[0]) * groups_[1] * groups_[2];
  if (!waits_ || !running_ || begun_ == all)
    return;
  for (uint32_t thread = 0; thread < polls_.size(); ++thread) {
    const Poll &last = polls_[thread];
    if (last.count < kManyPolls)
      continue;
    findings().add(CheckRule::ThreadgroupWait, last.site->where, [&]() -> FindingText {
      return {fmt::format("{} of {} waits here for another value of {}, and {} of {} threadgroups have not "
                          "begun",
                          threadText(thread), groupText(running_->position),
                          names_->of(*last.site, *running_, last.address), all - begun_, all),
              "", kHint};
    });
  }
}

} // namespace assay::validation
