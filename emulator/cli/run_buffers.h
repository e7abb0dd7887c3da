// The buffers of `assay run`: those that are bound, by index, and those that have a name and are only reached
// through their address, which an argument buffer holds (`addr:` in a SPEC).
#pragma once

#include "buffer_spec.h"

#include "../host/assay.h"

#include <map>
#include <string>
#include <vector>

namespace assay::cli {

struct Binding {
  BufferData data; ///< without its bytes
  Buffer buffer;
};

struct RunBuffers {
  std::map<uint32_t, Binding> bound;
  std::map<std::string, Binding> named;

  /// By "0" or "weights", as the command line has it; null if there is none.
  const Binding *find(const std::string &key) const;
};

/// The values of all --buffer options, with addresses in place.
///   errors  Usage: those of readBufferSpec; "bad-option" for a buffer given twice; "buffer-index";
///           "unknown-buffer" for an address of none (names the nearest); "bad-spec" for one past its end;
///           "unreachable-buffer" for a name whose address is nowhere
Result<RunBuffers> readBuffers(const std::vector<std::string> &options, const Device &device);

/// The type of a buffer's elements: what the kernel says if that fits the data, or else what the command line says.
ScalarType elementType(const ArgumentInfo &argument, const BufferData &data);

/// The buffer argument at an index; null if there is none.
const ArgumentInfo *argumentAt(const ComputePipeline &pipeline, uint32_t index);

} // namespace assay::cli
