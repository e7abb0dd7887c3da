// What the lanes of a threadgroup tell an observer (support/abi/observer.h).
#include "runtime/host_mxcsr.h"
#include "runtime/lane_scheduler.h"

#include <algorithm>

namespace assay::runtime {

void LaneScheduler::observeSimdOp(const Simdgroup &simdgroup, uint32_t active) {
  const SiteInfo &site = plan_.info.sites[simdgroup.site[__builtin_ctz(active)]];
  if (site.op == SimdOp::Lockstep)
    return; // no operation of the kernel's
  deliverEvents();
  HostMxcsr host;
  const void *in[kSimdWidth] = {}, *out[kSimdWidth] = {};
  forEachLane(active, [&](uint32_t lane) {
    in[lane] = simdgroup.in[lane];
    out[lane] = simdgroup.out[lane];
  });
  const uint32_t index = uint32_t(&simdgroup - simdgroups_);
  plan_.observer->simdOp(*event_, {&site, index, active, in, out, simdgroup.operand});
}

// Lanes run one after the other from one meeting to the next, so what one did there is a run of events. Lanes
// that went the same way have runs of the same sites, and these are told event by event, with all lanes.
// Atomic operations keep the order in which they were performed.
void LaneScheduler::deliverEvents() {
  if (events_.empty())
    return;
  const HostMxcsr host;
  const bool together = plan_.observer->takesLanesTogether();
  KeptRun runs[kSimdWidth];
  size_t count = 0;
  uint32_t lanes = 0;
  bool joinable = false; // the runs that wait have no atomic operation
  const auto deliver = [&] {
    deliverTogether({runs, count});
    count = lanes = 0;
  };
  for (size_t begin = 0; begin < events_.size();) {
    const size_t end = runEnd(begin);
    const KeptRun run(events_.data() + begin, end - begin);
    const uint32_t lane = 1u << run.front().thread % kSimdWidth;
    if (count && (!joinable || lanes & lane || !joins(run, runs[0])))
      deliver();
    if (!count)
      joinable = together && !hasAtomics(run);
    runs[count++] = run;
    lanes |= lane;
    begin = end;
  }
  deliver();
  events_.clear();
}

size_t LaneScheduler::runEnd(size_t begin) const {
  size_t end = begin + 1;
  while (end < events_.size() && events_[end].thread == events_[begin].thread)
    ++end;
  return end;
}

bool LaneScheduler::joins(KeptRun run, KeptRun first) const {
  if (run.size() != first.size() || run.front().thread / kSimdWidth != first.front().thread / kSimdWidth)
    return false;
  for (size_t i = 0; i < run.size(); ++i)
    if (run[i].site != first[i].site || run[i].bytes != first[i].bytes)
      return false;
  return true;
}

bool LaneScheduler::hasAtomics(KeptRun run) const {
  return std::any_of(run.begin(), run.end(), [&](const KeptEvent &event) {
    return event.site != kThreadEnd && plan_.info.sites[event.site].access == AccessKind::Atomic;
  });
}

void LaneScheduler::deliverTogether(std::span<const KeptRun> runs) {
  uint64_t addresses[kSimdWidth];
  for (size_t i = 0; i < runs[0].size(); ++i) {
    const KeptEvent &first = runs[0][i];
    uint32_t mask = 0;
    for (const KeptRun &run : runs) {
      if (first.site == kThreadEnd) {
        plan_.observer->threadEnd(*event_, run[i].thread);
        continue;
      }
      const uint32_t lane = run[i].thread % kSimdWidth;
      addresses[lane] = run[i].address;
      mask |= 1u << lane;
    }
    if (mask)
      plan_.observer->access(
          *event_, {&plan_.info.sites[first.site], first.thread / kSimdWidth, mask, addresses, first.bytes});
  }
}

void LaneScheduler::observeBarrier() {
  deliverEvents();
  HostMxcsr host;
  std::vector<const SiteInfo *> sites(callCount_);
  std::vector<uint32_t> flags(callCount_);
  std::vector<uint64_t> iterations(callCount_);
  for (uint32_t i = 0; i < callCount_; ++i) {
    const Simdgroup &simdgroup = simdgroups_[i / kSimdWidth];
    const uint32_t lane = i % kSimdWidth;
    const bool live = simdgroup.live >> lane & 1;
    sites[i] = live ? &plan_.info.sites[simdgroup.site[lane]] : nullptr;
    flags[i] = live ? simdgroup.operand[lane] : 0;
    iterations[i] = 0;
    if (live)
      for (const SiteLoop &loop : sites[i]->loops)
        iterations[i] = iterations[i] * 0x9E3779B97F4A7C15 + simdgroup.lanes[lane].loop[loop.counter] + 1;
  }
  plan_.observer->barrier(*event_, {sites.data(), callCount_, flags.data(), iterations.data()});
}

} // namespace assay::runtime
