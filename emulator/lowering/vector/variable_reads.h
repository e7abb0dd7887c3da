// Reports whether a lane reads an unwritten part of a variable, in code without shadows of values.
//
// Problem.  Shadows of values (shadow_values.h) cost several times as much as the kernel, and code that runs
//           simdgroups has none. Yet an array or a simdgroup_matrix may be declared without a value and then
//           filled. Only a run tells whether something undefined is read from it.
// Choice.   Only such variables get a shadow, with the same layout. A load tests whether everything that it
//           loads has been written. A lane remembers to the end of the program whether a load failed this
//           test. If none did, no value of the kernel is undefined. Otherwise the dispatch runs on fibers,
//           with shadows (host/quick_check.h). LLVM folds the shadow of an array whose indices are known.
//           If the elements of an array are accessed one by one, its shadow has a byte for each.
// Not here. Variables in registers: if a result of __assay_unwritten is left that is not stored to a
//           variable, nothing is known. Variables of which an address is kept.
#pragma once

#include "lowering/lowering_state.h"

namespace assay::lowering {

/// Replaces all calls of __assay_unwritten. Returns false if nothing is known of the variables; then only the
/// calls have changed.
bool reportVariableReads(Lowering &state);

} // namespace assay::lowering
