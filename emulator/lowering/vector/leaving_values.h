// Values that lanes take with them out of the body of a `break`.
//
// Problem.  Lanes that leave a loop by such a body (reconvergence.h) come to it in different iterations. The
//           blocks after it are run once, by all of them, when nobody is in the loop any more. Yet a slot has
//           the values of those lanes that ran the body last. LLVM has a phi for each value that leaves a
//           loop, which keeps each lane's own one, but for LLVM the body is no part of the loop. So in
//               for (..) { if (found) { out[0] = simd_sum(x); out[1] = in[i]; return; } }
//           lanes that returned in an earlier iteration stored what later ones had loaded.
// Choice.   The same phis for these bodies: where control leaves the loop's blocks and those of its bodies.
// Rejected. Slots that only the lanes of the mask write: a uniform value would have to become varying for it,
//           and all uses in the body would pay. All blocks after the body as a part of it: the return at the
//           end of a kernel is shared with lanes that leave by the loop's condition.
#pragma once

#include "lowering/reconvergence.h"

#include <llvm/IR/Dominators.h>

namespace assay::lowering::vector {

/// After LCSSA. No block changes.
void keepLeavingValues(llvm::Function &function, const Reconvergence &order,
                       const llvm::DominatorTree &dominators);

} // namespace assay::lowering::vector
