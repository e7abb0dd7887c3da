// The shim's files, embedded at build time from msl_shim/.
#pragma once

#include <span>
#include <string_view>

namespace assay::frontend {

struct ShimFile {
  std::string_view name; ///< relative to msl_shim/
  std::string_view text;
};

std::span<const ShimFile> shimFiles();

} // namespace assay::frontend
