// Symbols that a library uses and nothing defines. The compiler warns of them, because another source may
// define them. Where a library must be complete, they are errors.
#pragma once

#include "../support/text/result.h"

#include <optional>
#include <vector>

namespace assay {

/// The warnings "undefined-symbol" with their notes, as an error; nothing if there are none.
std::optional<Error> undefinedSymbols(const std::vector<Diagnostic> &warnings);

/// The other warnings.
std::vector<Diagnostic> otherWarnings(const std::vector<Diagnostic> &warnings);

} // namespace assay
