// Oracle of attention over queries after a cache, as Foundry's prefill, its Split-K phases and its
// materialised step compute it. For query i and key k of one head, with i at the place queryStart + i among
// the keys:
//
//   s_k = scale q_i.k_k + mask     P = softmax(s) over the visible keys     out_i = sum_k P_k v_k
//
// and out_i = 0 if no key is visible. A key is hidden by causality (k > queryStart + i), by a padding byte
// of 0, or by a score of at most kHidden.
//
// Order of the exact oracles, from the headers of kernels_msl/foundry:
//   scores   dot = fma(q[d], k[d], dot) from 0 by ascending d; fma(dot, scale, mask or 0)
//   walk     tiles of 32 keys. m' = max(m, largest score); rescale = exp(m - m'); p_k = exp(s_k - m'), hidden
//            0; l = fma(l, rescale, sum of p as simd_sum adds); o = o * rescale, then fma(p_k, v_k, o) by
//            ascending k over the whole tile: 0 * v of hidden keys, 0 * 0 of padded ones and past the end
//   matrices the sum of p is of eight keys at a time, ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)), and
//            these are added to 0 by ascending key; all else is the walk
//   tiles    those that any row of the threadgroup's tile of queries sees, so a row may walk over tiles that
//            are hidden from it
//   reduce   M = max m_s; w_s = exp(m_s - M); L = fma(l_s, w_s, L), o = fma(o_s, w_s, o), from 0
//   softmax  of the materialised step: sums of keys lane, lane + 32, ... by ascending key, then simd_sum;
//            p * (1 / L)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::oracle {

struct PrefillShape {
  int batches = 1, heads = 1, keyHeads = 1, queries = 1, keys = 1, size = 64;
  int tileRows = 16; ///< queries of a threadgroup
  bool causal = true, bfloat = false;
  bool matrices = false; ///< sums of weights as a walk with simdgroup matrices adds them
  int queryStart = 0;
  float scale = 1;

  int rows() const { return batches * heads * queries; }
  int tiles() const { return (keys + 31) / 32; }
};

/// Values of halves or bfloats. Without gaps: q and out [batch, head, query, size], k and v [batch, key head,
/// key, size], mask [batch, head, query, key], padding [batch, key].
struct PrefillInputs {
  std::vector<float> q, k, v;
  std::optional<std::vector<float>> mask;
  std::optional<std::vector<uint8_t>> padding;
};

/// A score at or below it hides its key: minus half of float's largest number.
inline constexpr float kHidden = -0x1.fffffep126f;

/// What Split-K leaves for each row and split: o is [row][split][size], m and l are [row][split].
struct PrefillPartials {
  std::vector<float> o, m, l;
};

/// Bits of halves or bfloats.
template <class Profile>
std::vector<uint16_t> prefillExact(const PrefillShape &shape, const PrefillInputs &in);
template <class Profile>
PrefillPartials prefillPartExact(const PrefillShape &shape, const PrefillInputs &in, int splits);
template <class Profile>
std::vector<uint16_t> prefillReduceExact(const PrefillShape &shape, const PrefillPartials &partials,
                                         int splits);
template <class Profile>
std::vector<uint16_t> materializedExact(const PrefillShape &shape, const PrefillInputs &in);

/// The definition in float64, and how far any of the kernels may be from it, element by element.
struct PrefillReference {
  std::vector<double> out, bound;
  std::vector<double> floatBound; ///< without the rounding to half or bfloat
};

/// The bound, to first order in u = 2^-24 and then times 1.01. With A_k = sum |q_d k_d|, T tiles, n splits:
///   a score    scale * size * u * A_k from the dot, u |s_k| from the last fma
///   a weight   of key k: the score's error, as a factor; u |s_k - max| from the differences in exponents,
///              which add up to that over tiles and splits;
///              u for each exp and each product with it, at most 4 T + 2 n
///   sums       32 T fmas for each column of o, T for l, 5 additions in simd_sum (7 with matrices), n fmas
///              of reduce; 1 / L and a product
///   result     errors of o weigh P_k |v_k|, errors of l the mean of the weights' errors and |out|; then half
///              a unit in the last place of the element's type, or half of its smallest number
///   splits     of the kernel that is judged, 0 if there are none
PrefillReference prefillReference(const PrefillShape &shape, const PrefillInputs &in, int splits);

} // namespace assay::oracle
