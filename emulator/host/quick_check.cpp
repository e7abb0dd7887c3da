// See quick_check.h.
#include "quick_check.h"

#include "../support/process/sparse_pages.h"
#include "../validation/checks.h"
#include "../validation/race_filter.h"
#include "../validation/unwritten_reads.h"
#include "../validation/written_bytes.h"

#include <algorithm>
#include <utility>

namespace assay::detail {

using namespace validation;

namespace {

constexpr uint64_t kMostComparedBytes = uint64_t(1) << 30;

using Memory = std::pair<uint8_t *, uint64_t>; // where, and how many bytes

// What it may write: of a kernel with a pointer of unknown origin, everything.
std::vector<Memory> writableMemory(const runtime::DispatchRequest &request) {
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
  /// The first ones are buffers, in which others may write elsewhere meanwhile.
  Before(std::vector<Memory> memory, size_t buffers) : memory_(std::move(memory)), buffers_(buffers) {
    for (const auto &[begin, bytes] : memory_)
      copies_.emplace_back(begin, bytes);
  }
  /// What has been written, and shadows.
  ///   all   instead all that has changed
  void putBack(const BytesByRow &written, bool all) const {
    for (size_t i = 0; i < memory_.size(); ++i)
      if (all || i >= buffers_)
        copies_[i].restore(memory_[i].first);
    for (const auto &[row, bytes] : written)
      for (RowBytes rest = bytes; rest;) {
        const uint64_t from = lowestByte(rest), to = from + lowestByte(~(rest >> from));
        const uint64_t address = row * kRowBytes + from;
        putBack(address, address + to - from);
        rest &= to < kRowBytes ? ~RowBytes(0) << to : 0;
      }
  }

private:
  void putBack(uint64_t from, uint64_t to) const {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const uint64_t memory = reinterpret_cast<uintptr_t>(memory_[i].first);
      const uint64_t begin = std::max(from, memory), end = std::min(to, memory + memory_[i].second);
      if (begin < end)
        copies_[i].read(begin - memory, memory_[i].first + (begin - memory), end - begin);
    }
  }

  std::vector<Memory> memory_;
  size_t buffers_;
  std::vector<SparseCopy> copies_;
};

bool isRace(CheckRule rule) {
  return rule <= CheckRule::BarrierMemory;
}

bool findsRaces(CheckRules rules) {
  return std::all_of(kCheckRules.begin(), kCheckRules.end(),
                     [&](const CheckRuleInfo &info) { return !isRace(info.rule) || rules.has(info.rule); });
}

template <class Which> CheckRules without(CheckRules rules, Which which) {
  for (const CheckRuleInfo &info : kCheckRules)
    if (which(info))
      rules.set(info.rule, false);
  return rules;
}

bool mayFilter(const runtime::DispatchRequest &request) {
  return RaceFilter::takes(*request.code->info) &&
         std::all_of(request.edgeCodes.begin(), request.edgeCodes.end(),
                     [](const KernelCode *code) { return !code || RaceFilter::takes(*code->info); });
}

// A fault that comes between any two instructions.
bool mayWriteUntold(const Error &error) {
  return !error.is("out-of-bounds") && !error.is("partial-simdgroup");
}

// One run on vectors.
struct Attempt {
  Result<runtime::DispatchReport> report;
  bool clean;       ///< nothing was found
  bool onlyDoubted; ///< by the filter alone, which may be wrong
  BytesByRow written;
};

Attempt attempt(runtime::DispatchRequest request, CheckRules rules,
                const std::vector<ArgumentInfo> &arguments, const std::vector<UnwrittenMemory> &unwritten,
                bool filter) {
  const bool threadgroup = rules.has(CheckRule::UninitialisedThreadgroup), values = rules.needValues();
  Checks checkers(without(rules,
                          [&](const CheckRuleInfo &info) {
                            return info.cost == CheckCost::Values || (filter && isRace(info.rule));
                          }),
                  arguments);
  UnwrittenReads reads(threadgroup && !filter, rules.has(CheckRule::UninitialisedDevice)
                                                   ? unwritten
                                                   : std::vector<UnwrittenMemory>());
  RaceFilter races(threadgroup, values ? &reads : nullptr);
  WrittenBytes written;
  if (filter) {
    checkers.add(races);
  } else {
    checkers.add(written);
    if (values)
      checkers.add(reads);
  }
  request.observer = &checkers;
  Result<runtime::DispatchReport> report = runtime::run(request);
  const bool sure = !report || reads.found() || races.foundUnwritten() || !checkers.takeFindings().empty();
  Attempt made{std::move(report), !sure && !races.found(), !sure && races.found(), written.all()};
  if (filter && !made.clean)
    races.addWritten(made.written);
  return made;
}

} // namespace

std::optional<runtime::DispatchReport> runWithoutFindings(const runtime::DispatchRequest &asked,
                                                          const KernelCodes &codes, CheckRules rules,
                                                          const std::vector<ArgumentInfo> &arguments,
                                                          const std::vector<UnwrittenMemory> &unwritten,
                                                          std::chrono::nanoseconds &codeTime) {
  if (asked.observer || asked.countWork || asked.schedule.kind == runtime::ScheduleKind::Shuffle ||
      (rules.needValues() && !findsRaces(rules)))
    return std::nullopt;
  const bool threadgroup = rules.has(CheckRule::UninitialisedThreadgroup);
  const TrackUndefined track = trackingOf(threadgroup || rules.has(CheckRule::UninitialisedThread), false,
                                          rules.has(CheckRule::UndefinedResult));
  runtime::DispatchRequest request = asked;
  request.schedule.kind = runtime::ScheduleKind::Canonical;
  const auto begin = std::chrono::steady_clock::now();
  const Result<bool> chosen = codes.chooseWatchedSimdgroups(request, track);
  codeTime += std::chrono::steady_clock::now() - begin;
  if (!chosen || !*chosen)
    return std::nullopt;

  std::vector<Memory> memory = writableMemory(request);
  uint64_t bytes = 0;
  for (const auto &[begin, length] : memory)
    bytes += touchedMemory(begin, length).bytes();
  if (bytes > kMostComparedBytes)
    return std::nullopt;
  const size_t buffers = memory.size();
  for (const UnwrittenMemory &shadow : unwritten) {
    const BufferAbi &buffer = request.buffers[shadow.slot];
    memory.emplace_back(shadow.shadow - buffer.before, buffer.allBytes());
  }
  const Before before(std::move(memory), buffers);

  const bool filters =
      std::any_of(kCheckRules.begin(), kCheckRules.end(),
                  [&](const CheckRuleInfo &info) { return isRace(info.rule) && rules.has(info.rule); }) &&
      mayFilter(request);
  for (const bool filter : {true, false}) {
    if (filter && !filters)
      continue;
    Attempt made = attempt(request, rules, arguments, unwritten, filter);
    if (made.clean)
      return std::move(*made.report);
    before.putBack(made.written, !made.report && mayWriteUntold(made.report.error()));
    if (!made.onlyDoubted)
      break;
  }
  return std::nullopt;
}

} // namespace assay::detail
