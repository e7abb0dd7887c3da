// See matrix_checker.h.
#include "validation/matrix_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::validation {

void MatrixChecker::dispatchBegin(const DispatchEvent &event) {
  sites_ = event.code->sites.data();
  placeOfSite_.assign(event.code->sites.size(), 0);
}

void MatrixChecker::groupBegin(const GroupEvent &) {
  places_.clear();
  std::fill(placeOfSite_.begin(), placeOfSite_.end(), 0u);
}

MatrixChecker::Place &MatrixChecker::placeOf(const SiteInfo &site) {
  uint32_t &number = placeOfSite_[size_t(&site - sites_)];
  if (!number) {
    const auto same = std::find_if(places_.begin(), places_.end(), [&](const Place &place) {
      return place.site->where == site.where && place.site->access == site.access;
    });
    number = uint32_t(same - places_.begin()) + 1;
    if (same == places_.end())
      places_.push_back({&site, {}});
  }
  return places_[number - 1];
}

void MatrixChecker::access(const GroupEvent &, const AccessEvent &event) {
  if (!event.site->together || !event.bytes)
    return;
  uint64_t *const visits = placeOf(*event.site).visits.data() + event.simdgroup * kSimdWidth;
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
    visits[lane] += event.mask >> lane & 1;
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
