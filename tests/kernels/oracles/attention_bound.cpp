// How far the backward pass in float may be from the one in float64.
//
// u = 2^-24; g(n) = n u / (1 - n u) bounds what n roundings in a row do to a sum, relative to the sum of its
// magnitudes; every operation may also lose up to w = 2^-126 to the flush. Of one query row and one key, with
// eL and eD the errors of the L and D that the kernel is given:
//
//   S   a chain of `size` steps, a product, and the sum with the mask:
//         eS = g(size + 1) |scale| sum |q k| + 2u (|S| + |m|) + size w
//   P   exp of a difference, both rounded: P' lies in P e^(+-eX), once more rounded, eX = eS + eL + u |S - L|
//         eP = P (e^eX (1 + u) - 1) + w
//   dS  of dP, a chain: e = g(size) sum |dO v| + size w + eD, and a difference with one rounding more
//         eDs = (P + eP) e' + eP |dP - D|, one rounding more, w      with e' = e + u (|dP - D| + e)
//
// Sums: what their terms are off, and g(n) of their magnitudes. A term of dQ meets at most the keys of its
// tile and then one step for each tile; a term of dK or dV meets at most all the query rows that share the
// key, in whatever order, and before that the product with scale and the product itself: so n counts those,
// and the bound holds for every order of the atomic additions.
#include "attention_backward.h"

#include <cmath>
#include <cstdlib>

namespace assay::oracle {

namespace {

constexpr double u = 0x1p-24, w = 0x1p-126;

double g(double roundings) {
  return roundings * u / (1 - roundings * u);
}

struct Dot {
  double value = 0, magnitude = 0;
};
Dot dotOf(const double *a, const double *b, int size) {
  Dot dot;
  for (int d = 0; d < size; ++d)
    dot.value += a[d] * b[d], dot.magnitude += std::fabs(a[d] * b[d]);
  return dot;
}

} // namespace

AttentionGradients<double> attentionBackwardBound(const AttentionShape &s, const AttentionReals &in,
                                                  const std::vector<double> &logSumExpError,
                                                  const std::vector<double> &rowDotError) {
  const AttentionForward forward = attentionForwardReference(s, in);
  AttentionGradients<double> bound{std::vector<double>(s.queryCount()), std::vector<double>(s.keyCount()),
                                   std::vector<double>(s.keyCount())};
  const double scale = std::fabs(double(s.scale));
  const double rowSteps = s.tileKeys + (s.keys + s.tileKeys - 1) / s.tileKeys + 1;
  const double keySteps = double(s.queries) * s.gqa + 2;
  forEachQueryRow(s, [&](int query, size_t row, size_t keyBase) {
    if (forward.logSumExp[row] == -HUGE_VAL)
      return;
    const std::vector<double> scores = attentionScores(s, in, query, row, keyBase);
    const double *q = &in.q[row * s.size], *dO = &in.dO[row * s.size];
    for (int key = 0; key < s.keys; ++key) {
      if (scores[key] == -HUGE_VAL)
        continue;
      const size_t keyRow = (keyBase + key) * s.size;
      const double *k = &in.k[keyRow], *v = &in.v[keyRow];
      const double mask = in.mask.empty() ? 0 : std::fabs(in.mask[row * s.keys + key]);
      const double x = scores[key] - forward.logSumExp[row], p = std::exp(x);
      const double eS = g(s.size + 1) * scale * dotOf(q, k, s.size).magnitude +
                        2 * u * (std::fabs(scores[key]) + mask) + s.size * w;
      const double eX = eS + logSumExpError[row] + u * std::fabs(x);
      const double eP = p * (std::expm1(eX) * (1 + u) + u) + w;

      const Dot dP = dotOf(dO, v, s.size);
      const double difference = std::fabs(dP.value - forward.rowDot[row]);
      const double before = g(s.size) * dP.magnitude + s.size * w + rowDotError[row];
      const double eDifference = before + u * (difference + before);
      const double dS = p * difference;
      double eDs = (p + eP) * eDifference + eP * difference;
      eDs += u * (dS + eDs) + w;
      for (int d = 0; d < s.size; ++d) {
        const double toQuery = scale * std::fabs(k[d]), toKey = scale * std::fabs(q[d]),
                     toValue = std::fabs(dO[d]);
        bound.dQ[row * s.size + d] += toQuery * (eDs + g(rowSteps) * (dS + eDs)) + 2 * w;
        bound.dK[keyRow + d] += toKey * (eDs + g(keySteps) * (dS + eDs)) + 3 * w;
        bound.dV[keyRow + d] += toValue * (eP + g(keySteps) * (p + eP)) + 2 * w;
      }
    }
  });
  return bound;
}

} // namespace assay::oracle
