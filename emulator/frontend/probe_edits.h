// The place of a probe in a file: one insertion into its source view.
//
// Problem.  `if (x) y = 1;` with a probe before `y` would be `if (x) probe; y = 1;`, another program. A probe
//           must be refused wherever it would not be one more statement in a sequence of statements.
// Choice.   Tokens decide: the token before the place must end a statement (`;`, `}`, the colon of a `case`)
//           or open a block, and the place must not be in parentheses. Wrong places that this lets through
//           (after a `}` of an initialiser, before `else`) are errors of the language, which Clang finds.
// Rejected. Braces around the next statement: tokens alone do not show where a statement ends.
#pragma once

#include "frontend/source_view.h"
#include "support/text/result.h"
#include "support/text/source_probe.h"

#include <vector>

namespace assay::frontend {

/// The edits of a traced probe; none if the text at its offset is not its anchor. See statements.h.
std::vector<Edit> traceEdits(std::string_view text, const SourceProbe &probe);

/// errors: Usage "probe-anchor": the anchor is missing or occurs several times (on which lines);
///        "probe-place": no statement is allowed there; "probe-name"
Result<Edit> probeEdit(const std::string &path, std::string_view text, const SourceProbe &probe);

} // namespace assay::frontend
