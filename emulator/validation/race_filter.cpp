// See race_filter.h.
#include "validation/race_filter.h"

#include "validation/fence_order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace assay::validation {

thread_local RaceFilter::SparePages RaceFilter::spare_;

RaceFilter::RaceFilter(bool unwritten, Observer *beside)
    : unwritten_(unwritten), beside_(beside), own_(std::exchange(spare_, {})), device_(true, own_.last) {
  if (own_.last.areLate())
    own_.pages.clear();
}

RaceFilter::~RaceFilter() {
  for (auto &[number, page] : pages_)
    if (own_.pages.size() < kMostSpare)
      own_.pages.push_back(std::move(page));
  own_.last = device_.now();
  if (own_.pages.size() > spare_.pages.size())
    spare_ = std::move(own_);
}

bool RaceFilter::takes(const KernelCodeInfo &code) {
  return std::none_of(code.sites.begin(), code.sites.end(), [](const SiteInfo &site) {
    switch (site.kind) {
    case SiteKind::Fence:
    case SiteKind::AsyncCopy: return true;
    case SiteKind::Access: break;
    default: return false;
    }
    return site.memory == MemoryKind::Unknown || site.memory == MemoryKind::Texture;
  });
}

bool RaceFilter::wantsAccess(const SiteInfo &site) const {
  return looksAt(site) || (beside_ && beside_->wantsAccess(site));
}

bool RaceFilter::looksAt(const SiteInfo &site) const {
  switch (site.memory) {
  case MemoryKind::ThreadgroupSlot:
  case MemoryKind::ThreadgroupVariable: return true;
  case MemoryKind::Buffer: return site.access != AccessKind::Read || !readOnly_.holds(site);
  default: return false;
  }
}

void RaceFilter::dispatchBegin(const DispatchEvent &event) {
  code_ = event.code;
  readOnly_ = ReadOnlyMemory(event);
  if (beside_)
    beside_->dispatchBegin(event);
  wanted_.clear();
  std::vector<uint8_t> compared;
  bool atomics = false; // of threadgroup memory
  bySimdgroup_ = std::any_of(code_->sites.begin(), code_->sites.end(), [](const SiteInfo &site) {
    return site.kind == SiteKind::Simd && site.op == SimdOp::Barrier;
  });
  if (bySimdgroup_)
    ranges_.end();
  for (const SiteInfo &site : code_->sites) {
    const bool isAccess = site.kind == SiteKind::Access;
    wanted_.push_back(uint8_t((isAccess && looksAt(site) ? kOwn : 0) |
                              (isAccess && beside_ && beside_->wantsAccess(site) ? kBeside : 0)));
    compared.push_back(wanted_.back() == kOwn && site.memory != MemoryKind::Buffer);
    atomics |= compared.back() && site.access == AccessKind::Atomic;
  }
  if (atomics || bySimdgroup_) // What they write is not in RowUse; the order within a phase counts.
    std::fill(compared.begin(), compared.end(), uint8_t(0));
  phases_.dispatchBegin(std::move(compared));
}

void RaceFilter::groupBegin(const GroupEvent &group) {
  endPhase();
  if (beside_)
    beside_->groupBegin(group);
  if (ranges_.areUsed() && !ranges_.endGroup())
    leaveRanges();
  device_.beginGroup();
  threadgroup_.beginGroup();
  const uint64_t begin = reinterpret_cast<uintptr_t>(group.arena.data());
  arenaRow_ = begin / kRowBytes;
  arena_.resize((begin + group.arena.size()) / kRowBytes + 1 - arenaRow_);
  writtenBefore_.resize(arena_.size());
  while (bySimdgroup_ && lanes_.size() * kSimdWidth < group.threadCount())
    lanes_.push_back(std::make_unique<Lanes>());
  for (const auto &lanes : lanes_) {
    lanes->device.beginGroup();
    lanes->threadgroup.beginGroup();
    lanes->arena.resize(arena_.size());
  }
  if (!unwritten_)
    return;
  for (const auto &[offset, bytes] : code_->writtenThreadgroupBytes)
    for (uint64_t at = begin + offset, end = at + bytes; at < end;) {
      const uint64_t number = at / kRowBytes, to = std::min(end, (number + 1) * kRowBytes);
      Row &row = arena_[number - arenaRow_];
      syncArena(row);
      row.everWritten |= rowBytes(at % kRowBytes, to - number * kRowBytes);
      at = to;
    }
}

// After a barrier with these mem_flags.
static void beginEpochs(FilterRows &device, FilterRows &threadgroup, uint32_t flags) {
  if (flags >> size_t(MemorySpace::Device) & 1)
    device.beginEpoch();
  if (flags >> size_t(MemorySpace::Threadgroup) & 1)
    threadgroup.beginEpoch();
}

void RaceFilter::barrier(const GroupEvent &, const BarrierEvent &event) {
  uint32_t flags = event.whole ? event.flags[0] : ~0u;
  for (uint32_t i = 0; !event.whole && i < event.threads; ++i)
    if (event.sites[i])
      flags &= event.flags[i];
  if (flags >> size_t(MemorySpace::Threadgroup) & 1) {
    endPhase();
    threadgroup_.beginEpoch();
  } else {
    tellPending();
  }
  if (flags >> size_t(MemorySpace::Device) & 1) {
    leaveRanges();
    device_.beginEpoch();
  }
  for (const auto &lanes : lanes_)
    beginEpochs(lanes->device, lanes->threadgroup, flags);
}

void RaceFilter::simdOp(const GroupEvent &group, const SimdEvent &event) {
  if (event.site->op != SimdOp::Barrier)
    return;
  tellPending();
  const uint32_t rest = group.threadCount() - event.simdgroup * kSimdWidth;
  if (event.activeMask != (rest < kSimdWidth ? (1u << rest) - 1 : ~0u))
    return;
  uint32_t flags = ~0u;
  for (uint32_t lane = 0; lane < std::min(rest, kSimdWidth); ++lane)
    flags &= event.operand[lane];
  beginEpochs(lanes_[event.simdgroup]->device, lanes_[event.simdgroup]->threadgroup, flags);
}

inline RaceFilter::Use &RaceFilter::useAt(size_t number) {
  while (uses_.size() <= number) [[unlikely]] {
    const SiteInfo &one = code_->sites[uses_.size()];
    Use &use = uses_.emplace_back();
    use.inThreadgroup = one.memory != MemoryKind::Buffer;
    use.isAtomic = one.access == AccessKind::Atomic;
    use.writes = use.isAtomic ? one.atomic != AtomicKind::Load : one.access == AccessKind::Write;
    use.reads = use.isAtomic && one.atomic != AtomicKind::Store;
  }
  return uses_[number];
}

inline void RaceFilter::syncArena(Row &row) {
  if (threadgroup_.isOfThisEpoch(row))
    return;
  threadgroup_.sync(row);
  writtenBefore_[size_t(&row - arena_.data())] = row.everWritten;
}

// Null: outside of the threadgroup's memory, which is a fault.
inline RaceFilter::Row *RaceFilter::rowAt(const Use &use, uint64_t number) {
  if (use.inThreadgroup)
    return number - arenaRow_ < arena_.size() ? &arena_[number - arenaRow_] : nullptr;
  const uint64_t pageNumber = number / kPageRows;
  Known &known = known_[pageNumber % known_.size()];
  if (known.number != pageNumber || !known.page) [[unlikely]] {
    std::unique_ptr<Page> &page = pages_[pageNumber];
    if (!page && own_.pages.empty())
      page = std::make_unique<Page>();
    else if (!page)
      page = std::move(own_.pages.back()), own_.pages.pop_back();
    known = {pageNumber, page.get()};
  }
  return &(*known.page)[number % kPageRows];
}

// False if the access races, or may. The row is of this epoch.
static bool isApart(FilterRows &rows, FilterRows::Row &row, bool writes, uint64_t address, RowBytes bytes,
                    const std::optional<Owners> &owners) {
  if (rows.isTouchedAtomically(row, bytes))
    return false;
  if (writes)
    return owners && rows.write(row, address, bytes, *owners);
  return owners ? rows.read(row, address, bytes, *owners) : rows.readBySeveral(row, bytes);
}

// Likewise, of lanes of one simdgroup alone.
bool RaceFilter::lanesAreApart(const Use &use, uint64_t number, RowBytes bytes,
                               std::optional<Owners> owners) {
  Lanes &lanes = *lanes_[simdgroup_];
  Row *row = nullptr;
  if (use.inThreadgroup) {
    row = &lanes.arena[number - arenaRow_];
  } else {
    std::unique_ptr<Page> &page = lanes.pages[number / kPageRows];
    if (!page)
      page = std::make_unique<Page>();
    row = &(*page)[number % kPageRows];
  }
  FilterRows &rows = use.inThreadgroup ? lanes.threadgroup : lanes.device;
  rows.sync(*row);
  return use.isAtomic ? rows.touchAtomically(*row, bytes, use.writes)
                      : isApart(rows, *row, use.writes, number * kRowBytes, bytes, owners);
}

// Bytes of one row. Without owners: each by several threads.
inline void RaceFilter::touch(const Use &use, uint64_t number, RowBytes bytes, std::optional<Owners> owners) {
  if (!use.inThreadgroup && ranges_.areUsed()) [[unlikely]]
    leaveRanges();
  Row *const row = rowAt(use, number);
  if (!row)
    return;
  if (bySimdgroup_) [[unlikely]] {
    found_ |= !lanesAreApart(use, number, bytes, owners);
    owners = Owners::one(simdgroup_);
  }
  FilterRows &rows = use.inThreadgroup ? threadgroup_ : device_;
  if (use.isAtomic) [[unlikely]] {
    if (use.inThreadgroup)
      syncArena(*row);
    else
      rows.sync(*row);
    if (use.inThreadgroup && unwritten_) {
      foundUnwritten_ |= use.reads && (bytes & ~row->everWritten);
      row->everWritten |= use.writes ? bytes : 0;
    }
    found_ |= !rows.touchAtomically(*row, bytes, use.writes);
    return;
  }
  if (!use.writes && rows.knowsRead(*row, bytes, owners))
    return;
  if (use.inThreadgroup)
    syncArena(*row);
  else
    rows.sync(*row);
  if (use.writes)
    row->everWritten |= bytes;
  else if (use.inThreadgroup && unwritten_)
    foundUnwritten_ |= (bytes & ~row->everWritten) != 0;
  found_ |= !isApart(rows, *row, use.writes, number * kRowBytes, bytes, owners);
}

inline void RaceFilter::range(const Use &use, uint64_t begin, uint64_t bytes, std::optional<Owners> owners) {
  const uint64_t end = begin + bytes;
  if (!use.inThreadgroup && ranges_.areUsed() && owners && !use.isAtomic &&
      ranges_.add(uint32_t(&use - uses_.data()), use.writes, begin, end, *owners))
    return;
  for (uint64_t number = begin / kRowBytes; begin < end; ++number) {
    const uint64_t row = number * kRowBytes, to = std::min(end, row + kRowBytes);
    touch(use, number, rowBytes(begin - row, to - row), owners);
    begin = to;
  }
}

// What ranges said is said by rows from here on.
void RaceFilter::leaveRanges() {
  if (!ranges_.areUsed())
    return;
  const GroupRanges before = std::exchange(ranges_, {});
  ranges_.end();
  Use device;
  for (const bool writes : {false, true})
    for (const GroupRanges::Span &span : writes ? before.written() : before.read())
      for (uint64_t begin = span.begin; begin < span.end;) {
        const uint64_t number = begin / kRowBytes, to = std::min(span.end, (number + 1) * kRowBytes);
        device_.addOthers(*rowAt(device, number), rowBytes(begin % kRowBytes, to - number * kRowBytes),
                          writes);
        begin = to;
      }
  for (const GroupRanges::Range &one : before.now())
    range(uses_[one.site], one.begin, one.end - one.begin, one.owners);
}

// Elements with something between them.
void RaceFilter::spaced(const Use &use, uint64_t begin, const AccessRun &run, uint64_t bytes, Owners owners) {
  uint64_t number = begin / kRowBytes;
  RowBytes all = 0;
  for (uint64_t at = begin, last = begin + run.bytes; at < last; at += run.stride)
    for (uint64_t from = at, to = at + bytes; from < to;) {
      const uint64_t in = from / kRowBytes, end = std::min(to, (in + 1) * kRowBytes);
      if (in != number) {
        if (all)
          touch(use, number, all, owners);
        number = in;
        all = 0;
      }
      all |= rowBytes(from - in * kRowBytes, end - in * kRowBytes);
      from = end;
    }
  touch(use, number, all, owners);
}

// An access of its form by a whole simdgroup.
inline void RaceFilter::whole(Use &use, uint64_t base, uint32_t simdgroup) {
  if (use.writes || !use.form->isShared()) {
    if (use.writes && use.inThreadgroup && unwritten_)
      tellPending();
    return runs(use, base, simdgroup);
  }
  if (use.count && use.simdgroup == simdgroup) {
    if (use.count == 1)
      use.next = base, use.step = base - use.base;
    if (base == use.next) {
      ++use.count;
      use.next += use.step;
      return;
    }
  }
  putOff(use, base, simdgroup);
}

// Of a buffer, by a whole simdgroup whose lanes go on one after the other with elements of their own.
void RaceFilter::apart(Use &use, uint64_t base, uint32_t simdgroup) {
  if (use.count && use.simdgroup == simdgroup && base == use.next) {
    ++use.count;
    use.next += use.step;
    return;
  }
  putOff(use, base, simdgroup);
  use.step = use.form->bytes();
  use.next = base + use.step;
}

void RaceFilter::putOff(Use &use, uint64_t base, uint32_t simdgroup) {
  if (!std::exchange(use.isPending, true))
    pending_.push_back(uint32_t(&use - uses_.data()));
  tell(use);
  use.count = 1;
  use.simdgroup = simdgroup;
  use.base = base;
}

void RaceFilter::tellPending() {
  for (const uint32_t site : pending_) {
    tell(uses_[site]);
    uses_[site].isPending = false;
  }
  pending_.clear();
}

void RaceFilter::tell(Use &use) {
  const uint32_t simdgroup = std::exchange(simdgroup_, use.simdgroup);
  tellCounted(use, std::exchange(use.count, 0));
  simdgroup_ = simdgroup;
}

void RaceFilter::tellCounted(const Use &use, uint32_t count) {
  if (count && !use.form->hasRuns()) {
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      range(use, use.base + uint64_t(use.form->distance(lane)), count * use.step,
            Owners::one(use.simdgroup * kSimdWidth + lane));
    return;
  }
  if (count < 2) {
    if (count)
      runs(use, use.base, use.simdgroup);
    return;
  }
  for (const AccessRun &run : use.form->runs()) {
    const uint64_t begin = use.base + uint64_t(run.offset);
    if (run.bytes == use.step)
      range(use, begin, count * run.bytes, {});
    else
      for (uint32_t i = 0; i < count; ++i)
        range(use, begin + i * use.step, run.bytes, {});
  }
}

inline void RaceFilter::runs(const Use &use, uint64_t base, uint32_t simdgroup) {
  const uint64_t accessBytes = use.form->bytes();
  for (const AccessRun &run : use.form->runs()) {
    const uint64_t begin = base + uint64_t(run.offset);
    if (!run.stride) {
      range(use, begin, run.bytes, {});
      continue;
    }
    const uint32_t thread = simdgroup * kSimdWidth + run.lane;
    if (run.bytes == accessBytes)
      range(use, begin, run.bytes, Owners::one(thread));
    else if (run.stride == accessBytes)
      range(use, begin, run.bytes, Owners::spaced(thread, begin, accessBytes, run.stride));
    else
      spaced(use, begin, run, accessBytes, Owners::spaced(thread, begin, accessBytes, run.stride));
  }
}

// Any lanes, one after the other; runs of neighbours as one.
void RaceFilter::lanes(const Use &use, const AccessEvent &event) {
  if (use.writes && use.inThreadgroup && unwritten_)
    tellPending();
  const uint64_t bytes = event.bytes;
  const uint64_t *const addresses = event.addresses;
  const uint32_t first = uint32_t(std::countr_zero(event.mask));
  bool same = true;
  event.forEachThread([&](uint32_t, uint64_t address) { same &= address == addresses[first]; });
  if (same && (event.mask & (event.mask - 1)))
    return range(use, addresses[first], bytes, {});
  for (uint32_t rest = event.mask; rest;) {
    const uint32_t lane = uint32_t(std::countr_zero(rest));
    uint32_t next = lane + 1;
    while (next < kSimdWidth && rest >> next & 1 && addresses[next] == addresses[next - 1] + bytes)
      ++next;
    const uint32_t thread = event.simdgroup * kSimdWidth + lane;
    const bool neighbours =
        bytes <= Owners::kMostStride &&
        (next > lane + 1 || (lane && addresses[lane] == addresses[first] + (lane - first) * bytes));
    range(use, addresses[lane], (next - lane) * bytes,
          neighbours ? Owners::spaced(thread, addresses[lane], bytes, bytes) : Owners::one(thread));
    rest &= next < kSimdWidth ? ~0u << next : 0;
  }
}

void RaceFilter::look(const SpacedAccess &event) {
  simdgroup_ = event.simdgroup;
  Use &use = useAt(event.number);
  if (mayPass(use))
    return;
  if (event.mask == ~0u) {
    if (use.distances != event.distances || use.form->bytes() != event.bytes) [[unlikely]] {
      tell(use);
      use.distances = event.distances;
      use.form.emplace(event.distances, event.bytes);
    }
    if (use.form->hasRuns())
      return whole(use, event.base, event.simdgroup);
    if (!use.inThreadgroup)
      return apart(use, event.base, event.simdgroup);
  }
  uint64_t addresses[kSimdWidth];
  event.writeAddresses(addresses);
  lanes(use, {event.site, event.simdgroup, event.mask, addresses, event.bytes});
}

void RaceFilter::look(const AccessEvent &event) {
  simdgroup_ = event.simdgroup;
  Use &use = useAt(size_t(event.site - code_->sites.data()));
  if (mayPass(use) || !event.bytes)
    return;
  if (event.mask == ~0u) {
    int64_t distances[kSimdWidth];
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
      distances[lane] = int64_t(event.addresses[lane] - event.addresses[0]);
    if (!use.form || !use.form->isOf(distances, event.bytes)) {
      tell(use);
      use.distances = nullptr;
      use.form.emplace(distances, event.bytes);
    }
    if (use.form->hasRuns())
      return whole(use, event.addresses[0], event.simdgroup);
    if (!use.inThreadgroup)
      return apart(use, event.addresses[0], event.simdgroup);
  }
  lanes(use, event);
}

inline void RaceFilter::look(const GroupEvent &group, const KeptAccesses &kept, const KeptOperation &entry) {
  const uint8_t wanted = wanted_[entry.site];
  if (!entry.bytes || !wanted)
    return;
  if (wanted & kBeside) {
    if (entry.distances)
      beside_->spacedAccess(group, kept.spaced(entry));
    else
      beside_->access(group, kept.access(entry));
  }
  if (!(wanted & kOwn))
    return;
  if (entry.distances)
    look(kept.spaced(entry));
  else
    look(kept.access(entry));
}

void RaceFilter::accesses(const GroupEvent &group, const KeptAccesses &kept) {
  phases_.take(kept.begin, kept.end, [&](const KeptOperation &entry) { look(group, kept, entry); });
}

void RaceFilter::spacedAccess(const GroupEvent &, const SpacedAccess &event) {
  leavePhase();
  look(event);
}

void RaceFilter::access(const GroupEvent &, const AccessEvent &event) {
  leavePhase();
  look(event);
}

// Nothing of this phase is compared any more.
void RaceFilter::leavePhase() {
  const GroupEvent none{}; // Who is beside wants none of them.
  phases_.leave(
      [&](const KeptOperation &entry) { look(none, {nullptr, nullptr, code_->sites.data()}, entry); });
}

// What was put off.
void RaceFilter::lookAtAll() {
  leavePhase();
  tellPending();
}

void RaceFilter::endPhase() {
  const RepeatedPhases::Phase *const phase = phases_.matched();
  if (phase && isKnown(*phase)) {
    phases_.countMatched();
    tellPending();
  } else {
    const bool keeps = phases_.isRecording();
    lookAtAll();
    if (keeps && !found_ && !foundUnwritten_)
      phases_.keep(rowsOfPhase());
  }
  phases_.begin();
}

// Whether the phase, which is like the one that ends, finds nothing again. If so, what it wrote is written.
bool RaceFilter::isKnown(const RepeatedPhases::Phase &phase) {
  if (!unwritten_)
    return true;
  for (const RepeatedPhases::RowUse &use : phase.rows) {
    Row &row = arena_[use.row];
    syncArena(row);
    if (use.needs & ~row.everWritten)
      return false;
  }
  for (const RepeatedPhases::RowUse &use : phase.rows)
    arena_[use.row].everWritten |= use.writes;
  return true;
}

std::vector<RepeatedPhases::RowUse> RaceFilter::rowsOfPhase() {
  std::vector<RepeatedPhases::RowUse> uses;
  for (size_t i = 0; unwritten_ && i < arena_.size(); ++i) {
    const Row &row = arena_[i];
    if (!threadgroup_.isOfThisEpoch(row))
      continue;
    const RowBytes needs = threadgroup_.readBy(row) & writtenBefore_[i];
    if (needs || row.written)
      uses.push_back({uint32_t(i), needs, row.written});
  }
  return uses;
}

void RaceFilter::addWritten(BytesByRow &written) {
  lookAtAll();
  leaveRanges();
  for (const auto &[number, page] : pages_)
    for (uint64_t i = 0; i < kPageRows; ++i)
      if (const RowBytes bytes = device_.writtenByAnybody((*page)[i]))
        written[number * kPageRows + i] |= bytes;
}

} // namespace assay::validation
