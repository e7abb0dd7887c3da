// Works out a request; see run_plan.h.
#include "runtime/run_plan.h"

#include "runtime/fiber.h"

#include <algorithm>
#include <xmmintrin.h>

namespace assay::runtime {
namespace {

constexpr unsigned kMxcsrDefault = 0x1f80; // round to nearest even, exceptions masked
constexpr unsigned kMxcsrFlush = 0x8040;   // FTZ and DAZ

uint32_t ceilDivide(uint32_t a, uint32_t b) {
  return a / b + (a % b != 0);
}

ScheduleKind resolve(const DispatchRequest &request) {
  if (request.schedule.kind != ScheduleKind::Automatic)
    return request.schedule.kind;
  const bool oneOrder = request.code->info->usesFloatAtomics || request.observer;
  return oneOrder ? ScheduleKind::Canonical : ScheduleKind::Parallel;
}

bool mayWait(const KernelCodeInfo &info) {
  if (info.takesTurns)
    return false;
  auto waits = [&](const SiteInfo &site) {
    return site.kind == SiteKind::ThreadgroupBarrier || site.kind == SiteKind::Spin ||
           (site.kind == SiteKind::Simd && info.threadsPerCall == 1);
  };
  return info.needsFibers() || std::any_of(info.sites.begin(), info.sites.end(), waits);
}

// Whoever watches or logs is told of each threadgroup.
bool runsInTurn(const DispatchRequest &request) {
  const KernelCodeInfo &info = *request.code->info;
  return info.wholeThreadgroups && !request.observer &&
         std::none_of(info.sites.begin(), info.sites.end(),
                      [](const SiteInfo &site) { return site.kind == SiteKind::Log; });
}

uint32_t aligned(uint32_t bytes) {
  return (bytes + kThreadgroupMemoryAlignment - 1) / kThreadgroupMemoryAlignment *
         kThreadgroupMemoryAlignment;
}

// One buffer may be bound twice, at two offsets. Both pieces end with the buffer, so the longer one stands
// for both. Buffers that only touch stay two.
std::vector<MemoryRange> apart(std::vector<MemoryRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const MemoryRange &a, const MemoryRange &b) { return a.first < b.first; });
  std::vector<MemoryRange> result;
  for (const MemoryRange &range : ranges)
    if (!result.empty() && range.first < result.back().last)
      result.back().last = std::max(result.back().last, range.last);
    else
      result.push_back(range);
  return result;
}

} // namespace

RunPlan::RunPlan(const DispatchRequest &r)
    : request(r), codes(r.edgeCodes), info(*r.code->info), observer(r.observer), schedule(resolve(r)),
      fibers(mayWait(info)), inTurn(runsInTurn(r)), maxCalls(callsFor(r.threadsPerThreadgroup)) {
  codes[0] = r.code;
  std::replace(codes.begin(), codes.end(), static_cast<const KernelCode *>(nullptr), r.code);
  const Size3 &t = r.threadsPerThreadgroup;
  groups = {ceilDivide(r.gridThreads.x, t.x), ceilDivide(r.gridThreads.y, t.y),
            ceilDivide(r.gridThreads.z, t.z)};
  mxcsr = kMxcsrDefault | (r.numerics.flushesInHardware() ? kMxcsrFlush : 0);
  stackBytes = frameBytes = 0;
  for (const KernelCode *code : codes) {
    stackBytes = std::max<size_t>(stackBytes, code->info->stackBytes);
    frameBytes = std::max(frameBytes, code->info->frameBytes);
  }
  const bool quick =
      std::any_of(codes.begin(), codes.end(), [](const KernelCode *code) { return code->info->isQuick; });
  groupTimeout = r.groupTimeout * (quick ? kQuickSlowness : 1);
  stackBytes += kRuntimeStackBytes + (observer ? kObserverStackBytes : 0);

  std::copy(r.buffers.begin(), r.buffers.end(), dispatch.buffers);
  tensors.reserve(r.tensors.size());
  for (const BoundTensor &bound : r.tensors) {
    TensorAbi &record = tensors.emplace_back(bound.record);
    record.first = r.buffers[bound.slot].base;
    dispatch.tensors[bound.slot] = &record;
  }
  arenaBytes = aligned(info.staticThreadgroupBytes);
  for (uint32_t slot = 0; slot < kThreadgroupSlots; ++slot) {
    dispatch.threadgroupOffset[slot] = arenaBytes;
    dispatch.threadgroupBytes[slot] = r.threadgroupBytes[slot];
    arenaBytes += aligned(r.threadgroupBytes[slot]);
  }

  for (const SiteInfo &site : info.sites) {
    RunSite &use = sites.emplace_back();
    use.evaluate = site.kind == SiteKind::Simd ? simdFunction(site.op, site.type) : nullptr;
    use.count = site.count;
    use.published = site.published;
    use.allLanes = site.kind == SiteKind::Simd && needsAllLanes(site.op);
    for (const SiteLoop &loop : site.loops)
      use.counters.push_back(loop.counter);
  }
  const auto addBuffer = [this](const BufferAbi &buffer) {
    const uint64_t first = reinterpret_cast<uintptr_t>(buffer.begin());
    if (buffer.base)
      memory.push_back({first, first + buffer.allBytes()});
  };
  std::for_each(r.buffers.begin(), r.buffers.end(), addBuffer);
  std::for_each(r.resources.begin(), r.resources.end(), addBuffer);
  for (const TensorAbi &record : tensors) {
    const uint64_t first = reinterpret_cast<uintptr_t>(&record);
    memory.push_back({first, first + sizeof record});
  }
  for (size_t i = 0; i < codes.size(); ++i)
    if (std::find(codes.begin(), codes.begin() + i, codes[i]) == codes.begin() + i)
      for (auto [first, last] : codes[i]->dataRanges)
        memory.push_back({first, last});
  memory = apart(std::move(memory));
}

const MemoryRange *RunPlan::memoryAt(uint64_t address) const {
  auto above = std::upper_bound(memory.begin(), memory.end(), address,
                                [](uint64_t a, const MemoryRange &range) { return a < range.first; });
  return above != memory.begin() && address <= (above - 1)->last ? &*(above - 1) : nullptr;
}

bool RunPlan::isConstant(uint64_t address) const {
  return std::ranges::any_of(codes, [&](const KernelCode *code) {
    return std::ranges::any_of(code->dataRanges, [&](const auto &range) {
      return address >= range.first && address < range.second;
    });
  });
}

// A signal handler calls it.
const KernelCode *RunPlan::codeAt(uintptr_t pc) const {
  for (const KernelCode *code : codes)
    for (auto [first, last] : code->codeRanges)
      if (pc >= first && pc < last)
        return code;
  return nullptr;
}

SourcePlace RunPlan::locate(uintptr_t pc) const {
  const KernelCode *code = codeAt(pc);
  return code && code->locate ? code->locate(pc) : SourcePlace{};
}

size_t RunPlan::cutBy(Size3 threads) const {
  const Size3 &full = request.threadsPerThreadgroup;
  return (threads.x != full.x ? 1 : 0) + (threads.y != full.y ? 2 : 0) + (threads.z != full.z ? 4 : 0);
}

Size3 RunPlan::groupPosition(uint64_t index) const {
  return {uint32_t(index % groups.x), uint32_t(index / groups.x % groups.y),
          uint32_t(index / groups.x / groups.y)};
}

Size3 RunPlan::groupThreads(Size3 position) const {
  const Size3 &grid = request.gridThreads, &full = request.threadsPerThreadgroup;
  return {std::min(full.x, grid.x - position.x * full.x), std::min(full.y, grid.y - position.y * full.y),
          std::min(full.z, grid.z - position.z * full.z)};
}

} // namespace assay::runtime
