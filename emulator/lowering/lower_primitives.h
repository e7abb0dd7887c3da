// The fiber engine's form of the primitives: loads of the lane's state and calls of the runtime.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Every primitive that has a site becomes a call of the runtime, and so does every query of a texture.
///
/// Choice.   Every access to a texture is a call.
/// Rejected. Code in the kernel. Decoding a texel depends on a format that is known only at the dispatch,
///           filters and addressing are hundreds of instructions at each access, and there would be two
///           definitions of them, or C++ compiled twice. The call costs a few nanoseconds.
void callRuntime(Lowering &state);

/// Slots, threadgroup variables and built-ins become loads of the lane's state.
Result<void> lowerState(Lowering &state);

} // namespace assay::lowering
