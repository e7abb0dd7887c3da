#include "support/abi/slot_kinds.h"

#include <fmt/format.h>

namespace assay {

std::string slotRange(const SlotKindInfo &kind) {
  return fmt::format("{} has slots 0 to {}", kind.attribute, kind.slots - 1);
}

// Of an array that begins at a slot, its last element is the one that has none.
std::string slotOutOfRange(const SlotKindInfo &kind, int64_t index, uint32_t count) {
  return fmt::format("{}({}) is out of range: {}", kind.attribute, index < 0 ? index : index + count - 1,
                     slotRange(kind));
}

std::string slotTaken(const SlotKindInfo &kind, int64_t index, std::string_view argument) {
  return fmt::format("{}({}) is already used by argument '{}'", kind.attribute, index, argument);
}

std::string slotOfAnotherKind(std::string_view argument, std::string_view type, const SlotKindInfo &written,
                              const SlotKindInfo &right) {
  return fmt::format("argument '{}' of type '{}' cannot be a {}: write [[{}(..)]]", argument, type,
                     written.attribute, right.attribute);
}

} // namespace assay
