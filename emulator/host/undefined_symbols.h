// Warnings of a compilation that are errors: symbols that a library uses and nothing defines, where it must
// be complete (another source may define them, so the compiler warns), and the others if -Werror is given.
#pragma once

#include "../support/text/result.h"

#include <optional>
#include <vector>

namespace assay {

/// The warnings "undefined-symbol" with their notes, as an error; nothing if there are none.
std::optional<Error> undefinedSymbols(const std::vector<Diagnostic> &warnings);

/// The other warnings.
std::vector<Diagnostic> otherWarnings(const std::vector<Diagnostic> &warnings);

/// The other warnings as the error that -Werror makes of them; nothing if there are none.
std::optional<Error> warningsAsErrors(const std::vector<Diagnostic> &warnings);

} // namespace assay
