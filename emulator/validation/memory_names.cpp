// See memory_names.h.
#include "validation/memory_names.h"

#include <fmt/format.h>

namespace assay::validation {
namespace {

bool inArena(const GroupEvent &group, uint64_t address) {
  const uint64_t arena = reinterpret_cast<uintptr_t>(group.arena.data());
  return address - arena < group.arena.size();
}

} // namespace

MemorySpace spaceOf(const SiteInfo &site, const GroupEvent &group, uint64_t address) {
  switch (site.memory) {
  case MemoryKind::Texture: return MemorySpace::Texture;
  case MemoryKind::Buffer: return MemorySpace::Device;
  case MemoryKind::ThreadgroupSlot:
  case MemoryKind::ThreadgroupVariable: return MemorySpace::Threadgroup;
  default: return inArena(group, address) ? MemorySpace::Threadgroup : MemorySpace::Device;
  }
}

std::string MemoryNames::element(const std::string &name, uint64_t offset, uint64_t elementBytes,
                                 uint64_t accessBytes) const {
  const uint64_t bytes = elementBytes ? elementBytes : accessBytes ? accessBytes : 1;
  std::string text = fmt::format("{}[{}]", name, offset / bytes);
  return offset % bytes ? text + fmt::format(" (byte {} of it)", offset % bytes) : text;
}

std::string MemoryNames::of(const SiteInfo &site, const GroupEvent &group, uint64_t address) const {
  if (site.memory == MemoryKind::Texture)
    return site.memoryName.empty() ? "a texture" : "texture " + site.memoryName;
  if (spaceOf(site, group, address) == MemorySpace::Threadgroup) {
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(group.arena.data());
    for (const ThreadgroupVariable &variable : code_.threadgroupVariables) {
      if (offset - variable.offset >= variable.bytes)
        continue;
      uint64_t bytes = variable.bytes, inside = offset - variable.offset;
      std::string text = variable.name;
      for (const uint32_t extent : variable.extents) {
        bytes /= extent;
        text += fmt::format("[{}]", inside / bytes);
        inside %= bytes;
      }
      return inside ? text + fmt::format(" (byte {} of it)", inside) : text;
    }
    for (const ArgumentInfo &argument : arguments_)
      if (argument.kind == ArgumentKind::ThreadgroupMemory &&
          offset - dispatch_.threadgroupOffset[argument.index] < dispatch_.threadgroupBytes[argument.index])
        return element(argument.name, offset - dispatch_.threadgroupOffset[argument.index],
                       argument.pointeeBytes, site.bytes);
    return "threadgroup memory";
  }
  const auto nameIn = [&](const ArgumentInfo &argument, bool inFront) -> std::string {
    if (argument.kind != ArgumentKind::Buffer && argument.kind != ArgumentKind::Tensor)
      return {};
    const BufferAbi &buffer = dispatch_.buffers[argument.index];
    const uint64_t base = reinterpret_cast<uintptr_t>(buffer.base);
    if (inFront && base - address <= buffer.before && base > address)
      return fmt::format("{} ({} bytes before its offset)", argument.name, base - address);
    if (address - base >= buffer.bytes)
      return {};
    return argument.isReference ? argument.name
                                : element(argument.name, address - base, argument.pointeeBytes, site.bytes);
  };
  // One buffer may be bound twice: the name that the access uses comes first, then one whose bytes from the
  // offset on hold the address.
  for (const ArgumentInfo &argument : arguments_)
    if (site.memory == MemoryKind::Buffer && site.slot == argument.index)
      if (std::string name = nameIn(argument, true); !name.empty())
        return name;
  for (const bool inFront : {false, true})
    for (const ArgumentInfo &argument : arguments_)
      if (std::string name = nameIn(argument, inFront); !name.empty())
        return name;
  return "device memory";
}

} // namespace assay::validation
