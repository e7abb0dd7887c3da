// Marks results that Metal does not define, in pipelines that track undefined values.
//
// Problem.  Metal does not define an integer division by zero, the smallest integer divided by -1, a shift by
//           the width or more, or a conversion of a number that the integer type does not have. Every GPU
//           returns something, but GPUs differ. Computing such a result is not a defect; kernels do it in
//           lanes whose result is not used.
// Choice.   The result is an undefined value, like that of an unwritten variable (unwritten_values.h): for
//           bad operands it is `result ^ __assay_unwritten`. That call becomes zero in the end, so the bits
//           stay those of total_operations.h. The shadow follows the result. A decision that depends on it is
//           a finding; without a decision there is none.
// Not here. Functions of the shim, except operators of vectors, which are classes. Operations on constants
//           for which the result is defined.
// Rejected. A report at each operation: half of them are in lanes that are masked out later.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Runs before makeTotal. Adds to state.info.births.
void giveUndefinedResults(Lowering &state, llvm::Function &function);

} // namespace assay::lowering
