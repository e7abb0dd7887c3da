// See matrix_checker.h.
#include "validation/matrix_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {

void MatrixChecker::groupBegin(const GroupEvent &) {
  places_.clear();
  placeOfSite_.clear();
}

MatrixChecker::Place &MatrixChecker::placeOf(const SiteInfo &site) {
  const auto [found, isNew] = placeOfSite_.try_emplace(&site, places_.size());
  if (isNew) {
    const auto same = std::find_if(places_.begin(), places_.end(), [&](const Place &place) {
      return place.site->where == site.where && place.site->access == site.access;
    });
    found->second = size_t(same - places_.begin());
    if (same == places_.end())
      places_.push_back({&site, {}});
  }
  return places_[found->second];
}

void MatrixChecker::access(const GroupEvent &, const AccessEvent &event) {
  if (!event.site->together || !event.bytes)
    return;
  Place &place = placeOf(*event.site);
  event.forEachThread([&](uint32_t thread, uint64_t) { ++place.visits[thread]; });
}

void MatrixChecker::groupEnd(const GroupEvent &group) {
  for (const Place &place : places_)
    for (uint32_t begin = 0; begin < group.threadCount(); begin += kSimdWidth) {
      const auto *visits = place.visits.data() + begin; // none by lanes that do not exist
      const uint64_t most = *std::max_element(visits, visits + kSimdWidth);
      uint32_t missing = 0;
      for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
        missing |= uint32_t(visits[lane] != most) << lane;
      if (!missing)
        continue;
      findings().add(CheckRule::MatrixLanes, place.site->where, [&]() -> FindingText {
        return {
            fmt::format("simdgroup {} of {} {} a simdgroup_matrix here, and not all of its lanes come as "
                        "often: {} {}",
                        begin / kSimdWidth, groupText(group.position),
                        place.site->access == AccessKind::Read ? "loads" : "stores", lanesText(missing),
                        begin + kSimdWidth > group.threadCount() ? "do not, or do not exist" : "do not"),
            "",
            "all 32 lanes must come to the operation: move it out of the condition, and make threadgroups "
            "a multiple of 32 threads"};
      });
    }
}

} // namespace assay::validation
