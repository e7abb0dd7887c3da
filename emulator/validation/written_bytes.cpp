// See written_bytes.h.
#include "validation/written_bytes.h"

#include <algorithm>

namespace assay::validation {

bool WrittenBytes::wantsAccess(const SiteInfo &site) const {
  const bool writes = site.access == AccessKind::Write ||
                      (site.access == AccessKind::Atomic && site.atomic != AtomicKind::Load);
  return writes && (site.memory == MemoryKind::Buffer || site.memory == MemoryKind::Unknown);
}

void WrittenBytes::access(const GroupEvent &, const AccessEvent &event) {
  if (!wantsAccess(*event.site))
    return;
  event.forEachThread([&](uint32_t, uint64_t address) {
    for (uint64_t at = address, end = address + event.bytes; at < end;) {
      const uint64_t row = at / kRowBytes, to = std::min(end, (row + 1) * kRowBytes);
      all_[row] |= rowBytes(at - row * kRowBytes, to - row * kRowBytes);
      at = to;
    }
  });
}

} // namespace assay::validation
