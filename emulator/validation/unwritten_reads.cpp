// See unwritten_reads.h.
#include "validation/unwritten_reads.h"

#include <algorithm>
#include <cstring>

namespace assay::validation {

// Pointers of unknown origin may lead anywhere.
bool UnwrittenReads::wantsAccess(const SiteInfo &site) const {
  switch (site.memory) {
  case MemoryKind::ThreadgroupSlot:
  case MemoryKind::ThreadgroupVariable: return threadgroup_;
  case MemoryKind::Buffer:
    return std::any_of(unwritten_.begin(), unwritten_.end(),
                       [&](const UnwrittenMemory &memory) { return memory.slot == site.slot; });
  case MemoryKind::Unknown: return true;
  case MemoryKind::ThreadVariable:
  case MemoryKind::Constant:
  case MemoryKind::Texture: break;
  }
  return false;
}

void UnwrittenReads::dispatchBegin(const DispatchEvent &event) {
  code_ = event.code;
  dispatch_ = event.dispatch;
  found_ = false;
}

void UnwrittenReads::groupBegin(const GroupEvent &group) {
  if (!threadgroup_)
    return;
  arenaBegin_ = reinterpret_cast<uintptr_t>(group.arena.data());
  arena_.assign(group.arena.size(), 1);
  for (const auto &[offset, bytes] : code_->writtenThreadgroupBytes)
    std::memset(arena_.data() + offset, 0, bytes);
}

UnwrittenReads::Bytes UnwrittenReads::shadowOf(uint64_t address, uint64_t bytes) {
  const auto part = [&](uint8_t *shadow, uint64_t offset, uint64_t length) {
    return Bytes{shadow + offset, shadow + offset + std::min(bytes, length - offset)};
  };
  if (const uint64_t offset = address - arenaBegin_; offset < arena_.size())
    return part(arena_.data(), offset, arena_.size());
  for (const UnwrittenMemory &memory : unwritten_) {
    const BufferAbi &buffer = dispatch_->buffers[memory.slot];
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(buffer.begin());
    if (offset < buffer.allBytes())
      return part(memory.shadow - buffer.before, offset, buffer.allBytes());
  }
  return {nullptr, nullptr};
}

void UnwrittenReads::look(uint64_t address, uint64_t bytes, bool reads, bool writes) {
  const auto [begin, end] = shadowOf(address, bytes);
  if (reads) {
    uint8_t any = 0;
    for (const uint8_t *at = begin; at != end; ++at)
      any |= *at;
    found_ |= any != 0;
  }
  if (writes && begin != end)
    std::memset(begin, 0, size_t(end - begin));
}

// Whether the lanes of a whole simdgroup are so many bytes apart.
static bool areApartBy(const AccessEvent &event, uint64_t bytes) {
  if (event.mask != ~0u)
    return false;
  uint64_t differ = 0;
  for (uint32_t lane = 0; lane < kSimdWidth; ++lane)
    differ |= event.addresses[lane] ^ (event.addresses[0] + lane * bytes);
  return !differ;
}

// Neighbouring lanes mostly access neighbouring bytes, or the same.
void UnwrittenReads::access(const GroupEvent &, const AccessEvent &event) {
  const SiteInfo &site = *event.site;
  if (!event.bytes || !wantsAccess(site))
    return;
  const bool atomic = site.access == AccessKind::Atomic;
  const bool reads = atomic ? site.atomic != AtomicKind::Store : site.access == AccessKind::Read,
             writes = atomic ? site.atomic != AtomicKind::Load : site.access == AccessKind::Write;
  if (areApartBy(event, 0))
    return look(event.addresses[0], event.bytes, reads, writes);
  if (areApartBy(event, event.bytes))
    return look(event.addresses[0], kSimdWidth * event.bytes, reads, writes);
  uint64_t begin = 0, end = 0;
  event.forEachThread([&](uint32_t, uint64_t address) {
    if (address == end && end != begin) {
      end += event.bytes;
    } else if (address + event.bytes != end || end == begin) {
      if (end != begin)
        look(begin, end - begin, reads, writes);
      begin = address;
      end = address + event.bytes;
    }
  });
  look(begin, end - begin, reads, writes);
}

} // namespace assay::validation
