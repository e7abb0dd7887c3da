// See access_sites.h.
#include "access_sites.h"

#include "source_place.h"

#include <algorithm>

namespace assay::lowering {

SiteInfo accessSite(const llvm::Instruction &where, const MemoryAccess &access, const Bounds &bounds) {
  SiteInfo site;
  site.kind = SiteKind::Access;
  site.where = placeOf(where);
  site.access = access.kind;
  site.bytes = static_cast<uint32_t>(std::min<uint64_t>(access.bytes, UINT32_MAX));
  site.memory = bounds.memory;
  site.slot = bounds.slot;
  site.memoryName = bounds.name;
  site.memoryBytes = bounds.memoryBytes;
  site.memoryOffset = bounds.memoryOffset;
  return site;
}

} // namespace assay::lowering
