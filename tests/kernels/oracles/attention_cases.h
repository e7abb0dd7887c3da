// Inputs for attention tests: one seed, one case.
#pragma once

#include "attention_backward.h"

#include <cstdint>

namespace assay::oracle {

enum class MaskKind {
  None,
  Random,   ///< finite cells, and about a quarter masked with -inf; no row loses all of its keys
  DeadRows, ///< as Random, and every fifth query row is masked as a whole
};

/// Uniform q, k, v, dO in [-size, size]; log-sum-exp and row dots from the float64 forward pass, rounded to
/// float.
AttentionInputs makeAttentionCase(const AttentionShape &shape, MaskKind mask, uint64_t seed, float size = 1);

} // namespace assay::oracle
