// From vectors to kernels: one kernel for each operation, type and set of constants, with the other operands
// of all its vectors in buffers.
#pragma once

#include "vector_table.h"

#include <string>
#include <vector>

namespace assay::conformance {

struct BatchOperand {
  std::string type; ///< Metal's
  unsigned bytes = 4;
  unsigned count = 1; ///< words in one vector's operand
};

/// Vectors that one kernel evaluates: vector i is thread i, or simdgroup i.
struct Batch {
  std::string kernel;                 ///< its name
  std::string source;                 ///< its text, without the #include
  std::vector<BatchOperand> operands; ///< those in buffers, from index 0; the results are in the next
  std::vector<size_t> operandIndex;   ///< of each, in Vector::operands
  unsigned resultBytes = 4;
  unsigned threadsPerVector = 1;
  unsigned resultsPerVector = 1; ///< all the same
  std::vector<const Vector *> vectors;
};

/// Batches of those vectors that are spelled here. Operations that are not are left to the caller.
///   unknown   gets the vectors of other operations
std::vector<Batch> makeBatches(const std::vector<Vector> &vectors, std::vector<const Vector *> &unknown);

} // namespace assay::conformance
