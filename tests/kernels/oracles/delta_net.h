// Oracle of the gated delta-rule recurrence, for each value head and sequence:
//
//   S   := exp(-g) S                     decay
//   d   := v - S k                       what the state does not yet predict
//   S   := S + beta d k^T                write
//   out := S q
//
// S has one row of D_k numbers for each of the D_v values. Key heads are tiled over value heads: head mod
// n_k.
//
// Layouts, innermost first: q, k [D_k, n_k, tokens, seqs]; v, out [D_v, n_v, tokens, seqs];
// g, beta [n_v, tokens, seqs]; state [D_k, D_v, n_v, seqs].
//
// Order of the exact oracle: both dot products start at +0 and run over ascending D_k; their step and the
// state's update are `x += a*b`, one rounding under contraction; beta*d is rounded before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::oracle {

struct DeltaNetShape {
  uint32_t keySize = 0, valueSize = 0, keyHeads = 1, valueHeads = 1, tokens = 0, sequences = 1;
  size_t keyCount() const { return size_t(keySize) * keyHeads * tokens * sequences; }
  size_t valueCount() const { return size_t(valueSize) * valueHeads * tokens * sequences; }
  size_t gateCount() const { return size_t(valueHeads) * tokens * sequences; }
  size_t stateCount() const { return size_t(keySize) * valueSize * valueHeads * sequences; }
};

struct DeltaNetInputs {
  std::vector<float> q, k, v, g, beta, state;
};

template <class Number> struct DeltaNetOutputs { std::vector<Number> output, state; };

/// In the kernel's order of operations, to the bit.
template <class Profile>
DeltaNetOutputs<float> deltaNetExact(const DeltaNetShape &shape, const DeltaNetInputs &in);

/// In float64.
DeltaNetOutputs<double> deltaNetReference(const DeltaNetShape &shape, const DeltaNetInputs &in);

} // namespace assay::oracle
