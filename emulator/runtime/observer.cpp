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
