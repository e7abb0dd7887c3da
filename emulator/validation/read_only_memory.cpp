// See read_only_memory.h.
#include "validation/read_only_memory.h"

#include <algorithm>

namespace assay::validation {
namespace {

bool writes(const SiteInfo &site) {
  return site.kind == SiteKind::Access &&
         (site.access == AccessKind::Write ||
          (site.access == AccessKind::Atomic && site.atomic != AtomicKind::Load));
}

} // namespace

ReadOnlyMemory::ReadOnlyMemory(const DispatchEvent &dispatch) : dispatch_(dispatch.dispatch) {
  anywhere_ = false;
  for (const SiteInfo &site : dispatch.code->sites) {
    if (!writes(site))
      continue;
    switch (site.memory) {
    case MemoryKind::Buffer: written_.push_back(rangeOf(site.slot)); break;
    case MemoryKind::Unknown:
    case MemoryKind::Texture: anywhere_ = true; break;
    case MemoryKind::ThreadgroupSlot:
    case MemoryKind::ThreadgroupVariable:
    case MemoryKind::ThreadVariable:
    case MemoryKind::Constant: break;
    }
  }
  // Many sites write few buffers.
  std::sort(written_.begin(), written_.end());
  written_.erase(std::unique(written_.begin(), written_.end()), written_.end());
}

ReadOnlyMemory::Range ReadOnlyMemory::rangeOf(uint32_t slot) const {
  const BufferAbi &buffer = dispatch_->buffers[slot];
  const uint64_t first = reinterpret_cast<uintptr_t>(buffer.begin());
  return {first, first + buffer.allBytes()};
}

bool ReadOnlyMemory::holds(const SiteInfo &site) const {
  if (anywhere_ || site.memory != MemoryKind::Buffer)
    return false;
  const auto [first, last] = rangeOf(site.slot);
  return std::none_of(written_.begin(), written_.end(),
                      [&](const Range &written) { return written.first < last && first < written.second; });
}

} // namespace assay::validation
