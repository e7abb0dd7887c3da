#include "prepared_dispatch.h"
#include "both_engines.h"
#include "quick_check.h"
#include "validate.h"

#include "../support/process/sparse_pages.h"
#include "../validation/checks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <new>
#include <utility>

namespace assay::detail {

Result<bool> PreparedDispatch::readSize() {
  if (!indirect)
    return true;
  uint32_t groups[3];
  std::memcpy(groups, indirect->buffer.get() + indirect->offset, sizeof groups);
  if (!groups[0] || !groups[1] || !groups[2])
    return false;
  const PipelineFacts facts{.kernel = pipeline->kernel,
                            .activeArguments = {},
                            .maxThreads = pipeline->maxThreads(),
                            .requiredThreads = pipeline->options.requiredThreadsPerThreadgroup};
  const Result<Size> threads =
      validateSize(facts, {{groups[0], groups[1], groups[2]}, indirect->threadgroup, true});
  if (!threads)
    return threads.error();
  request.gridThreads = {uint32_t(threads->width), uint32_t(threads->height), uint32_t(threads->depth)};
  return true;
}

// Checkers have codes of their own, and an indirect dispatch no size yet.
std::function<void()> PreparedDispatch::prepareCode() const {
  if (checks.any() || indirect)
    return {};
  runtime::DispatchRequest size;
  size.gridThreads = request.gridThreads;
  size.threadsPerThreadgroup = request.threadsPerThreadgroup;
  size.schedule = request.schedule;
  size.observer = request.observer;
  size.countWork = request.countWork;
  pipeline->codes->prepare(size);
  return [pipeline = pipeline, size = std::move(size)] { pipeline->codes->finishPrepared(size); };
}

void PreparedDispatch::readRegion() {
  if (indirectRegion)
    std::memcpy(&stageInRegion.emplace(), indirectRegion->buffer.get() + indirectRegion->offset,
                sizeof(StageInRegion));
  const auto size3 = [](const uint32_t(&v)[3]) { return runtime::Size3{v[0], v[1], v[2]}; };
  if (stageInRegion)
    request.stageInRegion = {size3(stageInRegion->origin), size3(stageInRegion->size)};
}

// The table is a buffer of the kernel's like others, in a slot that no argument has.
Result<void> PreparedDispatch::fetchStageInput() {
  if (!stageBuffers)
    return {};
  Result<StageTable> table =
      detail::fetchStageInput(*pipeline->kernel, pipeline->activeArguments,
                              {*pipeline->options.stageInput, *stageBuffers, stageInRegion},
                              request.gridThreads.x, request.gridThreads.y);
  if (!table)
    return table.error();
  request.buffers[*pipeline->kernel->stageInputSlot()] = {table->memory.get(), table->bytes};
  owners.push_back(std::move(table->memory));
  return {};
}

Result<runtime::DispatchReport> PreparedDispatch::run() {
  const auto begin = std::chrono::steady_clock::now();
  const auto runFetched = [&]() -> Result<runtime::DispatchReport> {
    const Result<bool> something = readSize();
    if (!something)
      return something.error();
    if (!*something)
      return runtime::DispatchReport{};
    readRegion();
    const Result<void> fetched = fetchStageInput();
    return fetched ? runInCopies() : fetched.error();
  };
  Result<runtime::DispatchReport> report = runFetched();
  if (report)
    report->codeTime = codeTime_;
  if (finished) {
    DispatchRecord record{pipeline->kernel->name,
                          request.gridThreads,
                          request.threadsPerThreadgroup,
                          std::chrono::steady_clock::now() - begin - codeTime_,
                          report ? nullptr : &report.error(),
                          {}};
    if (report) {
      record.findings = report->findings;
      record.work = report->work ? &*report->work : nullptr;
    }
    finished(record);
  }
  return report;
}

namespace {

constexpr uint64_t kWord = 4;

// A word that no longer holds poison has been written.
void forgetWritten(uint8_t *shadow, const uint8_t *buffer, ByteRange range) {
  constexpr uint64_t kBlock = 32;
  const uint32_t poison = Buffer::kPoisonByte * 0x0101'0101u;
  uint32_t words[kBlock], shadows[kBlock];
  uint64_t begin = range.begin;
  for (; begin + sizeof words <= range.end; begin += sizeof words) {
    std::memcpy(words, buffer + begin, sizeof words);
    uint32_t differ = 0;
    for (const uint32_t word : words)
      differ |= word ^ poison;
    if (!differ)
      continue; // The shadow's page may be one that nobody has touched.
    std::memcpy(shadows, shadow + begin, sizeof shadows);
    for (uint64_t i = 0; i < kBlock; ++i)
      shadows[i] &= words[i] == poison ? ~0u : 0;
    std::memcpy(shadow + begin, shadows, sizeof shadows);
  }
  for (; begin < range.end; begin += kWord) {
    const uint64_t end = std::min(begin + kWord, range.end);
    if (!std::all_of(buffer + begin, buffer + end, [](uint8_t b) { return b == Buffer::kPoisonByte; }))
      std::fill(shadow + begin, shadow + end, uint8_t(0));
  }
}

bool hasAny(const uint8_t *begin, const uint8_t *end) {
  uint64_t words[16];
  for (; end - begin >= ptrdiff_t(sizeof words); begin += sizeof words) {
    std::memcpy(words, begin, sizeof words);
    uint64_t any = 0;
    for (const uint64_t word : words)
      any |= word;
    if (any)
      return true;
  }
  return std::any_of(begin, end, [](uint8_t b) { return b != 0; });
}

// The host has written, or a dispatch without checks. Pages of the buffer that nobody has touched hold poison
// still. Whether anything is left that nobody has written.
bool forgetWritten(uint8_t *shadow, const uint8_t *buffer, uint64_t length) {
  TouchedMemory touched = touchedMemory(buffer, length);
  if (touched.fill != Buffer::kPoisonByte)
    touched.ranges = {{0, length}};
  for (const ByteRange &range : touched.ranges)
    forgetWritten(shadow, buffer,
                  {range.begin / kWord * kWord, std::min((range.end + kWord - 1) / kWord * kWord, length)});
  const TouchedMemory left = touchedMemory(shadow, length);
  return (left.fill && left.bytes() < length) ||
         std::any_of(left.ranges.begin(), left.ranges.end(), [&](const ByteRange &range) {
           return hasAny(shadow + range.begin, shadow + range.end);
         });
}

} // namespace

std::vector<UnwrittenMemory> PreparedDispatch::unwrittenMemory() const {
  std::vector<UnwrittenMemory> all;
  for (const UnwrittenBinding &binding : unwritten) {
    if (!binding.bytes->any || !binding.length)
      continue;
    if (!binding.bytes->shadow)
      binding.bytes->shadow = allocatePages(binding.length, 0xff);
    auto *shadow = reinterpret_cast<uint8_t *>(binding.bytes->shadow.get());
    const uint8_t *buffer = request.buffers[binding.slot].base - binding.offset;
    if (forgetWritten(shadow, buffer, binding.length))
      all.push_back({binding.slot, shadow + binding.offset});
  }
  return all;
}

// Checkers need one order of threadgroups. What they found before a fault is told with it.
Result<runtime::DispatchReport> PreparedDispatch::runChecked() {
  if (!checks.any())
    return runCode();
  const auto unwrittenNow = [&] {
    return checks.needValues() ? unwrittenMemory() : std::vector<UnwrittenMemory>();
  };
  if (std::optional<runtime::DispatchReport> report = runWithoutFindings(
          request, *pipeline->codes, checks, pipeline->activeArguments, unwrittenNow(), codeTime_)) {
    if (judge)
      if (std::optional<Error> error = judge(pipeline->kernel->name, {}))
        return std::move(*error);
    return std::move(*report);
  }
  validation::Checks checkers(checks, pipeline->activeArguments, request.observer, unwrittenNow());
  Observer *const before = std::exchange(request.observer, &checkers);
  if (request.schedule.kind == runtime::ScheduleKind::Parallel)
    request.schedule.kind = runtime::ScheduleKind::Canonical;
  Result<runtime::DispatchReport> report = runCode();
  request.observer = before;
  std::vector<Finding> findings = checkers.takeFindings();
  if (report) {
    if (judge)
      if (std::optional<Error> error = judge(pipeline->kernel->name, findings))
        return std::move(*error);
    report->findings = std::move(findings);
    return report;
  }
  Error error = report.error();
  for (const Finding &finding : findings)
    for (Diagnostic &diagnostic : diagnosticsOf(finding))
      error.diagnostics.push_back(std::move(diagnostic));
  return error;
}

// What is counted is a pipeline that reports nothing else: its marks would be in the way of the optimiser.
Result<void> PreparedDispatch::checkCounting() const {
  const Observer *const observer = request.observer;
  const PipelineOptions &options = pipeline->options;
  const auto refused = [](std::string_view what, std::string_view hint) {
    return Error::usage("work-count", fmt::format("work is not counted {}", what), std::string(hint));
  };
  if (pipeline->codes->reference())
    return refused("by the reference engine", "use the engine 'fiber'");
  if (checks.any() || options.observeMemory || options.trackUndefined != TrackUndefined::No ||
      (observer && (observer->wantsMemory() || observer->tracksUndefined() != TrackUndefined::No)))
    return refused("while accesses or values are watched", "run it twice, once for each");
  return {};
}

Result<runtime::DispatchReport> PreparedDispatch::runCode() {
  if (request.countWork)
    if (const Result<void> possible = checkCounting(); !possible)
      return possible.error();
  if (const ReferenceRun *reference = pipeline->codes->reference())
    return reference->run(request);
  if (const Result<void> chosen = timed([&] { return pipeline->codes->choose(request); }); !chosen)
    return chosen.error();
  if (pipeline->codes->comparesEngines() && request.code->info->threadsPerCall > 1) {
    const Result<const KernelCode *> fibers = timed([&] { return pipeline->codes->fibers(); });
    return fibers ? runOnBoth(request, **fibers, pipeline->kernel->name) : fibers.error();
  }
  Result<runtime::DispatchReport> report = runtime::run(request);
  if (report)
    pipeline->codes->ran(request, report->runTime);
  return report;
}

Result<runtime::DispatchReport> PreparedDispatch::runInCopies() {
  if (unaligned.empty())
    return runChecked();
  struct Copy {
    uint8_t *aligned;
    uint64_t bytes;
    bool written;
  };
  // By the begin of the buffer, which several slots may share.
  std::map<uint8_t *, Copy> copies;
  const auto release = [](void *memory) { ::operator delete(memory, std::align_val_t(kBufferAlignment)); };
  for (const Unaligned &u : unaligned) {
    BufferAbi &buffer = request.buffers[u.slot];
    Copy &copy = copies[buffer.begin()];
    if (!copy.aligned) {
      const uint64_t bytes = buffer.allBytes();
      copy.aligned = static_cast<uint8_t *>(::operator new(bytes, std::align_val_t(kBufferAlignment)));
      copy.bytes = bytes;
      owners.emplace_back(copy.aligned, release);
      std::memcpy(copy.aligned, buffer.begin(), bytes);
    }
    copy.written |= u.written;
    buffer.base = copy.aligned + buffer.before;
  }
  unaligned.clear();
  Result<runtime::DispatchReport> report = runChecked();
  for (const auto &[original, copy] : copies)
    if (copy.written)
      std::memcpy(original, copy.aligned, copy.bytes);
  return report;
}

} // namespace assay::detail
