// How the index of an access was computed in fewer than 64 bits.
//
// Problem.  `out[row * stride]` with two uints wraps at 4 Gi elements, long before a buffer of that size is
//           unusual. The access that leaves its buffer says only that its index was wrong.
// Choice.   Where the bounds check has failed, and only there, the operands of such a computation are handed
//           to the runtime, which does it again without limit (runtime/wrapped_index.h): the fault has both
//           numbers. What the kernel computes while nothing is wrong stays as it is.
// Rejected. To compute the index in 64 bits beside each access and compare: it costs in every kernel. To
//           report each product that wraps: hashes and random numbers wrap on purpose.
// What.     Sums, differences, products and shifts by constants, from where an index becomes an address
//           down to what is none of these: loads, arguments, masks, quotients. A mask ends a hash, so that
//           `table[h * k & 255]` is never called wrapped.
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

/// The computations that the address depends on and that may wrap; none if there are none.
///   operands   at most kMostIndexOperands; what would need more is taken from farther up
NarrowIndices narrowIndices(llvm::Value &pointer);

} // namespace assay::lowering
