// See access_form.h.
#include "validation/access_form.h"

#include "validation/filter_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace assay::validation {

AccessForm::AccessForm(const int64_t *distances, uint64_t bytes) : bytes_(bytes) {
  constexpr size_t kMostRuns = 16;
  std::memcpy(distances_.data(), distances, sizeof distances_);
  std::array<uint32_t, kSimdWidth> lanes;
  std::iota(lanes.begin(), lanes.end(), 0u);
  std::stable_sort(lanes.begin(), lanes.end(),
                   [&](uint32_t a, uint32_t b) { return distances[a] < distances[b]; });
  for (size_t i = 0; i < kSimdWidth;) {
    const int64_t at = distances[lanes[i]];
    size_t next = i + 1;
    while (next < kSimdWidth && distances[lanes[next]] == at)
      ++next;
    const uint32_t lane = lanes[i];
    const bool several = next - i > 1;
    i = next;
    AccessRun *const last = runs_.empty() ? nullptr : &runs_.back();
    const int64_t gap = last ? at - (last->offset + int64_t(last->bytes)) : 0; // after it
    if (last && gap < 0) {
      runs_.clear();
      return;
    }
    if (last && several && !last->stride && !gap) {
      last->bytes += bytes;
      continue;
    }
    // The next lane's element, as far from the one before as that is from its own.
    const uint64_t stride = bytes + uint64_t(gap);
    if (last && !several && last->stride && stride <= Owners::kMostStride) {
      const bool alone = last->bytes == bytes;
      const uint64_t count = alone ? 1 : (last->bytes - bytes) / last->stride + 1;
      if (lane == last->lane + count && (alone || last->stride == stride)) {
        last->stride = uint32_t(stride);
        last->bytes += stride;
        continue;
      }
    }
    runs_.push_back(
        {at, bytes, lane, several ? 0 : uint32_t(std::min<uint64_t>(bytes, Owners::kMostStride + 1))});
  }
  if (runs_.size() > kMostRuns)
    runs_.clear();
  isShared_ = !runs_.empty() &&
              std::all_of(runs_.begin(), runs_.end(), [](const AccessRun &run) { return !run.stride; });
}

} // namespace assay::validation
