// Oracle of the attention backward pass, in the order of operations that the header argues for.
#include "attention_backward.h"

#include "f32.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {

namespace {

std::vector<float> widen(const std::vector<uint16_t> &bits) {
  std::vector<float> out(bits.size());
  std::transform(bits.begin(), bits.end(), out.begin(), fromBfloat);
  return out;
}

std::vector<double> toReals(const std::vector<uint16_t> &bits) {
  const std::vector<float> wide = widen(bits);
  return {wide.begin(), wide.end()};
}

template <class F> float dot(const float *a, const float *b, int size) {
  float sum = 0;
  for (int d = 0; d < size; ++d)
    sum = F::mulAdd(a[d], b[d], sum);
  return sum;
}

/// The number of key tiles that a query's tile visits.
int tilesVisited(const AttentionShape &s, int query) {
  const int all = (s.keys + s.tileKeys - 1) / s.tileKeys;
  const int lastQuery = query / s.tileQueries * s.tileQueries + s.tileQueries - 1;
  return s.causal ? std::min(all, (lastQuery + s.queryOffset) / s.tileKeys + 1) : all;
}

} // namespace

template <class Profile>
AttentionGradients<float> attentionBackwardExact(const AttentionShape &s, const AttentionInputs &in) {
  using F = F32<Profile>;
  const std::vector<float> q = widen(in.q), k = widen(in.k), v = widen(in.v), dO = widen(in.dO);
  AttentionGradients<float> out{std::vector<float>(s.queryCount()), std::vector<float>(s.keyCount()),
                                std::vector<float>(s.keyCount())};
  forEachQueryRow(s, [&](int query, size_t row, size_t keyBase) {
    const float *qRow = &q[row * s.size], *dORow = &dO[row * s.size];
    const uint16_t *maskRow = in.mask ? &(*in.mask)[row * s.keys] : nullptr;
    float *dQRow = &out.dQ[row * s.size];
    for (int tile = 0; tile < tilesVisited(s, query); ++tile) {
      std::vector<float> partial(s.size, 0.0f);
      for (int lane = 0; lane < s.tileKeys; ++lane) {
        const int key = tile * s.tileKeys + lane;
        if (key >= s.keys) {
          // The tile is padded with zero rows, whose score is -inf: P is 0 unless L is -inf or NaN, and the
          // padding's dS times a zero key still enters the sum.
          const float p = F::exp(F::sub(-kInfinity, in.logSumExp[row]));
          const float dS =
              F::mul(p, F::sub(dot<F>(dORow, std::vector<float>(s.size).data(), s.size), in.rowDot[row]));
          for (float &sum : partial)
            sum = F::mulAdd(dS, 0.0f, sum);
          continue;
        }
        const size_t keyRow = (keyBase + key) * s.size;
        float score = F::mul(s.scale, dot<F>(qRow, &k[keyRow], s.size));
        if (s.causal && key > query + s.queryOffset)
          score = -kInfinity;
        if (maskRow) {
          const float cell = fromBfloat(maskRow[key]);
          score = cell == -kInfinity ? cell : F::add(score, cell);
        }
        const float p = F::exp(F::sub(score, in.logSumExp[row]));
        const float dP = dot<F>(dORow, &v[keyRow], s.size);
        const float dS = F::mul(p, F::sub(dP, in.rowDot[row]));
        const float scaledDs = F::mul(s.scale, dS);
        for (int d = 0; d < s.size; ++d) {
          partial[d] = F::mulAdd(dS, k[keyRow + d], partial[d]);
          out.dK[keyRow + d] = F::add(out.dK[keyRow + d], F::mul(scaledDs, qRow[d]));
          out.dV[keyRow + d] = F::add(out.dV[keyRow + d], F::mul(p, dORow[d]));
        }
      }
      for (int d = 0; d < s.size; ++d)
        dQRow[d] = F::mulAdd(s.scale, partial[d], dQRow[d]);
    }
  });
  return out;
}
template AttentionGradients<float> attentionBackwardExact<Apple>(const AttentionShape &,
                                                                 const AttentionInputs &);
template AttentionGradients<float> attentionBackwardExact<Ieee>(const AttentionShape &,
                                                                const AttentionInputs &);

AttentionReals AttentionReals::from(const AttentionInputs &in) {
  return {toReals(in.q), toReals(in.k), toReals(in.v), toReals(in.dO),
          in.mask ? toReals(*in.mask) : std::vector<double>{}};
}

std::vector<double> attentionScores(const AttentionShape &s, const AttentionReals &in, int query, size_t row,
                                    size_t firstKeyRow) {
  std::vector<double> out(s.keys);
  for (int key = 0; key < s.keys; ++key) {
    const size_t keyRow = (firstKeyRow + key) * s.size;
    double sum = 0;
    for (int d = 0; d < s.size; ++d)
      sum += in.q[row * s.size + d] * in.k[keyRow + d];
    const double mask = in.mask.empty() ? 0 : in.mask[row * s.keys + key];
    out[key] = s.causal && key > query + s.queryOffset ? -HUGE_VAL : double(s.scale) * sum + mask;
  }
  return out;
}

AttentionForward attentionForwardReference(const AttentionShape &s, const AttentionReals &in) {
  AttentionForward out{std::vector<double>(s.queryCount()), std::vector<double>(s.queryRows()),
                       std::vector<double>(s.queryRows())};
  forEachQueryRow(s, [&](int query, size_t row, size_t keyBase) {
    const std::vector<double> score = attentionScores(s, in, query, row, keyBase);
    const double largest = *std::max_element(score.begin(), score.end());
    if (largest == -HUGE_VAL) { // nothing to attend to
      out.logSumExp[row] = -HUGE_VAL;
      return;
    }
    double total = 0;
    for (double x : score)
      total += std::exp(x - largest);
    out.logSumExp[row] = largest + std::log(total);
    for (int key = 0; key < s.keys; ++key) {
      const double p = std::exp(score[key] - out.logSumExp[row]);
      for (int d = 0; d < s.size; ++d)
        out.output[row * s.size + d] += p * in.v[(keyBase + key) * s.size + d];
    }
    for (int d = 0; d < s.size; ++d)
      out.rowDot[row] += out.output[row * s.size + d] * in.dO[row * s.size + d];
  });
  return out;
}

AttentionGradients<double> attentionBackwardReference(const AttentionShape &s, const AttentionReals &in) {
  const AttentionForward forward = attentionForwardReference(s, in);
  AttentionGradients<double> out{std::vector<double>(s.queryCount()), std::vector<double>(s.keyCount()),
                                 std::vector<double>(s.keyCount())};
  forEachQueryRow(s, [&](int query, size_t row, size_t keyBase) {
    if (forward.logSumExp[row] == -HUGE_VAL)
      return;
    const std::vector<double> score = attentionScores(s, in, query, row, keyBase);
    for (int key = 0; key < s.keys; ++key) {
      const size_t keyRow = (keyBase + key) * s.size, queryRow = row * s.size;
      const double p = std::exp(score[key] - forward.logSumExp[row]);
      double dP = 0;
      for (int d = 0; d < s.size; ++d)
        dP += in.dO[queryRow + d] * in.v[keyRow + d];
      const double dS = double(s.scale) * p * (dP - forward.rowDot[row]);
      for (int d = 0; d < s.size; ++d) {
        out.dQ[queryRow + d] += dS * in.k[keyRow + d];
        out.dK[keyRow + d] += dS * in.q[queryRow + d];
        out.dV[keyRow + d] += p * in.dO[queryRow + d];
      }
    }
  });
  return out;
}

} // namespace assay::oracle
