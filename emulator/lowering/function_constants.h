// Writes the values of function constants into the module's program-scope variables, before any optimisation.
#pragma once

#include "lowering_state.h"

#include <functional>

namespace assay::lowering {

class Optimizer;

/// Runs the module's dynamic initialisers at compile time. Variables that could be initialised become
/// constants; the others are recorded in state.unknownGlobals and become declarations.
///   prepare   runs on functions that have just been read, before anything else does
Result<void> evaluateInitializers(Lowering &state, Optimizer &optimizer,
                                  const std::function<Result<void>()> &prepare);

/// Folds the tests whether a constant has a value, and the reads of single constants, in `function`.
void foldFunctionConstants(Lowering &state, llvm::Function &function);

/// Fills in KernelCodeInfo::zeroConstants, after calls are inlined and folded. The list also has constants
/// that are read only in code that a later optimisation removes.
void recordZeroConstants(Lowering &state, Optimizer &optimizer);

/// Runs after optimisation: a variable without a value that is still read is an error.
///   errors  "missing-function-constant": names constant and index; "unsupported": the variable's initialiser
Result<void> refuseUnknownGlobals(const Lowering &state);

/// The initialiser of a program-scope bool after evaluateInitializers.
Result<bool> readCondition(const Lowering &state, const ArgumentInfo &argument);

/// The index of an argument that has an indexConstant; none if the index depends on a constant that was taken
/// as zero. errors: as readCondition
Result<std::optional<int64_t>> readIndex(const Lowering &state, const ArgumentInfo &argument);

} // namespace assay::lowering
