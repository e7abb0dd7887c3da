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

template <class Number> struct DeltaNetOutputs {
  std::vector<Number> output, state;
};

/// In the kernel's order of operations, to the bit.
template <class Profile>
DeltaNetOutputs<float> deltaNetExact(const DeltaNetShape &shape, const DeltaNetInputs &in);

/// The decode kernel's order: a row lies across a simdgroup, lane l with elements l * n .. l * n + n - 1 for
/// n = keySize / 32; a lane sums its own, simd_sum adds the lanes,
/// and (v - known) is rounded before beta multiplies it.
template <class Profile>
DeltaNetOutputs<float> deltaNetDecodeExact(const DeltaNetShape &shape, const DeltaNetInputs &in);

/// In float64.
DeltaNetOutputs<double> deltaNetReference(const DeltaNetShape &shape, const DeltaNetInputs &in);

/// How far any float kernel may be from that, whatever the order of its sums, for sequences of any length: an
/// error in the 2-norm for each row of the state. A token multiplies it by alpha max(1, |1 - beta k.k|), the
/// norm of what the token does to the row, and adds its own roundings: u = 2^-24 for each product and sum,
/// (D_k + 1) u for a dot product (in any order, relative to |s| |k|;
/// Higham, section 3.1), (3 + |2g|) ulp for exp (table 8.2 of MSL).
DeltaNetOutputs<double> deltaNetBounds(const DeltaNetShape &shape, const DeltaNetInputs &in);

} // namespace assay::oracle
