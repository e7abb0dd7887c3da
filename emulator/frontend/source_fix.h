// Text to put before and after a range of a user's file.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace assay::frontend {

struct SourceFix {
  std::string file;            ///< as it was opened
  uint32_t begin = 0, end = 0; ///< in the original, bytes
  std::string before, after;
  auto operator<=>(const SourceFix &) const = default;
};

} // namespace assay::frontend
