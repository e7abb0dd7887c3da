// See race_checker.h.
#include "validation/race_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace assay::validation {
namespace {

Touch touchOf(const SiteInfo &site) {
  switch (site.access) {
  case AccessKind::Read: return Touch::Read;
  case AccessKind::Write: return Touch::Write;
  case AccessKind::Atomic: break;
  }
  return site.atomic == AtomicKind::Load ? Touch::AtomicRead : Touch::AtomicWrite;
}

const char *nounOf(Touch touch) {
  switch (touch) {
  case Touch::Read: return "read";
  case Touch::Write: return "write";
  case Touch::AtomicRead: return "atomic read";
  case Touch::AtomicWrite: return "atomic update";
  }
  return "access";
}

const char *flagOf(MemorySpace space) {
  switch (space) {
  case MemorySpace::Device: return "mem_flags::mem_device";
  case MemorySpace::Threadgroup: return "mem_flags::mem_threadgroup";
  case MemorySpace::Texture: return "mem_flags::mem_texture";
  }
  return "";
}

// Which of two records of one word is named, if both race. It does not depend on their places in the cell.
bool isOlder(const AccessRecord &a, const AccessRecord &b) {
  const auto key = [](const AccessRecord &r) {
    return std::tuple(r.group, r.barrier, r.time, r.simdgroup, r.site, r.lanes & -r.lanes, r.bytes);
  };
  return key(a) < key(b);
}

} // namespace

void RaceChecker::dispatchBegin(const DispatchEvent &event) {
  names_.emplace(event, context().arguments);
  code_ = event.code;
  for (int axis = 0; axis < 3; ++axis)
    groups_[axis] =
        (event.gridThreads[axis] + event.threadsPerThreadgroup[axis] - 1) / event.threadsPerThreadgroup[axis];
  order_.dispatchBegin(std::any_of(code_->sites.begin(), code_->sites.end(),
                                   [](const SiteInfo &site) { return site.kind == SiteKind::Fence; }));
  uses_.clear();
  readOnly_ = way_ == Way::Short ? ReadOnlyMemory(event) : ReadOnlyMemory();
  for (const SiteInfo &site : code_->sites)
    uses_.push_back(useOf(site));
  publications_.dispatchBegin();
  device_.clear();
  threadgroup_.clear();
}

RaceChecker::Use RaceChecker::useOf(const SiteInfo &site) const {
  Use use{touchOf(site), true, {}};
  if (site.memory != MemoryKind::Unknown)
    use.space = spaceOf(site, GroupEvent(), 0);
  for (const ArgumentInfo &argument : context().arguments)
    if (site.memory == MemoryKind::Buffer && site.access == AccessKind::Read &&
        (argument.kind == ArgumentKind::Buffer || argument.kind == ArgumentKind::Tensor) &&
        argument.index == site.slot && argument.space == AddressSpace::Constant)
      use.looksAt = false;
  if (use.touch == Touch::Read && readOnly_.holds(site))
    use.looksAt = false;
  return use;
}

bool RaceChecker::wantsAccess(const SiteInfo &site) const {
  const size_t number = size_t(&site - code_->sites.data());
  return way_ == Way::Each || number >= uses_.size() || uses_[number].looksAt;
}

void RaceChecker::groupBegin(const GroupEvent &group) {
  const uint32_t index =
      group.position[0] + groups_[0] * (group.position[1] + groups_[1] * group.position[2]);
  order_.groupBegin(index, group.threadCount());
  publications_.groupBegin(index);
}

void RaceChecker::barrier(const GroupEvent &, const BarrierEvent &event) {
  if (event.whole)
    return order_.barrier(event.flags[0], event.sites[0]);
  uint32_t flags = ~0u;
  const SiteInfo *place = nullptr;
  for (uint32_t i = 0; i < event.threads; ++i)
    if (event.sites[i]) {
      flags &= event.flags[i];
      place = place ? place : event.sites[i];
    }
  order_.barrier(flags, place);
}

void RaceChecker::simdOp(const GroupEvent &, const SimdEvent &event) {
  if (event.site->op == SimdOp::Barrier)
    order_.simdgroupBarrier(event.simdgroup, event.activeMask, event.operand[__builtin_ctz(event.activeMask)],
                            event.site);
}

void RaceChecker::fence(const GroupEvent &, const FenceEvent &event) {
  for (uint32_t rest = event.mask; rest; rest &= rest - 1)
    order_.fence(event.simdgroup * kSimdWidth + uint32_t(__builtin_ctz(rest)), event.flags, event.order,
                 event.scope);
}

void RaceChecker::access(const GroupEvent &group, const AccessEvent &event) {
  const SiteInfo &site = *event.site;
  const uint32_t number = uint32_t(&site - code_->sites.data());
  while (uses_.size() <= number)
    uses_.push_back(useOf(code_->sites[uses_.size()]));
  const Use &use = uses_[number];
  if (!use.looksAt || !event.bytes)
    return;
  const auto nowOf = [&](uint32_t thread, uint64_t address) {
    const Moment moment = order_.now(thread);
    const MemorySpace space = use.space ? *use.space : spaceOf(site, group, address);
    return Now{{{moment.group, moment.barrier, moment.time, number, 1u << thread % kSimdWidth,
                 uint8_t(thread / kSimdWidth), 0, use.touch},
                space,
                order_.settledBefore(space),
                order_.usesFences()},
               thread};
  };
  if (way_ == Way::Short && use.space && !isAtomic(use.touch) && order_.lanesAreAlike(event.simdgroup)) {
    Now now = nowOf(event.simdgroup * kSimdWidth, 0);
    return accessAlike(group, event, now);
  }
  event.forEachThread([&](uint32_t thread, uint64_t address) {
    Now now = nowOf(thread, address);
    accessByOne(group, event, now, address);
    if (isAtomic(now.record.touch)) {
      order_.atomic(thread, address, site.atomic, now.space);
      publications_.atomic(event.simdgroup, address, site.atomic, now.space);
    }
  });
}

// Calls visit(word, bytes of it) until that is false; returns whether it never was.
template <class Visit> bool forEachWord(uint64_t address, uint64_t bytes, Visit visit) {
  constexpr uint64_t kWord = ShadowMemory::kWordBytes;
  if (const uint64_t from = address % kWord; from + bytes <= kWord)
    return visit(address / kWord, uint8_t(((1u << bytes) - 1) << from));
  const uint64_t last = address + bytes;
  for (uint64_t word = address / kWord; word * kWord < last; ++word) {
    const uint64_t from = std::max(address, word * kWord) % kWord, to = std::min(last - word * kWord, kWord);
    if (!visit(word, uint8_t(((1u << to) - 1) & ~((1u << from) - 1))))
      return false;
  }
  return true;
}

void RaceChecker::accessByOne(const GroupEvent &group, const AccessEvent &event, Now &now, uint64_t address) {
  ShadowMemory &shadow = shadowOf(now.space);
  Races races;
  forEachWord(address, event.bytes, [&](uint64_t word, uint8_t bytes) {
    now.record.become(now.record.lanes, bytes);
    ShadowCell &cell = shadow.at(word);
    if (way_ == Way::Each || !CellShortcuts(shadow, cell, now).take())
      touch(cell, word, now, races);
    return true;
  });
  for (const Race &race : races)
    report(group, *event.site, now, race);
}

// Lanes from this one on that fill a row of words, one after the other. Returns those that are done; none if
// the row must be looked at word by word.
uint32_t RaceChecker::accessRow(const AccessEvent &event, const SharedAddresses &shared, Now &now,
                                uint32_t lane, uint32_t mask) {
  constexpr uint64_t kRow = ShadowMemory::kRowBytes, kWord = ShadowMemory::kWordBytes;
  const uint64_t *const addresses = event.addresses + lane;
  if (addresses[0] % kRow || event.bytes > kRow || !std::has_single_bit(event.bytes))
    return 0;
  const auto bytes = uint32_t(event.bytes), count = uint32_t(kRow / bytes);
  const uint32_t together = count == kSimdWidth ? ~0u : (1u << count) - 1;
  const bool repeats = shared.period() < kSimdWidth;
  if (lane + count > shared.period() || (mask >> lane & together) != together)
    return 0;
  uint64_t differ = 0;
  for (uint32_t i = 1; i < count; ++i)
    differ |= addresses[i] ^ (addresses[0] + uint64_t(i) * bytes);
  if (differ)
    return 0;
  // Threadgroup memory of another threadgroup was other memory, and what is settled is settled for all.
  const auto forget = [&](const AccessRecord &record) {
    return now.space == MemorySpace::Threadgroup &&
           (record.group != now.record.group || record.barrier < now.settledBefore);
  };
  ShadowMemory &shadow = shadowOf(now.space);
  const RowForm form{int8_t(std::countr_zero(bytes) - std::countr_zero(kWord))};
  ShadowCell *const cell = shadow.ofRow(addresses[0] / kRow, form, forget);
  if (!cell)
    return 0;
  // Those at the first word; with less than a word each there are several.
  const uint32_t first = repeats ? shared.lanesFrom(mask) : 1u << lane;
  for (uint32_t at = 0; at * bytes < kWord; ++at) {
    now.record.become(first << at, uint8_t(bytes >= kWord ? 0xf : ((1u << bytes) - 1) << at * bytes));
    if (!CellShortcuts(shadow, *cell, now).take())
      return 0;
  }
  uint32_t done = 0;
  for (uint32_t i = 0; i < count; ++i)
    done |= first << i;
  return done;
}

// A plain access by lanes that have come equally far, to one kind of memory. Lanes that read one address
// share their records. What cannot be taken so is done lane by lane. Findings name the first lane, so the
// order of lanes stays: reads change nothing for each other, and only they are put off.
//   now   that of any lane
void RaceChecker::accessAlike(const GroupEvent &group, const AccessEvent &event, Now &now) {
  ShadowMemory &shadow = shadowOf(now.space);
  const SharedAddresses shared(event, now.record.touch == Touch::Read);
  const auto takes = [&](uint64_t address, uint32_t lanes) {
    return forEachWord(address, event.bytes, [&](uint64_t word, uint8_t bytes) {
      now.record.become(lanes, bytes);
      return CellShortcuts(shadow, shadow.at(word), now).take();
    });
  };
  const auto eachOf = [&](uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
      const uint32_t lane = uint32_t(__builtin_ctz(lanes));
      now.record.lanes = 1u << lane;
      now.thread = event.simdgroup * kSimdWidth + lane;
      accessByOne(group, event, now, event.addresses[lane]);
    }
  };
  uint32_t later = 0;
  for (uint32_t rest = event.mask; rest;) {
    if (const uint32_t row = accessRow(event, shared, now, uint32_t(std::countr_zero(rest)), rest)) {
      rest &= ~row;
      continue;
    }
    const uint32_t lanes = shared.lanesFrom(rest);
    rest &= ~lanes;
    if (takes(event.addresses[__builtin_ctz(lanes)], lanes))
      continue;
    if (shared.areApart())
      later |= lanes;
    else
      eachOf(lanes);
  }
  eachOf(later);
}

void RaceChecker::touch(ShadowCell &cell, uint64_t word, const Now &now, Races &races) {
  ShadowMemory &shadow = shadowOf(now.space);
  const AccessRecord &record = now.record;
  // Threadgroup memory of another threadgroup was other memory.
  if (now.space == MemorySpace::Threadgroup && cell.first.bytes && cell.first.group != record.group)
    shadow.clear(cell);
  bool covered = false; // a record says it all already
  bool empty = false;   // a record has no bytes left
  shadow.forEach(cell, [&](AccessRecord &earlier) {
    const uint8_t common = earlier.bytes & record.bytes;
    if (!common)
      return;
    const bool sameTurn = earlier.group == record.group && earlier.simdgroup == record.simdgroup &&
                          earlier.time == record.time && earlier.barrier == record.barrier;
    if (sameTurn) {
      const bool same =
          earlier.touch == record.touch && earlier.bytes == record.bytes && earlier.site == record.site;
      const bool says = (earlier.lanes & record.lanes) && covers(earlier.touch, record.touch) &&
                        !(record.bytes & ~earlier.bytes);
      // Lanes that share a record do not race with each other: writes share none.
      if (says || (same && record.touch != Touch::Write)) {
        earlier.lanes |= record.lanes;
        covered = true;
        return;
      }
    }
    const bool conflicts = conflict(earlier.touch, record.touch), drops = covers(record.touch, earlier.touch);
    if (!conflicts && !drops)
      return;
    if (order_.ordered(now.space, earlier.moment(), earlier.simdgroup, earlier.lanes, now.thread)) {
      if (drops)
        earlier.bytes &= uint8_t(~common);
      empty |= !earlier.bytes;
      return;
    }
    if (!conflicts)
      return;
    const CheckRule rule = ruleOf(now, earlier);
    if (!findings().wants(rule))
      return;
    const Race race{rule, earlier, word * ShadowMemory::kWordBytes + uint64_t(__builtin_ctz(common))};
    const auto same = std::ranges::find(races, rule, &Race::rule);
    if (same == races.end())
      races.push_back(race);
    else if (word == same->address / ShadowMemory::kWordBytes && isOlder(earlier, same->earlier))
      *same = race;
  });
  if (empty)
    shadow.compact(cell);
  if (!covered)
    insert(cell, now);
}

void RaceChecker::insert(ShadowCell &cell, const Now &now) {
  ShadowMemory &shadow = shadowOf(now.space);
  if (cell.more && !order_.usesFences()) {
    // Two other simdgroups that did as much in this turn between barriers race with whatever races with this.
    uint32_t others = 0;
    shadow.forEach(cell, [&](const AccessRecord &record) {
      if (record.group == now.record.group && record.simdgroup != now.record.simdgroup &&
          covers(record.touch, now.record.touch) && !(now.record.bytes & ~record.bytes) &&
          record.barrier == now.record.barrier)
        others |= 1u << record.simdgroup;
    });
    if (__builtin_popcount(others) >= 2)
      return;
  }
  shadow.add(cell, now.record);
  if (cell.more && now.space != MemorySpace::Threadgroup && !order_.usesFences())
    thin(cell, now.space);
}

// Without fences no later thread can tell some records apart: those of threadgroups that have ended race with
// whatever conflicts with them, and so do, once this one has ended, those that its barriers have settled. Of
// equal ones the youngest stays.
void RaceChecker::thin(ShadowCell &cell, MemorySpace space) {
  ShadowMemory &shadow = shadowOf(space);
  const auto foreign = [&](const AccessRecord &record) { return record.group != order_.group(); };
  bool empty = false;
  shadow.forEach(cell, [&](AccessRecord &record) {
    const bool isForeign = foreign(record);
    if (!isForeign && !order_.isSettled(space, record.moment()))
      return;
    shadow.forEach(cell, [&](const AccessRecord &other) {
      if (&other == &record || !record.bytes || !other.bytes)
        return;
      const bool otherForeign = foreign(other);
      const bool stands = otherForeign || (!isForeign && order_.isSettled(space, other.moment()));
      const bool equal = covers(record.touch, other.touch) && isForeign == otherForeign;
      if (stands && covers(other.touch, record.touch) && !(equal && isOlder(other, record)))
        record.bytes &= uint8_t(~other.bytes);
    });
    empty |= !record.bytes;
  });
  if (empty)
    shadow.compact(cell);
}

CheckRule RaceChecker::ruleOf(const Now &now, const AccessRecord &earlier) const {
  const bool sameGroup = earlier.group == now.record.group;
  const bool sameSimdgroup = sameGroup && earlier.simdgroup == now.record.simdgroup;
  if (order_.barrierBetween(earlier.moment(), earlier.simdgroup, earlier.lanes, now.thread))
    return CheckRule::BarrierMemory;
  if (isAtomic(earlier.touch) != isAtomic(now.record.touch))
    return CheckRule::MixedAtomic;
  if (sameSimdgroup)
    return CheckRule::RaceLanes;
  // Data are handed over if somebody reads them.
  if (isWrite(earlier.touch) && !isWrite(now.record.touch) &&
      publications_.handedOver(earlier.group, earlier.simdgroup, now.record.simdgroup))
    return CheckRule::UnfencedPublication;
  if (!sameGroup)
    return CheckRule::RaceGrid;
  return now.space == MemorySpace::Threadgroup ? CheckRule::RaceThreadgroup : CheckRule::RaceDevice;
}

void RaceChecker::report(const GroupEvent &group, const SiteInfo &site, const Now &now, const Race &race) {
  const SiteInfo &other = code_->sites[race.earlier.site];
  const bool sameGroup = race.earlier.group == now.record.group;
  const Between between = betweenOf(site.where, other.where, now, sameGroup, race);
  findings().add(race.rule, site.where, other.where, between.inOrder, [&]() -> FindingText {
    const uint32_t index = race.earlier.group;
    const uint32_t position[3] = {index % groups_[0], index / groups_[0] % groups_[1],
                                  index / groups_[0] / groups_[1]};
    // Of the lanes that share the record, one that is not this thread.
    const uint32_t own = sameGroup && race.earlier.simdgroup == now.record.simdgroup ? now.record.lanes : 0;
    const uint32_t lanes = race.earlier.lanes & ~own ? race.earlier.lanes & ~own : race.earlier.lanes;
    const std::string earlier =
        threadText(race.earlier.simdgroup * kSimdWidth + uint32_t(__builtin_ctz(lanes)));
    const std::string where = sameGroup ? "" : " of " + groupText(position);
    return {fmt::format("{} of {} by {} of {} races with the {} by {}{}", nounOf(now.record.touch),
                        names_->of(site, group, race.address), threadText(now.thread),
                        groupText(group.position), nounOf(race.earlier.touch), earlier, where),
            fmt::format("the {} by {}{}", nounOf(race.earlier.touch), earlier, where),
            hintFor(race.rule, between, now, race.earlier)};
  });
}

// Both accesses lie between the same two barriers. If the first of these is between the two lines, the
// program came from the second line to the first one, around a loop.
RaceChecker::Between RaceChecker::betweenOf(const SourcePlace &where, const SourcePlace &other,
                                            const Now &now, bool sameGroup, const Race &race) const {
  const bool textOrder = other.line <= where.line;
  if (where.file != other.file)
    return {true, "between the two"};
  if (where.line == other.line)
    return {true, fmt::format("between two visits of line {}", where.line),
            isWrite(now.record.touch) && isWrite(race.earlier.touch) ? where.line : 0};
  const uint32_t a = std::min(where.line, other.line), b = std::max(where.line, other.line);
  const SiteInfo *begin =
      sameGroup ? order_.lastBarrier(now.record.simdgroup, race.rule == CheckRule::RaceLanes) : nullptr;
  if (begin && begin->where.file == where.file && begin->where.line > a && begin->where.line < b &&
      race.rule != CheckRule::BarrierMemory)
    return {!textOrder, fmt::format("after line {}, before line {} comes again,", b, a)};
  return {textOrder, fmt::format("between lines {} and {}", a, b)};
}

std::string RaceChecker::hintFor(CheckRule rule, const Between &between, const Now &now,
                                 const AccessRecord &record) const {
  switch (rule) {
  case CheckRule::RaceLanes:
  case CheckRule::RaceThreadgroup:
  case CheckRule::RaceDevice: {
    const bool lanes = rule == CheckRule::RaceLanes;
    const std::string barrier =
        fmt::format("a {}({})", lanes ? "simdgroup_barrier" : "threadgroup_barrier", flagOf(now.space));
    if (between.line) // no barrier orders what several write in one visit
      return fmt::format("let one {} write; if these are two visits of line {}, {} between them would order "
                         "them",
                         lanes ? "lane" : "thread", between.line, barrier);
    return fmt::format("{} {} would order them", barrier, between.text);
  }
  case CheckRule::BarrierMemory: {
    const SiteInfo *barrier =
        order_.barrierBetween(record.moment(), record.simdgroup, record.lanes, now.thread);
    return fmt::format("the {} at line {} does not name {}",
                       barrier->kind == SiteKind::Simd ? "simdgroup_barrier" : "threadgroup_barrier",
                       barrier->where.line, flagOf(now.space));
  }
  case CheckRule::MixedAtomic:
    return record.group == now.record.group
               ? fmt::format("make both atomic, or put a threadgroup_barrier({}) {}", flagOf(now.space),
                             between.text)
               : "make both atomic";
  case CheckRule::UnfencedPublication:
    return fmt::format("an atomic_thread_fence({}, memory_order_seq_cst, {}) before the atomic store and "
                       "another one after the atomic load would order them",
                       flagOf(now.space),
                       record.group == now.record.group ? "thread_scope_threadgroup" : "thread_scope_device");
  default:
    return "threadgroups have no order: let them use different elements, or atomic operations, or two "
           "dispatches";
  }
}

} // namespace assay::validation
