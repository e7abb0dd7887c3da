// See event_log.h.
#include "runtime/event_log.h"

#include "runtime/host_mxcsr.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace assay::runtime {

static_assert(offsetof(KeptAccess, site) == 8 && offsetof(KeptAccess, thread) == 12);

// Without an observer nothing is wanted, and nothing is kept.
EventLog::EventLog(const RunPlan &plan) : plan_(plan), wanted_(plan.info.sites.size(), 0) {
  abi_.wanted = wanted_.data();
  if (!plan.observer)
    return;
  if (plan.info.threadsPerCall > 1) {
    operationMemory_ = std::make_unique_for_overwrite<KeptWords[]>(kOperationBytes / sizeof(KeptWords));
    operations_ = reinterpret_cast<uint8_t *>(operationMemory_.get());
    abi_.nextOperation = operations_;
    abi_.lastOperation = operations_ + kOperationBytes - kLongestOperation;
    return;
  }
  entries_ = std::make_unique_for_overwrite<KeptAccess[]>(kMost);
  abi_.next = entries_.get();
  abi_.end = abi_.next + kMost;
  for (const SiteInfo &site : plan.info.sites)
    atomic_.push_back(site.access == AccessKind::Atomic);
}

void EventLog::forgetWaiting() {
  if (std::exchange(anyWaits_, false))
    for (std::vector<Waiting> &waiting : waiting_)
      waiting.clear();
}

void EventLog::begin(const GroupEvent &group) {
  group_ = &group;
  forgetWaiting();
  if (asked_ || !plan_.observer)
    return;
  asked_ = true;
  for (size_t i = 0; i < wanted_.size(); ++i)
    wanted_[i] = plan_.observer->wantsAccess(plan_.info.sites[i]);
}

void EventLog::keep(uint32_t thread, uint32_t site, uint64_t address, uint64_t bytes) {
  if (abi_.next == abi_.end)
    deliver();
  const bool isWide = bytes >= kManyBytes;
  if (isWide)
    wide_.emplace_back(abi_.next, bytes);
  *abi_.next++ = {address, site, uint16_t(thread), isWide ? kManyBytes : uint16_t(bytes)};
}

uint64_t EventLog::bytesOf(const KeptAccess &access) const {
  if (access.bytes != kManyBytes)
    return access.bytes;
  return std::lower_bound(wide_.begin(), wide_.end(), &access,
                          [](const auto &wide, const KeptAccess *entry) { return wide.first < entry; })
      ->second;
}

void EventLog::deliver() {
  if (isEmpty())
    return;
  const HostMxcsr host;
  if (operations_)
    return deliverOperations();
  const bool together = plan_.observer->takesLanesTogether();
  Run runs[kSimdWidth];
  const KeptAccess *const end = abi_.next;
  for (const KeptAccess *at = entries_.get(); at != end;) {
    size_t count = 1;
    runs[0] = runFrom(at);
    at = runs[0].data() + runs[0].size();
    if (together && mayJoin(runs[0])) {
      uint32_t lanes = 1u << runs[0].front().thread % kSimdWidth;
      while (at != end && !(lanes >> at->thread % kSimdWidth & 1)) {
        const Run run = joinedFrom(at, runs[0]);
        if (run.empty())
          break;
        lanes |= 1u << at->thread % kSimdWidth;
        runs[count++] = run;
        at += run.size();
      }
    }
    tell({runs, count});
  }
  abi_.next = entries_.get();
  wide_.clear();
}

EventLog::Run EventLog::runFrom(const KeptAccess *begin) const {
  const KeptAccess *end = begin + 1;
  while (end != abi_.next && end->thread == begin->thread)
    ++end;
  return {begin, end};
}

bool EventLog::mayJoin(Run run) const {
  return std::none_of(run.begin(), run.end(), [&](const KeptAccess &event) {
    return event.bytes == kManyBytes || (event.site != kThreadEnd && atomic_[event.site]);
  });
}

EventLog::Run EventLog::joinedFrom(const KeptAccess *begin, Run first) const {
  const KeptAccess *const end = begin + first.size();
  const uint16_t thread = begin->thread;
  if (size_t(abi_.next - begin) < first.size() || thread / kSimdWidth != first.front().thread / kSimdWidth ||
      (end != abi_.next && end->thread == thread))
    return {};
  // All but the address is one word, in which the thread may differ.
  const auto wordOf = [](const KeptAccess &access) {
    uint64_t word;
    std::memcpy(&word, &access.site, sizeof word);
    return word;
  };
  const uint64_t other = uint64_t(thread ^ first.front().thread) << 32;
  uint64_t differ = 0;
  for (size_t i = 0; i < first.size(); ++i)
    differ |= wordOf(begin[i]) ^ wordOf(first[i]) ^ other;
  if (differ)
    return {};
  return {begin, end};
}

void EventLog::tell(std::span<const Run> runs) {
  const KeptAccess *events[kSimdWidth]; // of each run
  uint32_t lanes[kSimdWidth];
  uint64_t addresses[kSimdWidth];
  uint32_t mask = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    events[i] = runs[i].data();
    lanes[i] = runs[i].front().thread % kSimdWidth;
    mask |= 1u << lanes[i];
  }
  const Run &first = runs[0];
  const uint32_t simdgroup = first.front().thread / kSimdWidth;
  for (size_t at = 0; at < first.size(); ++at) {
    const KeptAccess &event = first[at];
    if (event.site == kThreadEnd) {
      for (const Run &run : runs)
        plan_.observer->threadEnd(*group_, run[at].thread);
      continue;
    }
    for (size_t i = 0; i < runs.size(); ++i)
      addresses[lanes[i]] = events[i][at].address;
    plan_.observer->access(*group_,
                           {&plan_.info.sites[event.site], simdgroup, mask, addresses, bytesOf(event)});
  }
}

void EventLog::deliverOperations() {
  const auto *const end = reinterpret_cast<const KeptOperation *>(abi_.nextOperation);
  for (const auto *at = reinterpret_cast<const KeptOperation *>(operations_); at != end;) {
    const KeptOperation *const first = at;
    while (at != end && (at->distances || plan_.info.sites[at->site].kind == SiteKind::Access))
      at = KeptAccesses::next(at);
    if (first != at)
      plan_.observer->accesses(*group_, {first, at, plan_.info.sites.data()});
    if (at == end)
      break;
    tellMeeting(*at, reinterpret_cast<const KeptWords *>(at + 1)->words);
    at = KeptAccesses::next(at);
  }
  abi_.nextOperation = operations_;
}

void EventLog::tellMeeting(const KeptOperation &operation, const uint64_t *words) {
  const SiteInfo &site = plan_.info.sites[operation.site];
  Observer &observer = *plan_.observer;
  const uint32_t mask = operation.mask;
  switch (site.kind) {
  case SiteKind::ThreadgroupBarrier:
    anyWaits_ = true;
    return void(waiting_[operation.simdgroup].push_back({operation.site, mask}));
  case SiteKind::Fence:
    return observer.fence(*group_, {&site, operation.simdgroup, mask, uint32_t(words[0]),
                                    uint32_t(words[1] & 0xff), uint32_t(words[1] >> 8)});
  case SiteKind::Simd: {
    const void *none[kSimdWidth] = {};
    uint32_t operands[kSimdWidth];
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      operands[lane] = uint32_t(words[lane]);
    return observer.simdOp(*group_, {&site, operation.simdgroup, mask, none, none, operands});
  }
  default: break;
  }
}

} // namespace assay::runtime
