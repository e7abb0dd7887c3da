// Turns a function that calls itself into a loop with a stack of its own.
//
// Problem.  Metal has recursion in kernels since version 2.4, and the passes after this one see a single
//           function, into which everything is inlined.
// Choice.   Each variable of the function becomes an array with an element for each depth, and so does each
//           value that is needed after a call. A call raises the depth and jumps to the start. A return
//           lowers it and jumps to what follows the call. An array for each variable, and not one array of
//           frames: pointers in variables are still followed to what they point to (stored_pointers.h), and
//           an access outside an array of the program's does not reach another variable.
// Rejected. Calls in native code: sites, bounds checks and the engines work on one function. Inlining up to a
//           depth: two calls in a function make 2^depth copies.
// Limit.    Calls that are deeper than kMaxCallDepth, or need more than kCallStackBytes, end the kernel with
//           an error. An access outside an array may reach the same array of another depth. A function with a
//           barrier or a simd operation is refused: lanes at different depths would meet there. The stack of
//           one function in that of another would be too large: joined_circles.h.
// source: MSL specification, section 1.5.4
#pragma once

#include "support/text/result.h"

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Whether the function has a direct call of itself.
bool callsItself(const llvm::Function &function);

/// Removes every direct call of the function from itself. The loops that are made may have several entries:
/// Optimizer::makeReducible.
///   errors  Kernel "unsupported": a barrier or a simd operation in the function; a variable whose size is
///           not constant; too little room for kMinCallDepth calls
Result<void> loopOverCalls(llvm::Function &function);

} // namespace assay::lowering
