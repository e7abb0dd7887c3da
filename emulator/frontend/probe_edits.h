// Where a probe goes in a file that does not have it: one insertion into its source view.
//
// Problem.  `if (x) y = 1;` with a probe before `y` would be `if (x) probe; y = 1;`: another program. A probe must
//           be refused wherever it would not be one statement more in a sequence of statements.
// Choice.   Tokens decide: what stands before the place must end a statement (`;`, `}`, the colon of a `case`) or
//           open a block, and the place must not be inside of parentheses. Places that this lets through and that are
//           none (a `}` of an initialiser, before `else`) are errors of the language, which Clang finds.
// Rejected. Braces put around the next statement: where a statement ends is not a question of tokens.
#pragma once

#include "frontend/source_view.h"
#include "support/result.h"
#include "support/source_probe.h"

namespace assay::frontend {

/// errors: Usage "probe-anchor": the anchor is missing or occurs several times (on which lines); "probe-place": no
/// statement can stand there; "probe-name"
Result<Edit> probeEdit(const std::string &path, std::string_view text, const SourceProbe &probe);

} // namespace assay::frontend
