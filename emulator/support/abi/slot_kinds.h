// The slots at which arguments are bound: which attribute of a kernel's argument names one, and how many
// there are of each kind.
#pragma once

#include "limits.h"
#include "module_info.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

enum class SlotKind : uint8_t { Buffer, Threadgroup, Texture, Sampler, Attribute };

struct SlotKindInfo {
  const char *attribute; ///< its name, as in [[buffer(0)]]
  uint32_t slots;

  /// Whether an argument that takes `count` slots can begin at this one.
  constexpr bool has(int64_t index, uint32_t count = 1) const {
    return index >= 0 && index <= int64_t(slots) - int64_t(count);
  }
};

/// By SlotKind.
inline constexpr std::array kSlotKinds = {
    SlotKindInfo{"buffer", kBufferSlots}, SlotKindInfo{"threadgroup", kThreadgroupSlots},
    SlotKindInfo{"texture", kTextureSlots}, SlotKindInfo{"sampler", kSamplerSlots},
    SlotKindInfo{"attribute", kAttributeSlots}};
/// Those at which a host binds something: all but the attributes of [[stage_in]].
inline constexpr std::span kBoundSlotKinds = std::span(kSlotKinds).first<size_t(SlotKind::Attribute)>();

/// Whether an attribute of this name binds an argument at a slot.
constexpr bool isBoundSlot(std::string_view attribute) {
  for (const SlotKindInfo &kind : kBoundSlotKinds)
    if (attribute == kind.attribute)
      return true;
  return false;
}

constexpr const SlotKindInfo &slotsOf(SlotKind kind) {
  return kSlotKinds[size_t(kind)];
}

/// The slots that an argument takes. Function tables and tensors are bound as buffers.
constexpr const SlotKindInfo &slotsOf(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Texture: return slotsOf(SlotKind::Texture);
  case ArgumentKind::Sampler: return slotsOf(SlotKind::Sampler);
  case ArgumentKind::ThreadgroupMemory: return slotsOf(SlotKind::Threadgroup);
  case ArgumentKind::Attribute: return slotsOf(SlotKind::Attribute);
  default: return slotsOf(SlotKind::Buffer);
  }
}

/// "buffer has slots 0 to 30"
std::string slotRange(const SlotKindInfo &kind);
/// Of an argument with `count` slots for which has() does not hold: "buffer(31) is out of range: .."
std::string slotOutOfRange(const SlotKindInfo &kind, int64_t index, uint32_t count = 1);
/// "buffer(3) is already used by argument 'a'"
std::string slotTaken(const SlotKindInfo &kind, int64_t index, std::string_view argument);
/// "argument 't' of type 'sampler' cannot be a texture: write [[sampler(..)]]"
std::string slotOfAnotherKind(std::string_view argument, std::string_view type, const SlotKindInfo &written,
                              const SlotKindInfo &right);

} // namespace assay
