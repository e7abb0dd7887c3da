// Computes the shadows of the results of simd operations, that is, their undefined bits.
//
// A shuffle moves shadows like values, so an undefined value that no lane uses is not a finding. If one value
// of a sum, a product, a minimum or a maximum has an undefined bit, every bit of the result is undefined;
// `and`, `or` and `xor` are exact. An element of a product of matrices is undefined if its row of the left
// matrix, its column of the right matrix, or its element of the added matrix has an undefined bit. Results of
// matmul2d count as defined.
#pragma once

#include "../support/abi/observer.h"

namespace assay::validation {

/// Writes the shadows and origins of the results, for lanes that brought some (LaneShadow), and makes their
/// entries null again.
///   lanes   of the simdgroup, by lane
void moveShadows(const SimdEvent &event, LaneShadow *lanes);

} // namespace assay::validation
