// The buffers of `assay run`. Some are bound by index; others have a name and are reached only through their
// address, which an argument buffer holds: where a SPEC has `addr:NAME`, or where the name itself says, as
// a.items[3].data does (argument_member.h).
#pragma once

#include "buffer_spec.h"
#include "struct_spec.h"

#include "../host/assay.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct Binding {
  BufferData data; ///< without its bytes
  Buffer buffer;
  bool null = false;                        ///< the SPEC is `null`: the kernel gets a null pointer
  std::optional<StructSpec> structure = {}; ///< of --struct: what completeBuffers puts into it
  bool holdsAddresses = false;              ///< or numbers of resources: they are new in each run
  Tensor tensor = {};                       ///< of a named one that is a tensor of an argument buffer
};

/// ARGUMENT.MEMBER, and not an index or a plain name.
bool isMemberName(std::string_view key);

struct RunBuffers {
  std::map<uint32_t, Binding> bound;
  std::map<std::string, Binding> named;

  /// By a key of the command line, "0" or "weights"; null if there is none.
  const Binding *find(const std::string &key) const;
};

/// The values of all --buffer options, with addresses in place. Buffers of --struct are empty until the
/// kernel's declaration is known.
///   errors  Usage: those of readBufferSpec and parseStructSpec; "bad-option" for a buffer given twice;
///           "buffer-index"; "unreachable-buffer" for a plain name whose address no buffer holds; if there is
///           no --struct, those of addresses, as completeBuffers
Result<RunBuffers> readBuffers(const std::vector<std::string> &options,
                               const std::vector<std::string> &structs, const Device &device);

/// What the declarations of a file say against --struct, where no function constants decide.
///   errors  Usage: those of layStruct; "struct", as completeBuffers
Result<void> checkStructs(const RunBuffers &buffers, const KernelInfo &kernel, const ModuleInfo &module);

/// Makes the buffers of --struct by the kernel's declaration, and writes all addresses.
///   errors  Usage: those of layStruct; "struct": no argument there, or no struct; "unknown-buffer" for an
///           address of no buffer (names the nearest); "bad-spec" for an address past the buffer's end; those
///           of memberAt
Result<void> completeBuffers(RunBuffers &buffers, const ComputePipeline &pipeline, const Device &device);

/// Buffers that are bound by index, and those that are reached by address.
Bindings bindingsOf(const RunBuffers &buffers);

/// The type of a buffer's elements: the kernel's if it fits the data, or else the command line's.
ScalarType elementType(const ArgumentInfo &argument, const BufferData &data);

/// A buffer that the kernel may have written, or may have reached by its address.
struct WrittenBuffer {
  std::string name;              ///< of the argument, or of the command line
  std::optional<uint32_t> index; ///< none: it is not bound
  const Binding *binding;
  ScalarType type; ///< of its elements
};
/// Bound ones first, by the kernel's order of arguments.
std::vector<WrittenBuffer> writtenBuffers(const RunBuffers &buffers, const ComputePipeline &pipeline);

/// The buffer or tensor argument at an index; null if there is none.
const ArgumentInfo *argumentAt(const ComputePipeline &pipeline, uint32_t index);

} // namespace assay::cli
