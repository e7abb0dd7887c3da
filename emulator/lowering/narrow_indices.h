// Finds how the index of an access was computed in fewer than 64 bits.
//
// Problem.  `out[row * stride]` with two uints wraps at 4 Gi elements, and buffers of that size are common.
//           The fault of such an access would say only that the index was wrong.
// Choice.   After a bounds check has failed, and only then, the operands of such a computation are passed to
//           the runtime, which repeats it without a limit (runtime/wrapped_index.h). The fault shows both
//           numbers. What the kernel computes without a fault does not change.
// Rejected. Computing the index in 64 bits at each access, and comparing: every kernel would pay for it.
//           Reporting each product that wraps: hashes and random numbers wrap on purpose.
// What.     The search goes backwards from the place where the index becomes an address, through sums,
//           differences, products and shifts by constants. It ends at anything else: loads, arguments, masks,
//           quotients. Since a mask ends the search, the hash in `table[h * k & 255]` is never called
//           wrapped.
// Not here. Accesses through pointers of unknown origin, which the runtime checks.
#pragma once

#include "support/abi/kernel_code.h"

#include <llvm/ADT/SmallVector.h>

#include <vector>

namespace llvm {
class Value;
}

namespace assay::lowering {

struct NarrowIndices {
  std::vector<IndexStep> steps;              ///< SiteInfo::index
  llvm::SmallVector<llvm::Value *> operands; ///< integers of at most 64 bits, in the order of the steps
};

/// The computations that the address depends on and that may wrap.
///   operands   at most kMostIndexOperands; if there would be more, the search goes back fewer steps
NarrowIndices narrowIndices(llvm::Value &pointer);

} // namespace assay::lowering
