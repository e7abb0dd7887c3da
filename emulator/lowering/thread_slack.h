// Puts memory beside the arrays of a thread, which the kernel may touch.
//
// Problem.  A kernel that leaves one of its own arrays ends with an error, as it should. Its author wants to
//           see whether the rest is right, which on a GPU it may well be.
// Choice.   On request (CodeOptions::threadSlack), each array that a thread declares gets bytes on both
//           sides. The bounds are those of the larger memory. Before everything else, because LLVM may rely
//           on the size of a variable.
// Limit.    Arrays alone: a variable of another type is not indexed. The bytes hold nothing in particular.
//           Messages and limits count them, and code for a debugger has none.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// In all functions of the module.
void addThreadSlack(Lowering &state);

} // namespace assay::lowering
