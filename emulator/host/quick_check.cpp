// See quick_check.h.
#include "quick_check.h"

#include "../support/process/sparse_pages.h"
#include "../validation/checks.h"
#include "../validation/unwritten_reads.h"

#include <algorithm>
#include <utility>

namespace assay::detail {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 30;

using Memory = std::pair<uint8_t *, uint64_t>; // where, and how many bytes

// What it may write: of a kernel with a pointer of unknown origin, everything.
std::vector<Memory> writable(const runtime::DispatchRequest &request) {
  bool anything = false;
  uint64_t slots = 0;
  for (const SiteInfo &site : request.code->info->sites) {
    const bool writes = site.kind == SiteKind::Access &&
                        (site.access == AccessKind::Write ||
                         (site.access == AccessKind::Atomic && site.atomic != AtomicKind::Load));
    if (writes && site.memory == MemoryKind::Buffer)
      slots |= uint64_t(1) << site.slot;
    anything |= writes && site.memory == MemoryKind::Unknown;
  }
  static_assert(kBufferSlots <= 64);
  std::vector<Memory> all;
  for (uint32_t slot = 0; slot < kBufferSlots; ++slot)
    if (const BufferAbi &buffer = request.buffers[slot]; buffer.base && (anything || slots >> slot & 1))
      all.emplace_back(buffer.begin(), buffer.allBytes());
  for (const BufferAbi &buffer : request.resources)
    if (anything)
      all.emplace_back(buffer.begin(), buffer.allBytes());
  std::sort(all.begin(), all.end()); // one buffer may have several slots
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Memory as it was, to be put back.
class Before {
public:
  explicit Before(std::vector<Memory> memory) : memory_(std::move(memory)) {
    for (const auto &[begin, bytes] : memory_)
      copies_.emplace_back(begin, bytes);
  }
  void putBack() const {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const auto &[begin, bytes] = memory_[i];
      for (const ByteRange &range : copies_[i].mayDiffer(SparseCopy(begin, bytes)))
        copies_[i].read(range.begin, begin + range.begin, range.size());
    }
  }

private:
  std::vector<Memory> memory_;
  std::vector<SparseCopy> copies_;
};

bool findsRaces(CheckRules rules) {
  return std::all_of(kCheckRules.begin(), kCheckRules.end(), [&](const CheckRuleInfo &info) {
    return info.rule > CheckRule::BarrierMemory || rules.has(info.rule);
  });
}

} // namespace

std::optional<runtime::DispatchReport> runWithoutFindings(const runtime::DispatchRequest &asked,
                                                          const KernelCodes &codes, CheckRules rules,
                                                          const std::vector<ArgumentInfo> &arguments,
                                                          const std::vector<UnwrittenMemory> &unwritten) {
  if (asked.observer || asked.countWork || asked.schedule.kind == runtime::ScheduleKind::Shuffle ||
      (rules.needValues() && !findsRaces(rules)))
    return std::nullopt;
  const bool threadgroup = rules.has(CheckRule::UninitialisedThreadgroup);
  const TrackUndefined track = trackingOf(threadgroup || rules.has(CheckRule::UninitialisedThread), false,
                                          rules.has(CheckRule::UndefinedResult));
  runtime::DispatchRequest request = asked;
  request.schedule.kind = runtime::ScheduleKind::Canonical;
  const Result<bool> chosen = codes.chooseWatchedSimdgroups(request, track);
  if (!chosen || !*chosen)
    return std::nullopt;

  std::vector<Memory> memory = writable(request);
  uint64_t bytes = 0;
  for (const auto &[begin, length] : memory)
    bytes += touchedMemory(begin, length).bytes();
  if (bytes > kMostBytes)
    return std::nullopt;
  for (const UnwrittenMemory &shadow : unwritten) {
    const BufferAbi &buffer = request.buffers[shadow.slot];
    memory.emplace_back(shadow.shadow - buffer.before, buffer.allBytes());
  }
  const Before before(std::move(memory));

  validation::UnwrittenReads reads(
      threadgroup, rules.has(CheckRule::UninitialisedDevice) ? unwritten : std::vector<UnwrittenMemory>());
  const bool values = rules.needValues();
  for (const CheckRuleInfo &info : kCheckRules)
    if (info.cost == CheckCost::Values)
      rules.set(info.rule, false);
  validation::Checks checkers(rules, arguments, values ? &reads : nullptr);
  request.observer = &checkers;
  Result<runtime::DispatchReport> report = runtime::run(request);
  if (report && !reads.found() && checkers.takeFindings().empty())
    return std::move(*report);
  before.putBack();
  return std::nullopt;
}

} // namespace assay::detail
