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

void LaneScheduler::observeBarrier() {
  eventLog_.deliver();
  HostMxcsr host;
  const uint32_t threads = event_->threadCount(), perCall = plan_.info.threadsPerCall;
  std::vector<const SiteInfo *> sites(threads);
  std::vector<uint32_t> flags(threads);
  std::vector<uint64_t> iterations(threads);
  const auto fill = [&](uint32_t thread, const SiteInfo &site, uint32_t named, const uint32_t *counters) {
    sites[thread] = &site;
    flags[thread] = named;
    iterations[thread] = 0;
    for (const SiteLoop &loop : site.loops)
      iterations[thread] = iterations[thread] * 0x9E3779B97F4A7C15 + counters[loop.counter] + 1;
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
      forEachLane(eventLog_.lanesAtBarrier(i),
                  [&](uint32_t member) { fill(i * perCall + member, site, named, counters); });
  }
  plan_.observer->barrier(*event_, {sites.data(), threads, flags.data(), iterations.data()});
}

} // namespace assay::runtime
