// See happens_before.h.
#include "validation/happens_before.h"

#include <algorithm>

namespace assay::validation {
namespace {

bool names(uint32_t flags, size_t space) {
  return flags >> space & 1;
}

} // namespace

void HappensBefore::dispatchBegin(bool fences) {
  usesFences_ = fences;
  fences_.dispatchBegin();
}

void HappensBefore::groupBegin(uint32_t group, uint32_t threads) {
  group_ = group;
  threads_ = threads;
  passed_ = 0;
  barriers_ = {};
  places_.clear();
  clocks_.assign(threads, 0);
  simdgroups_.resize((threads + kSimdWidth - 1) / kSimdWidth);
  for (Simdgroup &simdgroup : simdgroups_)
    simdgroup = Simdgroup();
  if (usesFences_)
    fences_.groupBegin(group, threads);
}

uint32_t HappensBefore::lanesIn(uint32_t simdgroup) const {
  const uint32_t lanes = std::min(kSimdWidth, threads_ - simdgroup * kSimdWidth);
  return lanes == kSimdWidth ? ~0u : (1u << lanes) - 1;
}

void HappensBefore::barrier(uint32_t flags, const SiteInfo *place) {
  ++passed_;
  places_.push_back(place);
  for (size_t space = 0; space < kMemorySpaces; ++space)
    if (names(flags, space)) {
      barriers_[space] = passed_;
      if (usesFences_)
        fences_.share(MemorySpace(space), 0, threads_, ~0u);
    }
}

HappensBefore::Tables &HappensBefore::tableOf(Simdgroup &simdgroup) {
  if (!simdgroup.table) {
    simdgroup.table = std::make_unique<Tables>();
    for (size_t order = 0; order < kOrders; ++order)
      for (Times &times : (*simdgroup.table)[order])
        times.fill(simdgroup.known[order]);
  }
  return *simdgroup.table;
}

void HappensBefore::simdgroupBarrier(uint32_t number, uint32_t mask, uint32_t flags, const SiteInfo *place) {
  Simdgroup &simdgroup = simdgroups_[number];
  const uint32_t first = number * kSimdWidth;
  simdgroup.last = place;
  simdgroup.lastAfter = passed_;
  const auto forEachLane = [](uint32_t lanes, auto visit) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      visit(uint32_t(__builtin_ctz(rest)));
  };
  for (size_t order = 0; order < kOrders; ++order) {
    if (order != kExecution && !names(flags, order))
      continue;
    if (mask == lanesIn(number) && !simdgroup.table) {
      simdgroup.known[order] = timeOf(first) + 1;
      continue;
    }
    auto &table = tableOf(simdgroup)[order];
    Times joined{};
    forEachLane(mask, [&](uint32_t lane) {
      for (uint32_t of = 0; of < kSimdWidth; ++of)
        joined[of] = std::max(joined[of], table[lane][of]);
    });
    forEachLane(mask, [&](uint32_t lane) { joined[lane] = timeOf(first + lane) + 1; });
    forEachLane(mask, [&](uint32_t lane) { table[lane] = joined; });
  }
  if (usesFences_)
    for (size_t space = 0; space < kMemorySpaces; ++space)
      if (names(flags, space))
        fences_.share(MemorySpace(space), first, first + kSimdWidth, mask);
  forEachLane(mask, [&](uint32_t lane) { ++clocks_[first + lane]; });
}

void HappensBefore::fence(uint32_t thread, uint32_t flags, uint32_t order, uint32_t scope) {
  constexpr uint32_t kAcquire = 2, kRelease = 3, kBoth = 4;
  if (order == kAcquire || order >= kBoth)
    fences_.acquire(thread, flags, scope);
  if (order < kRelease)
    return;
  const uint32_t number = thread / kSimdWidth, first = number * kSimdWidth;
  for (size_t space = 0; space < kMemorySpaces; ++space) {
    if (!names(flags, space))
      continue;
    Knowledge own;
    if (barriers_[space])
      own.groups[group_] = barriers_[space];
    for (uint32_t lane = 0; lane < kSimdWidth && first + lane < threads_; ++lane) {
      const Simdgroup &simdgroup = simdgroups_[number];
      const uint32_t time =
          simdgroup.table ? (*simdgroup.table)[space][thread % kSimdWidth][lane] : simdgroup.known[space];
      if (time)
        own.threads[threadId(group_, first + lane)] = time;
    }
    own.threads[threadId(group_, thread)] = timeOf(thread) + 1;
    fences_.release(thread, MemorySpace(space), scope, std::move(own));
  }
  tableOf(simdgroups_[number]); // the lanes' times differ from here on
  ++clocks_[thread];
}

void HappensBefore::atomic(uint32_t thread, uint64_t address, AtomicKind kind, MemorySpace space) {
  if (usesFences_)
    fences_.atomic(thread, address, kind, space);
}

bool HappensBefore::lanesKnown(size_t order, const Moment &then, uint32_t number, uint32_t lanes,
                               uint32_t thread) const {
  const uint32_t self = thread % kSimdWidth;
  const Simdgroup &simdgroup = simdgroups_[number];
  if (!simdgroup.table)
    return then.time < simdgroup.known[order] || lanes == 1u << self;
  const Times &known = (*simdgroup.table)[order][self];
  for (uint32_t rest = lanes & ~(1u << self); rest; rest &= rest - 1)
    if (then.time >= known[__builtin_ctz(rest)])
      return false;
  return true;
}

bool HappensBefore::ordered(MemorySpace space, const Moment &then, uint32_t simdgroup, uint32_t lanes,
                            uint32_t thread) const {
  if (isSettled(space, then))
    return true;
  const uint32_t own = thread / kSimdWidth;
  const bool sameSimdgroup = then.group == group_ && simdgroup == own;
  if (sameSimdgroup && lanesKnown(size_t(space), then, own, lanes, thread))
    return true;
  const Knowledge *known = usesFences_ ? fences_.known(thread, space) : nullptr;
  if (!known)
    return false;
  if (const auto group = known->groups.find(then.group);
      group != known->groups.end() && then.barrier < group->second)
    return true;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint32_t lane = uint32_t(__builtin_ctz(rest)), other = simdgroup * kSimdWidth + lane;
    if (sameSimdgroup && lanesKnown(size_t(space), then, own, 1u << lane, thread))
      continue;
    const auto found = known->threads.find(threadId(then.group, other));
    if (found == known->threads.end() || then.time >= found->second)
      return false;
  }
  return true;
}

const SiteInfo *HappensBefore::lastBarrier(uint32_t number, bool lanes) const {
  const Simdgroup &simdgroup = simdgroups_[number];
  if (lanes && simdgroup.last && simdgroup.lastAfter == passed_)
    return simdgroup.last;
  return places_.empty() ? nullptr : places_.back();
}

const SiteInfo *HappensBefore::barrierBetween(const Moment &then, uint32_t simdgroup, uint32_t lanes,
                                              uint32_t thread) const {
  if (then.group != group_)
    return nullptr;
  if (then.barrier < passed_)
    return places_.back();
  const uint32_t own = thread / kSimdWidth;
  if (simdgroup == own && lanesKnown(kExecution, then, own, lanes, thread))
    return simdgroups_[own].last;
  return nullptr;
}

} // namespace assay::validation
