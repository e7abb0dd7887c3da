// What simd operations make of undefined bits: the shadows of their results.
//
// A shuffle moves shadows like values. So an undefined value that no lane uses is no finding. Of a sum, a
// product, a minimum or a maximum every bit is undefined if one of the values has an undefined bit; `and`,
// `or` and `xor` are exact. An element of a product of matrices is undefined if its row of the left one, its
// column of the right one or its own element of what is added has an undefined bit. What matmul2d makes of
// its fragments counts as defined.
#pragma once

#include "../support/abi/observer.h"

namespace assay::validation {

/// Writes the shadows and origins of the results, for lanes that brought some (LaneShadow), and makes their
/// entries null again.
///   lanes   of the simdgroup, by lane
void moveShadows(const SimdEvent &event, LaneShadow *lanes);

} // namespace assay::validation
