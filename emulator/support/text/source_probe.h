// A probe that is inserted into a kernel's text when it is compiled, while the file stays as it is. It does
// what `ASSAY_PROBE("name", expression);` does there (msl_shim/assay/probe).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace assay {

enum class ProbeSide : uint8_t { Before, After };

/// What is put into the text.
enum class ProbeForm : uint8_t {
  Statement,   ///< ASSAY_PROBE(..); at the anchor; the expression must be a scalar or a vector
  Traced,      ///< at the end of the anchor, of which `offset` says where it begins; other types are left out
  TracedComma, ///< likewise, as the last operand of the statement before its ';'
  TracedThrough, ///< the anchor is an expression, whose value passes through the probe
};

struct SourceProbe {
  std::string name;
  std::string expression; ///< of Metal, without side effects: a scalar or a vector
  std::string anchor;     ///< text that occurs once in the file; empty: `line` says where
  uint32_t line = 0;      ///< from 1
  ProbeSide side = ProbeSide::Before;
  std::string file; ///< the end of the path of an included file; empty: the file that is compiled
  ProbeForm form = ProbeForm::Statement;
  uint32_t offset = 0; ///< Traced..: of the anchor, in bytes; a file with another text there is left alone

  auto operator<=>(const SourceProbe &) const = default;
};

} // namespace assay
