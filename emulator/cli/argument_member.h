// ARGUMENT.MEMBER on the command line: a texture or a sampler of an argument buffer, by the names in the
// source. "a.photo" is the member photo of the kernel's argument a, "a.layers[2]" an element of an array.
#pragma once

#include "run_buffers.h"

#include "../host/assay.h"

#include <functional>
#include <string>
#include <string_view>

namespace assay::cli {

/// Whether a key of an option is ARGUMENT.MEMBER, and no index.
bool isMemberKey(std::string_view key);

struct MemberPlace {
  const ArgumentInfo *argument = nullptr;
  const MemberInfo *member = nullptr;
  uint64_t offset = 0; ///< of the element, in the argument buffer
};

/// option   for messages: "--texture"
/// wanted   members of the right kind
///   errors  Usage "unknown-member": the kernel has none of that name and kind; lists those it has
Result<MemberPlace> memberAt(const ComputePipeline &pipeline, std::string_view option, const std::string &key,
                             const std::function<bool(const MemberInfo &)> &wanted);

/// Writes eight bytes into the argument buffer.
///   errors  Usage "missing-binding": no --buffer is bound there; "buffer-too-small"
Result<void> writeMember(std::string_view option, const std::string &key, const MemberPlace &place,
                         RunBuffers &buffers, uint64_t value);

} // namespace assay::cli
