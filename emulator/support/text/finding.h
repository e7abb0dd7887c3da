// A finding of a checker, which does not end the run: a warning with its places, and how often it occurred.
#pragma once

#include "diagnostic.h"

#include <cstdint>
#include <vector>

namespace assay {

struct Finding {
  Diagnostic warning;            ///< at the later of two places, with the first instance's threads
  std::vector<Diagnostic> notes; ///< the other places
  uint64_t count = 1;            ///< instances of this rule at these places
};

/// The warning with its count, and the notes, as a compiler prints them.
std::vector<Diagnostic> diagnosticsOf(const Finding &finding);

} // namespace assay
