// Results that Metal does not define, in pipelines that track them.
//
// Problem.  An integer divided by zero, the smallest one by -1, a shift by the width or more, a conversion of
//           a number that the integer type does not have: every GPU gives something, and not the same. To
//           compute it is no defect; kernels do so in lanes whose result nobody uses.
// Choice.   The result is an undefined value like that of a variable without one (unwritten_values.h): where
//           the operands are bad, `result ^ __assay_unwritten`. That value is zero in the end, so the bits
//           stay those of total_operations.h. Its shadow goes where the result goes, and a decision on it is
//           a finding; what is not used is none.
// Not here. Functions of the shim other than operators of vectors, which are classes; and operations whose
//           operands are constants that are good.
// Rejected. A report at each operation: half of them are in lanes that are masked out later.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Before makeTotal. Adds to state.info.births.
void giveUndefinedResults(Lowering &state, llvm::Function &function);

} // namespace assay::lowering
