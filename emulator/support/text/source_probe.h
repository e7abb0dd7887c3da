// A probe that is inserted into a kernel's text when it is compiled, while the file stays as it is. It does
// what `ASSAY_PROBE("name", expression);` does there (msl_shim/assay/probe).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace assay {

enum class ProbeSide : uint8_t { Before, After };

struct SourceProbe {
  std::string name;
  std::string expression; ///< of Metal, without side effects: a scalar or a vector
  std::string anchor;     ///< text that occurs once in the file; empty: `line` says where
  uint32_t line = 0;      ///< from 1
  ProbeSide side = ProbeSide::Before;
  std::string file; ///< the end of the path of an included file; empty: the file that is compiled

  auto operator<=>(const SourceProbe &) const = default;
};

} // namespace assay
