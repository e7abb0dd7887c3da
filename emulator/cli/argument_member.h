// The target that --texture, --sampler and --table bind: an index, or ARGUMENT.MEMBER for a resource in an
// argument buffer, by the names in the source. "a.photo" is the member photo of the kernel's argument a,
// "a.layers[2]" is an element of an array, and "a[3].photo" is in the fourth struct that a points to.
#pragma once

#include "run_buffers.h"

#include "../host/assay.h"

#include <functional>
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

struct MemberPlace {
  const ArgumentInfo *argument = nullptr;
  const MemberInfo *member = nullptr;
  uint64_t offset = 0; ///< of the element, in the argument buffer
};

/// option   for messages: "--texture". Its name is that of the kind of resource
/// wanted   members of the right kind
///   errors  Usage "unknown-member": the kernel has none of that name and kind; lists those it has
Result<MemberPlace> memberAt(const ComputePipeline &pipeline, std::string_view option, const std::string &key,
                             const std::function<bool(const MemberInfo &)> &wanted);

/// Writes eight bytes into the argument buffer.
///   errors  Usage "missing-binding": no --buffer is bound there; "buffer-too-small"
Result<void> writeMember(std::string_view option, const std::string &key, const MemberPlace &place,
                         RunBuffers &buffers, uint64_t value);

} // namespace assay::cli
