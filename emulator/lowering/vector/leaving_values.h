// Values that lanes take with them out of the body of a `break`.
//
// Problem.  Lanes that leave a loop by such a body (reconvergence.h) come to it in different iterations. The
//           blocks after the body are run once, by all these lanes, when no lane is in the loop any more. Yet
//           a slot (values.h) has the values of the lanes that ran the body last. LLVM has a phi for each
//           value that leaves a loop, which keeps the value of each lane, but for LLVM the body is no part of
//           the loop. So in
//               for (..) { if (found) { out[0] = simd_sum(x); out[1] = in[i]; return; } }
//           lanes that returned in an earlier iteration stored what later ones had loaded.
// Choice.   These bodies get the same phis, at the places where control leaves the blocks of the loop and of
//           its bodies.
// Rejected. Slots to which only the lanes of the mask are written: a uniform value would have to become
//           varying for this, and all uses in the body would pay. Treating all blocks after the body as a
//           part of it: lanes that leave by the loop's condition share the return at the end of the kernel.
#pragma once

#include "lowering/reconvergence.h"

#include <llvm/IR/Dominators.h>

namespace assay::lowering::vector {

/// Runs after LCSSA. Adds only phis.
void keepLeavingValues(llvm::Function &function, const Reconvergence &order,
                       const llvm::DominatorTree &dominators);

} // namespace assay::lowering::vector
