// Accesses of textures become calls of the runtime.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Each access becomes a site of its own, so that a report has its line and the argument's name. Without
/// bounds checks there are no sites.
///
/// Choice.   Calls of the runtime for every access.
/// Rejected. Code in the kernel. Decoding a texel depends on a format that is known only at the dispatch,
///           filters and addressing are hundreds of instructions at each access, and there would be two
///           definitions of them, or C++ compiled twice. The call costs a few nanoseconds.
void lowerTextures(Lowering &state);

} // namespace assay::lowering
