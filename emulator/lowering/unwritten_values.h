// Marks the value of an unwritten variable, in pipelines that track undefined values.
//
// Problem.  Variables without a value read as zero (total_operations.h). Once they are registers, that zero
//           is a constant like any other, and nothing shows that it was never written.
// Choice.   Before the first pass, each part of such a variable (support/abi/unwritten_text.h) gets the
//           result of a call of __assay_unwritten, with the number of the part in KernelCodeInfo::births. For
//           the optimiser, nothing is known of the value that the call returns. It goes wherever the zero
//           would have gone: through registers, phis and copies. In the end it becomes zero
//           (shadow_values.h), so a tracked kernel computes the same bits. The call is made where the
//           lifetime of the variable begins, so in a loop each iteration has a new one.
// Not here. Variables of the shim, and the functions that initialise constants.
// Rejected. LLVM's undef: the optimiser chooses its value, and removes the decision that depends on it.
//           Tracking before the first pass, with variables in memory: simd operations need constants that are
//           known only after inlining and optimisation, and every value would have a shadow.
#pragma once

#include "lowering_state.h"

namespace assay::lowering {

/// Runs before makeTotal. Adds to state.info.births.
void giveUnwrittenValues(Lowering &state, llvm::Function &function);

/// What the optimiser may assume of __assay_unwritten.
llvm::AttributeList effectsOfUnwritten(llvm::LLVMContext &context);

/// For code without shadows: makes the values zeros. Returns whether there were any.
bool forgetUnwrittenValues(llvm::Function &function);

} // namespace assay::lowering
