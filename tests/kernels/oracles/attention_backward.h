// Oracle of the attention backward pass, for each query row i and key row k of one head:
//
//   S  = scale Q_i.K_k  (-inf where masked)       P  = exp(S - L_i)
//   dP = dO_i.V_k                                 dS = P (dP - D_i)
//   dQ_i += scale sum_k dS K_k      dK_k += scale dS Q_i      dV_k += P dO_i
//
// Q, dO, dQ are [batches, queryHeads, queries, size]; K, V, dK, dV [batches, queryHeads / gqa, keys, size];
// L (log-sum-exp) and D (sum of O dO over a row) [batches, queryHeads, queries].
//
// Order of the exact oracle, the part that needs an argument:
//   dot products   one accumulator from +0 over ascending d; each step is `acc += a*b`
//   dQ             for each key tile `sum` from +0 over ascending k, `sum += dS*K`; then `dQ += scale*sum`
//   dK, dV         atomic float additions, so their order is the engine's. The engine's canonical order runs
//                  threadgroups x fastest (query tile, then query head, then batch) and, within one,
//                  simdgroup after simdgroup and lane after lane between two barriers. A key row meets a
//                  query tile in one interval between barriers only, simdgroup s owns query rows 8s..8s+7 of
//                  the tile, and the lanes that add (one for each row) own them in ascending order. So every
//                  element of dK and dV receives its terms by ascending (query head, query row). The term
//                  (scale*dS)*Q_i or P*dO_i is rounded before it is handed to the atomic, which adds.
//   skipped        key tiles wholly above the diagonal are not visited; masked cells of visited tiles are,
//                  and add zeros of either sign (or NaN, where L is not finite)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::oracle {

struct AttentionShape {
  int batches = 1, queryHeads = 1, gqa = 1, queries = 0, keys = 0, size = 64;
  int tileQueries = 32, tileKeys = 16;
  bool causal = false;
  int queryOffset = 0; ///< position of the first query among the keys, for causal
  float scale = 1;
  int keyHeads() const { return queryHeads / gqa; }
  size_t queryRows() const { return size_t(batches) * queryHeads * queries; }
  size_t queryCount() const { return queryRows() * size; }
  size_t keyCount() const { return size_t(batches) * keyHeads() * keys * size; }
  size_t maskCount() const { return queryRows() * keys; }
};

/// bfloat bits, except logSumExp and rowDot. The mask is additive, [batches, queryHeads, queries, keys].
struct AttentionInputs {
  std::vector<uint16_t> q, k, v, dO;
  std::optional<std::vector<uint16_t>> mask;
  std::vector<float> logSumExp, rowDot;
};

template <class Number> struct AttentionGradients {
  std::vector<Number> dQ, dK, dV;
};

/// In the kernel's order of operations, to the bit.
template <class Profile>
AttentionGradients<float> attentionBackwardExact(const AttentionShape &shape, const AttentionInputs &in);

/// Inputs as real numbers, for the references.
struct AttentionReals {
  std::vector<double> q, k, v, dO, mask; ///< mask is empty if there is none
  static AttentionReals from(const AttentionInputs &in);
};

struct AttentionForward {
  std::vector<double> output, logSumExp, rowDot;
};

/// Calls visit(query, queryRow, firstKeyRow) for every query row, in the canonical order.
template <class Visit> void forEachQueryRow(const AttentionShape &s, Visit visit) {
  size_t row = 0;
  for (int batch = 0; batch < s.batches; ++batch)
    for (int head = 0; head < s.queryHeads; ++head)
      for (int query = 0; query < s.queries; ++query, ++row)
        visit(query, row, (size_t(batch) * s.keyHeads() + head / s.gqa) * s.keys);
}

/// The scores of one query row in float64; -inf where masked.
std::vector<double> attentionScores(const AttentionShape &shape, const AttentionReals &in, int query,
                                    size_t row, size_t firstKeyRow);

/// The forward pass in float64: the output, and what the backward pass takes from it.
AttentionForward attentionForwardReference(const AttentionShape &shape, const AttentionReals &in);

/// The backward pass in float64, with its own log-sum-exp and row dots.
AttentionGradients<double> attentionBackwardReference(const AttentionShape &shape, const AttentionReals &in);

/// How far the exact order's gradients may be from the reference, for each element, if it is given an L and a
/// D that are this far from the reference's, for each query row. The argument stands in attention_bound.cpp.
AttentionGradients<double> attentionBackwardBound(const AttentionShape &shape, const AttentionReals &in,
                                                  const std::vector<double> &logSumExpError,
                                                  const std::vector<double> &rowDotError);

} // namespace assay::oracle
