// See barrier_checker.h.
#include "validation/barrier_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {
namespace {

uint32_t lanesOf(const GroupEvent &group, uint32_t simdgroup) {
  const uint32_t lanes = std::min(kSimdWidth, group.threadCount() - simdgroup * kSimdWidth);
  return lanes == kSimdWidth ? ~0u : (1u << lanes) - 1;
}

} // namespace

void BarrierChecker::groupBegin(const GroupEvent &group) {
  ended_.assign((group.threadCount() + kSimdWidth - 1) / kSimdWidth, 0);
}

void BarrierChecker::threadEnd(const GroupEvent &, uint32_t thread) {
  ended_[thread / kSimdWidth] |= 1u << thread % kSimdWidth;
}

void BarrierChecker::barrier(const GroupEvent &group, const BarrierEvent &event) {
  if (event.whole)
    return;
  uint32_t first = ~0u, missing = 0, absent = ~0u;
  for (uint32_t i = 0; i < event.threads; ++i) {
    if (!event.sites[i]) {
      ++missing;
      absent = std::min(absent, i);
    } else if (first == ~0u) {
      first = i;
    }
  }
  if (first == ~0u)
    return;
  const SiteInfo &site = *event.sites[first];
  if (missing)
    findings().add(CheckRule::BarrierSkipped, site.where, [&]() -> FindingText {
      return {
          fmt::format("{} of {} waits at this threadgroup_barrier, and {} of {} threads have returned "
                      "without it, the first is {}",
                      threadText(first), groupText(group.position), missing, event.threads,
                      threadText(absent)),
          "",
          "let every thread come to the barrier: put a condition around the work, not a return before it"};
    });
  for (uint32_t i = first + 1; i < event.threads; ++i) {
    if (!event.sites[i])
      continue;
    const SourcePlace &where = event.sites[i]->where;
    const bool anotherCall = event.sites[i]->calls != site.calls; // of the function that it stands in
    const bool elsewhere = !(where == site.where) || anotherCall;
    // The optimiser may have copied a barrier: then the places are equal, and iterations mean nothing.
    if (!elsewhere &&
        (event.sites[i] != event.sites[first] || event.iterations[i] == event.iterations[first]))
      continue;
    findings().add(CheckRule::BarrierDivergence, where, site.where, true, [&]() -> FindingText {
      return {fmt::format("{} of {} waits at this threadgroup_barrier while {} waits at {}", threadText(i),
                          groupText(group.position), threadText(first),
                          !(where == site.where) ? "another one"
                          : anotherCall          ? "it in another call of the function"
                                                 : "it in another iteration"),
              elsewhere ? fmt::format("the threadgroup_barrier of {}", threadText(first)) : "",
              "all threads of a threadgroup must come to the same barrier: move it out of the condition"};
    });
    return;
  }
}

void BarrierChecker::simdOp(const GroupEvent &group, const SimdEvent &event) {
  if (event.site->op != SimdOp::Barrier)
    return;
  const uint32_t missing = lanesOf(group, event.simdgroup) & ~event.activeMask;
  if (!missing)
    return;
  findings().add(CheckRule::SimdgroupBarrierLanes, event.site->where, [&]() -> FindingText {
    const uint32_t ended = missing & ended_[event.simdgroup];
    return {fmt::format("simdgroup {} of {} is at this simdgroup_barrier without {}{}", event.simdgroup,
                        groupText(group.position), lanesText(missing),
                        ended == missing ? ", which returned before" : ""),
            "", "all lanes of a simdgroup must come to the same barrier: move it out of the condition"};
  });
}

} // namespace assay::validation
