// What the lanes of a threadgroup tell an observer (support/abi/observer.h).
#include "runtime/host_mxcsr.h"
#include "runtime/lane_scheduler.h"

namespace assay::runtime {

void LaneScheduler::observeSimdOp(const Simdgroup &simdgroup, uint32_t active) {
  const SiteInfo &site = plan_.info.sites[simdgroup.site[__builtin_ctz(active)]];
  if (site.op == SimdOp::Lockstep)
    return; // no operation of the kernel's
  eventLog_.deliver();
  HostMxcsr host;
  const void *in[kSimdWidth] = {}, *out[kSimdWidth] = {};
  forEachLane(active, [&](uint32_t lane) {
    in[lane] = simdgroup.in[lane];
    out[lane] = simdgroup.out[lane];
  });
  const uint32_t index = uint32_t(&simdgroup - simdgroups_);
  plan_.observer->simdOp(*event_, {&site, index, active, in, out, simdgroup.operand});
}

// Whether all threads are at one barrier in the same iterations, where simdgroups run as one program each.
bool LaneScheduler::wholeSimdgroupsAtBarrier() const {
  if (plan_.info.threadsPerCall != kSimdWidth)
    return false;
  const Simdgroup &first = simdgroups_[0];
  const SiteInfo &site = plan_.info.sites[first.site[0]];
  for (uint32_t i = 0; i < callCount_; ++i) {
    const Simdgroup &simdgroup = simdgroups_[i / kSimdWidth];
    const uint32_t lane = i % kSimdWidth;
    const std::span<const EventLog::Waiting> waiting = eventLog_.waiting(i);
    if (!(simdgroup.live >> lane & 1) || waiting.size() != 1 || waiting[0].site != first.site[0] ||
        simdgroup.site[lane] != first.site[0] || simdgroup.operand[lane] != first.operand[0] ||
        waiting[0].mask != ~0u >> (kSimdWidth - std::min(kSimdWidth, event_->threadCount() - i * kSimdWidth)))
      return false;
    for (const SiteLoop &loop : site.loops)
      if (simdgroup.lanes[lane].loop[loop.counter] != first.lanes[0].loop[loop.counter])
        return false;
  }
  return true;
}

void LaneScheduler::observeBarrier() {
  eventLog_.deliver();
  HostMxcsr host;
  const uint32_t threads = event_->threadCount(), perCall = plan_.info.threadsPerCall;
  auto &[sites, flags, iterations, whole] = atBarrier_;
  const auto iterationsOf = [](const SiteInfo &site, const uint32_t *counters) {
    uint64_t all = 0;
    for (const SiteLoop &loop : site.loops)
      all = all * 0x9E3779B97F4A7C15 + counters[loop.counter] + 1;
    return all;
  };
  if (wholeSimdgroupsAtBarrier()) {
    const SiteInfo *const site = &plan_.info.sites[simdgroups_[0].site[0]];
    const uint32_t named = simdgroups_[0].operand[0];
    const uint64_t iteration = iterationsOf(*site, simdgroups_[0].lanes[0].loop);
    if (!whole || sites.size() != threads || sites[0] != site || flags[0] != named) {
      sites.assign(threads, site);
      flags.assign(threads, named);
    }
    iterations.assign(threads, iteration);
    whole = true;
    eventLog_.forgetWaiting();
    return plan_.observer->barrier(*event_, {sites.data(), threads, flags.data(), iterations.data(), true});
  }
  whole = false;
  sites.assign(threads, nullptr);
  flags.assign(threads, 0);
  iterations.assign(threads, 0);
  const auto fill = [&](uint32_t thread, const SiteInfo &site, uint32_t named, const uint32_t *counters) {
    sites[thread] = &site;
    flags[thread] = named;
    iterations[thread] = iterationsOf(site, counters);
  };
  for (uint32_t i = 0; i < callCount_; ++i) {
    const Simdgroup &simdgroup = simdgroups_[i / kSimdWidth];
    const uint32_t lane = i % kSimdWidth;
    if (!(simdgroup.live >> lane & 1))
      continue;
    const SiteInfo &site = plan_.info.sites[simdgroup.site[lane]];
    const uint32_t *const counters = simdgroup.lanes[lane].loop, named = simdgroup.operand[lane];
    if (perCall == 1)
      fill(i, site, named, counters);
    else
      for (const EventLog::Waiting &waiting : eventLog_.waiting(i))
        forEachLane(waiting.mask, [&](uint32_t member) {
          fill(i * perCall + member, plan_.info.sites[waiting.site], named, counters);
        });
  }
  eventLog_.forgetWaiting();
  plan_.observer->barrier(*event_, {sites.data(), threads, flags.data(), iterations.data()});
}

} // namespace assay::runtime
