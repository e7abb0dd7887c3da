// The target that --texture, --sampler, --table and --buffer bind: an index, or ARGUMENT.MEMBER for a
// resource or an address in an argument buffer, by the names in the source. "a.photo" is the member photo of
// the kernel's argument a, "a.layers[2]" is an element of an array, and "a[3].photo" is in the fourth struct
// that a points to. Pointers inside are followed: "a.materials->photo" and "a.materials[3].photo" lie in the
// buffer whose address a.materials holds.
#pragma once

#include "run_buffers.h"

#include "../host/assay.h"

#include <string>
#include <string_view>

namespace assay::cli {

/// What an option names. Indices come first, in order.
struct BindingKey {
  static constexpr uint32_t kMember = ~0u;
  uint32_t slot = kMember; ///< kMember: `text` is ARGUMENT.MEMBER
  std::string text;        ///< as on the command line

  bool isMember() const { return slot == kMember; }
  auto operator<=>(const BindingKey &) const = default;
};

struct KeyedText {
  BindingKey key;
  std::string rest;
};
/// As parseIndexed of buffer_spec.h, for KEY=REST.
Result<KeyedText> parseKeyed(const std::string &text, std::string_view option, std::string_view form,
                             std::string_view what, uint32_t slots);

enum class MemberKind : uint8_t {
  Texture,
  Sampler,
  Table, ///< pointers are not followed: a kernel's tables are those of its arguments
  Address,
  Tensor,
};

struct MemberPlace {
  Binding *buffer = nullptr; ///< where it lies
  uint64_t offset = 0;       ///< of the element, in that buffer
  std::string name, type;    ///< as in the source
  std::optional<TextureUse> texture = {};
  std::optional<TensorUse> tensor = {};
};

/// A field's name with the range of each index: "heads[0..3].data".
std::string memberPattern(const FieldInfo &field);

/// option   for messages: "--texture"
///   errors  Usage "unknown-member": the kernel has none of that name and kind; lists those it has.
///           "missing-binding": no --buffer is bound there, or a pointer on the way leads to none;
///           "buffer-too-small"
Result<MemberPlace> memberAt(const ComputePipeline &pipeline, RunBuffers &buffers, std::string_view option,
                             const std::string &key, MemberKind kind);

/// Writes eight bytes where the member is.
void writeMember(const MemberPlace &place, uint64_t value);

} // namespace assay::cli
