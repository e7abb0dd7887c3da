// What of a function is known before its calls are inlined: numbers of the program that never change, and
// arguments that are the same number in each call.
//
// Problem.  Function constants choose between large pieces of code, often at the end of a chain of calls:
//           `steps<13>(.., radix_13_steps)` with a loop that runs `radix_13_steps` times. Without them, all
//           that such a loop calls is simplified and inlined, and removed in the end. For MLX's Fourier
//           transforms that took three quarters of the time of the first half of lowering.
// Choice.   Callers are looked at before their callees (inline_calls.cpp). Where a number may decide whether
//           something is called, LLVM's constant propagation runs first (Optimizer::pruneByConstants).
// Rejected. LLVM's IPSCCP on the whole module: it wants every function to be read, and looks at all of them.
#pragma once

#include <llvm/IR/Function.h>

namespace assay::lowering {

/// Replaces arguments of integer type that are the same number in every call. Returns whether there is one.
/// All calls of the function have to be in its module, or in bodies that are not read and never will be.
bool takeConstantArguments(llvm::Function &function);

/// Whether the function calls a function of the program.
bool callsProgram(const llvm::Function &function);

/// Whether the function reads a constant variable of integer type.
bool readsConstantNumbers(const llvm::Function &function);

} // namespace assay::lowering
