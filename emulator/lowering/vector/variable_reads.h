// Reports whether a lane reads of a variable what it has not written, in code without shadows of values.
//
// Problem.  Shadows of values (shadow_values.h) cost a multiple of the kernel, and code that runs simdgroups
//           has none. Yet a kernel with an array or a simdgroup_matrix that is declared without a value and
//           then filled may have something undefined: only its run tells.
// Choice.   Such a variable alone gets a shadow, of the same layout. A load looks whether all it loads has
//           been written, and a lane keeps whether one was not, to the end of the program. Where nothing was,
//           no value of the kernel is undefined. Else the dispatch runs on fibers, with shadows
//           (host/quick_check.h). LLVM folds the shadow of an array whose indices are known.
//           Where the elements of an array are accessed one by one, its shadow has a byte for each.
// Not here. Variables in registers: if a part of __assay_unwritten is left that is not stored to a variable,
//           nothing is known. Nor variables of which an address is kept.
#pragma once

#include "lowering/lowering_state.h"

namespace assay::lowering {

/// Replaces all calls of __assay_unwritten. False: nothing is known of the variables, and nothing but the
/// calls has changed.
bool reportVariableReads(Lowering &state);

} // namespace assay::lowering
