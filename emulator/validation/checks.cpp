// See checks.h.
#include "validation/checks.h"

#include "validation/alignment_checker.h"
#include "validation/barrier_checker.h"
#include "validation/lane_checker.h"
#include "validation/matrix_checker.h"
#include "validation/race_checker.h"
#include "validation/undefined_checker.h"
#include "validation/wait_checker.h"

#include <algorithm>
#include <utility>

namespace assay::validation {

Checks::Checks(CheckRules rules, std::vector<ArgumentInfo> arguments, Observer *next,
               std::vector<UnwrittenMemory> unwritten, bool shortcuts)
    : arguments_(std::move(arguments)), findings_(std::make_unique<Findings>(rules)) {
  const CheckContext context{*findings_, arguments_};
  CheckRules races = rules;
  races.set(CheckRule::MisalignedAccess, false);
  races.set(CheckRule::ThreadgroupWait, false);
  races.set(CheckRule::MatrixLanes, false);
  if (races.needMemory())
    checkers_.push_back(
        std::make_unique<RaceChecker>(context, shortcuts ? RaceChecker::Way::Short : RaceChecker::Way::Each));
  if (rules.has(CheckRule::MisalignedAccess))
    checkers_.push_back(std::make_unique<AlignmentChecker>(context));
  if (rules.has(CheckRule::MatrixLanes))
    checkers_.push_back(std::make_unique<MatrixChecker>(context));
  if (rules.has(CheckRule::ThreadgroupWait))
    checkers_.push_back(std::make_unique<WaitChecker>(context));
  checkers_.push_back(std::make_unique<BarrierChecker>(context));
  checkers_.push_back(std::make_unique<LaneChecker>(context));
  if (rules.needValues()) {
    auto values = std::make_unique<UndefinedChecker>(context, std::move(unwritten));
    ofValues_ = values.get();
    checkers_.push_back(std::move(values));
  }
  for (const auto &checker : checkers_)
    add(*checker);
  if (next)
    add(*next);
}

void Checks::add(Observer &next) {
  all_.push_back(&next);
  if (next.wantsMemory())
    ofMemory_.push_back(&next);
}

Checks::~Checks() = default;

std::vector<Finding> Checks::takeFindings() {
  return findings_->take();
}

bool Checks::wantsMemory() const {
  return !ofMemory_.empty();
}

bool Checks::takesLanesTogether() const {
  return std::all_of(ofMemory_.begin(), ofMemory_.end(),
                     [](const Observer *observer) { return observer->takesLanesTogether(); });
}

uint32_t Checks::interestIn(const SiteInfo &site) const {
  uint32_t interest = 0;
  for (size_t i = 0; i < ofMemory_.size(); ++i)
    interest |= uint32_t(ofMemory_[i]->wantsAccess(site)) << i;
  return interest;
}

bool Checks::wantsAccess(const SiteInfo &site) const {
  return interestIn(site) != 0;
}

// Only one observer can have the shadows.
TrackUndefined Checks::tracksUndefined() const {
  return ofValues_ ? ofValues_->tracksUndefined() : TrackUndefined::No;
}
ShadowAbi *Checks::shadows() {
  return ofValues_ ? ofValues_->shadows() : nullptr;
}
void Checks::undefined(const GroupEvent &group, const UndefinedEvent &event) {
  if (ofValues_)
    ofValues_->undefined(group, event);
}
void Checks::written(uint64_t address, uint64_t bytes) {
  if (ofValues_)
    ofValues_->written(address, bytes);
}

void Checks::unwrittenVariable() {
  for (Observer *observer : all_)
    observer->unwrittenVariable();
}

void Checks::dispatchBegin(const DispatchEvent &event) {
  for (Observer *observer : all_)
    observer->dispatchBegin(event);
  sites_ = event.code->sites.data();
  interest_.clear();
  atOnce_ = anyInterest_ = 0;
  for (size_t i = 0; i < ofMemory_.size(); ++i)
    atOnce_ |= uint32_t(ofMemory_[i]->takesAccessesAtOnce()) << i;
  for (const SiteInfo &site : event.code->sites)
    anyInterest_ |= interestIn(site);
}
void Checks::dispatchEnd(const DispatchEvent &event) {
  for (Observer *observer : all_)
    observer->dispatchEnd(event);
}
void Checks::groupBegin(const GroupEvent &group) {
  for (Observer *observer : all_)
    observer->groupBegin(group);
}
void Checks::groupEnd(const GroupEvent &group) {
  for (Observer *observer : all_)
    observer->groupEnd(group);
}
void Checks::barrier(const GroupEvent &group, const BarrierEvent &event) {
  for (Observer *observer : all_)
    observer->barrier(group, event);
}
void Checks::simdOp(const GroupEvent &group, const SimdEvent &event) {
  for (Observer *observer : all_)
    observer->simdOp(group, event);
}
uint32_t Checks::interestAt(size_t number) {
  while (interest_.size() <= number) [[unlikely]]
    interest_.push_back(interestIn(sites_[interest_.size()]));
  return interest_[number];
}
void Checks::access(const GroupEvent &group, const AccessEvent &event) {
  for (uint32_t rest = interestAt(size_t(event.site - sites_)); rest; rest &= rest - 1)
    ofMemory_[size_t(__builtin_ctz(rest))]->access(group, event);
}
void Checks::spacedAccess(const GroupEvent &group, const SpacedAccess &event) {
  for (uint32_t rest = interestAt(event.number); rest; rest &= rest - 1)
    ofMemory_[size_t(__builtin_ctz(rest))]->spacedAccess(group, event);
}
void Checks::accesses(const GroupEvent &group, const KeptAccesses &kept) {
  for (uint32_t rest = anyInterest_ & atOnce_; rest; rest &= rest - 1)
    ofMemory_[size_t(__builtin_ctz(rest))]->accesses(group, kept);
  const uint32_t others = anyInterest_ & ~atOnce_;
  if (!others)
    return;
  kept.forEach(
      [&](const SpacedAccess &event) {
        for (uint32_t rest = interestAt(event.number) & others; rest; rest &= rest - 1)
          ofMemory_[size_t(__builtin_ctz(rest))]->spacedAccess(group, event);
      },
      [&](const AccessEvent &event) {
        for (uint32_t rest = interestAt(size_t(event.site - sites_)) & others; rest; rest &= rest - 1)
          ofMemory_[size_t(__builtin_ctz(rest))]->access(group, event);
      });
}
void Checks::fence(const GroupEvent &group, const FenceEvent &event) {
  for (Observer *observer : ofMemory_)
    observer->fence(group, event);
}
void Checks::probe(const GroupEvent &group, const ProbeEvent &event) {
  for (Observer *observer : all_)
    observer->probe(group, event);
}
void Checks::threadEnd(const GroupEvent &group, uint32_t threadIndex) {
  for (Observer *observer : all_)
    observer->threadEnd(group, threadIndex);
}

} // namespace assay::validation
