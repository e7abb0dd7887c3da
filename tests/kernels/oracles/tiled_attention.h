// Oracle of attention over tiles with an online softmax: what a threadgroup of BQ queries computes as it
// walks over the keys, BK at a time. Prefill and the forward pass of training share it.
//
//   S = scale Q K^T + mask      O = softmax(S) V      L = log sum exp S, of each row
//
// Exact order.  Everything is in base 2. T is the type of Q, K, V and O; what is not said to be of
//               T is float.
//   query   factor = T(scale * log2(e)), the product in float; q'[d] = T(factor * q[d]).
//   score   of a query and a key: from +0 over ascending d, `acc = fma(q'[d], k[d], acc)`, as simdgroup
//           matrices add.
//   mask    keys after the last one are -inf; then, if causal, keys after queryOffset + query; then the mask:
//           `s += log2(e) * m` in one expression, or -inf where a bool is false. A tile of class 2 skips this
//           step.
//   max     new = max of the old (first -FLT_MAX / 2, so it stays finite) and of the tile's scores.
//   weight  p = exp2(s - new); rescale = exp2(old - new).
//   sum     of the tile: eight columns at a time, ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)), added to
//           +0 and then to each other; then `l = l * rescale + tile` in one expression.
//   output  o[d] = o[d] * rescale; then over ascending keys of the tile, those after the last key included
//           (their weight and their values are zeros), `o[d] = fma(p, v[d], o[d])`. Weights are not
//           rounded to T.
//   end     o[d] / l rounded to T, or +0 where l is 0; L = `max * ln(2) + log(l)` in one expression.
// A tile of class 0 is not visited, nor is one right of the diagonal: past
// ceil((queryOffset + (tile + 1) BQ) / BK). BQ and BK matter only for where tiles begin; D only for the
// length of the chains.
//
// Steps of several tiles.  Where tilesTogether is more than 1, a step of the softmax takes that many tiles of
// keys, as threadgroups do whose simdgroups share their queries. Then
//   max     is of all scores of the step; a tile that is not visited adds none.
//   sum     of the step's weights is a balanced tree over the columns, neighbours first.
//   output  leaves out the keys of tiles that are not visited.
//   end     is +0 also where o[d] is a zero, so that the sign of a zero says nothing of what was left out.
// A step of which no tile is visited is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::oracle {

enum class TileElement { Bfloat, Half };

/// Additive: bits of T, -inf where masked. Bool: 1 where attended, 0 where masked.
enum class TileMask { None, Additive, Bool };

struct TiledAttentionShape {
  int batches = 1, queryHeads = 1, gqa = 1, queries = 0, keys = 0, size = 256;
  int tileQueries = 32, tileKeys = 16;
  int tilesTogether = 1; ///< tiles of keys in a step of the softmax; tilesTogether * tileKeys: a power of two
  TileElement element = TileElement::Bfloat;
  TileMask mask = TileMask::None;
  bool oneMask = false; ///< one plane [queries, keys] for all heads of all batches
  bool causal = false;
  int queryOffset = 0; ///< the position of query 0 among the keys
  float scale = 1;

  int keyHeads() const { return queryHeads / gqa; }
  size_t queryRows() const { return size_t(batches) * queryHeads * queries; }
  size_t queryCount() const { return queryRows() * size; }
  size_t keyCount() const { return size_t(batches) * keyHeads() * keys * size; }
  size_t maskCount() const { return (oneMask ? size_t(queries) : queryRows()) * keys; }
  int tilesDown() const { return (queries + tileQueries - 1) / tileQueries; }
  int tilesAcross() const { return (keys + tileKeys - 1) / tileKeys; }
  /// The number of key tiles left of the diagonal of a tile of queries; all without causality.
  int tilesVisited(int queryTile) const;
};

/// Q [batches, queryHeads, queries, size], K and V [batches, keyHeads, keys, size], mask [batches,
/// queryHeads, queries, keys] or [queries, keys].
struct TiledAttentionInputs {
  std::vector<uint16_t> q, k, v; ///< bits of T
  std::vector<uint16_t> mask;    ///< bits of T, or 0 and 1
  std::vector<int8_t> classes;   ///< [tilesDown, tilesAcross], for all heads; empty: all are mixed
};

struct TiledAttentionResult {
  std::vector<uint16_t> output; ///< bits of T
  std::vector<float> logSumExp; ///< natural logarithm; of each query row
};

/// In the order above, to the bit.
template <class Profile>
TiledAttentionResult tiledAttentionExact(const TiledAttentionShape &shape, const TiledAttentionInputs &in);

/// From the definition, in float64, with what the exact order may differ from it; see the .cpp for the
/// argument. Keys of tiles of class 0 do not take part. A row without keys is 0, its logSumExp -inf.
struct TiledAttentionReference {
  std::vector<double> output, outputBound, logSumExp, logSumExpBound;
};
TiledAttentionReference tiledAttentionReference(const TiledAttentionShape &shape,
                                                const TiledAttentionInputs &in);

/// The value of bits of T, exact; and bits of T nearest to a float.
float fromElement(TileElement element, uint16_t bits);
uint16_t toElement(TileElement element, float value);

struct TiledAttentionError {
  double largest = 0;         ///< of |actual - reference|
  double largestOfBound = 0;  ///< of |actual - reference| / bound; at most 1 if the bound holds
  double largestRelative = 0; ///< largest divided by the largest |reference|
};
TiledAttentionError compareWithReference(const TiledAttentionShape &shape,
                                         const TiledAttentionReference &reference,
                                         const std::vector<uint16_t> &output);

} // namespace assay::oracle
