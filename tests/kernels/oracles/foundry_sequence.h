// Oracle of a layer over a sequence: the attention of one token to itself and to all tokens before it, from
// what the projections gave. Nothing of caches, paths, tiles or simdgroups is known here.
//
//   q_t, k_j rotated by their positions in float64;  s_j = scale q_t.k_j;  P = softmax(s) over j <= t
//   out_t = sum_j P_j v_j
//
// Bound, for kernels that keep rotated rows in half or bfloat and add in float in any order. With u = 2^-24,
// g(n) = n u / (1 - n u), h half a unit of the type in the last place:
//   rotation  of two products and a sum: g(3) of their magnitudes; stored: h of the result, or half of the
//             smallest half. That is e_q of each element of q, e_k of each of k; 0 where nothing turns
//   score     |scale| times sum (e_q |k| + |q| e_k + e_q e_k), and g(D + 8) of sum (|q| + e_q) (|k| + e_k):
//             D products and sums, the scale, a simdgroup's five additions
//   weight    of key j against e^s_j: the score's error; u times the differences of exponents, each chain of
//             which (own, rescaling, merges of simdgroups and of splits) adds up to at most the range of
//             scores; an exp and a product for each rescaling, of which there are at most two a key, and few
//             for merges: u (4 range + 4 keys + 40). As e^x - 1
//   sums      keys + 80 roundings: products, additions, merges, the quotient
//   result    errors of numerator and denominator, relative to sum_j P_j |v_j|; then h of the result
#pragma once

#include <cstdint>
#include <vector>

namespace assay::oracle {

struct SequenceShape {
  int heads = 1, kvHeads = 1, headDim = 64;
  bool bfloat = false;     ///< what rotated rows and outputs are kept in; else half
  int pairs = 0;           ///< that turn; 0: no rotation
  bool neighbours = false; ///< pairs (2i, 2i + 1), not (i, i + pairs)
  float scale = 1;
};

/// Of one batch: values of halves or bfloats, [token][head][d]; tables [position][pair].
struct SequenceInputs {
  std::vector<float> q, k, v;
  std::vector<float> cosines, sines;
  std::vector<uint32_t> positions; ///< [token]
};

struct SequenceReference {
  std::vector<double> out, bound; ///< [head][d]
};

/// Of token t.
SequenceReference sequenceReference(const SequenceShape &shape, const SequenceInputs &in, int token);

} // namespace assay::oracle
