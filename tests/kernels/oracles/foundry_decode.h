// Oracle of decoding with one query row: softmax(scale q K^T + mask) V for each head,
// over the keys that there are.
//
// A key counts if it is below its batch's length, its padding byte is not 0, and its mask is not -inf. Where
// none counts the output is 0.
//
// Order of the exact oracle. DecodeOrder has the numbers: `keys` of a round, simdgroups, splits, width.
//   partition   key j of a row of n is of split j div e, e = n over splits, rounded up. There it is place
//               p = j mod e, held by lane p mod keys in round p div keys; rounds go around the simdgroups
//   lanes       element d of a row is of lane (d div width) mod 32
//   score       s = [scale [sum of the lanes' sums of q_d k_d]] + mask: a lane's in ascending d, from +0,
//               each product and sum in one expression; those of the lanes by simd_sum
//   softmax     of a set of keys is (m, l, o): m = max s, l = sum e^(s - m), o = sum e^(s - m) v. Of none it
//               is (-FLT_MAX / 2, 0, 0)
//   round       (m, l, o) with the keys of a round is (m', l e^(m - m') + simd_sum(w), [o e^(m - m')] +
//               w v in ascending keys), m' = max(m, max s), w = e^(s - m') at its key's lane, one expression
//               for each product and sum; w = 0 leaves its value out. A round without keys changes nothing
//   simdgroup   the fold of its rounds, ascending; its o becomes the mean o / l (0 if l is 0), rounded to
//               half where partials are halves
//   union       of normalised (m, l, o) in ascending order: M = max m, w = [e^(m - M) l], L = sum w,
//               O = sum w o in one expression each, and again the mean. Over simdgroups, and if there is more
//               than one split, over splits
//   out         the mean, rounded to the type
// Brackets and every sum are rounded, and e^x once.
// An int8 element is its byte times its scale, rounded. A rotated query is (a c - [b s], a s + [b c]) with
// the bracket rounded first, then rounded to the type.
//
// Bound of the reference. With u = 2^-24 and gamma(n) = n u / (1 - n u): a score errs by
// gamma(elements of a lane + 8) of the sum of its absolute products, by what the rotated query was rounded,
// and by u of itself for the mask. What a weight errs is e^(that) and u for each exponent's size and each
// factor; maxima cancel, since they are subtracted exactly as they were stored. Sums add gamma(their length).
// Everything is relative to sum_j P_j |v_jd|; partials in half add 2^-11 of it and 2^-25, and the output its
// own rounding. First-order terms are kept as e^x - 1, so the bound holds without "approximately".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::oracle {

struct DecodeShape {
  int batches = 1, heads = 1, kvHeads = 1, headDim = 64, capacity = 1;
  float scale = 1;
  bool bfloat = false; ///< of q, k, v and the output; else half
  size_t rowCount() const { return size_t(batches) * heads; }
  size_t cacheCount() const { return size_t(batches) * kvHeads * capacity * headDim; }
};

/// A cache as bits of the type, or as bytes with scales (as the floats that they are).
struct DecodeCache {
  std::vector<uint16_t> bits; ///< [batch][kvHead][capacity][headDim]
  std::vector<int8_t> bytes;  ///< the same; used if not empty
  std::vector<float> scales;  ///< [batch][kvHead][ceil(capacity / 32)][ceil(headDim / chunk)]
  int chunk = 32;
};

struct DecodeRope {
  std::vector<float> cosines, sines; ///< [position][pairs]
  std::vector<uint32_t> positions;   ///< [batch]
  int pairs = 0;
  bool neighbours = false; ///< pairs (2i, 2i + 1), not (i, i + pairs)
};

struct DecodeInputs {
  std::vector<uint16_t> q; ///< [batch][head][headDim]
  DecodeCache k, v;
  std::vector<uint32_t> lengths; ///< [batch]
  std::vector<uint8_t> padding;  ///< [batch][capacity], or empty
  std::vector<float> mask;       ///< [batch][head][capacity], or empty
  std::optional<DecodeRope> rope;
};

struct DecodeOrder {
  int simdgroups = 1, keys = 1, width = 2;
  bool halfPartials = false;
  int splits = 1; ///< of the keys, each merged by itself
};

/// Bits of the output, [batch][head][headDim].
template <class Profile>
std::vector<uint16_t> flashDecodeExact(const DecodeShape &shape, const DecodeInputs &in,
                                       const DecodeOrder &order);

/// Bits of the query after rotation, [batch][head][headDim].
template <class Profile> std::vector<uint16_t> rotatedQuery(const DecodeShape &shape, const DecodeInputs &in);

/// In float64, straight from the definition; bound: how far a kernel of that order may be from it.
struct DecodeReference {
  std::vector<double> out, bound;
};
DecodeReference flashDecodeReference(const DecodeShape &shape, const DecodeInputs &in,
                                     const DecodeOrder &order);

/// Rows [head][capacity][headDim] as bytes: for each head, 32 keys below `length` and chunk of a row, the
/// scale is the largest magnitude / 127, in float, then in half if asked for; a byte is element / scale, in
/// float, to the nearest even in -127..127; all 0 where the scale is 0 and past the length.
DecodeCache quantisedRows(const std::vector<float> &rows, int heads, int capacity, int headDim, int length,
                          int chunk, bool halfScales);

} // namespace assay::oracle
