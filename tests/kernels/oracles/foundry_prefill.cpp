// See foundry_prefill.h for the formulas and the order of operations.
#include "foundry_prefill.h"

#include "f32.h"
#include "matrix.h"
#include "simd.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr int kTile = 32;

/// One query's place in the inputs.
struct Row {
  const PrefillShape &s;
  const PrefillInputs &in;
  int batch, head, query;

  size_t index() const { return (size_t(batch) * s.heads + head) * s.queries + query; }
  const float *q() const { return &in.q[index() * s.size]; }
  size_t keyRow(int key) const {
    const int keyHead = head / (s.heads / s.keyHeads);
    return ((size_t(batch) * s.keyHeads + keyHead) * s.keys + key) * s.size;
  }
  float mask(int key) const { return in.mask ? (*in.mask)[index() * s.keys + key] : 0.0f; }
  bool padded(int key) const { return in.padding && !(*in.padding)[size_t(batch) * s.keys + key]; }
  bool hidden(int key) const { return (s.causal && key > s.queryStart + query) || padded(key); }
  /// 0 where nothing is to be read.
  float v(int key, int d) const { return key < s.keys && !padded(key) ? in.v[keyRow(key) + d] : 0.0f; }
};

template <class Visit> void forEachRow(const PrefillShape &s, const PrefillInputs &in, Visit visit) {
  for (int batch = 0; batch < s.batches; ++batch)
    for (int head = 0; head < s.heads; ++head)
      for (int query = 0; query < s.queries; ++query)
        visit(Row{s, in, batch, head, query});
}

template <class F> float scoreOf(const Row &row, int key) {
  if (key >= row.s.keys || row.hidden(key))
    return kHidden;
  const float *q = row.q(), *k = &row.in.k[row.keyRow(key)];
  float dot = 0;
  for (int d = 0; d < row.s.size; ++d)
    dot = F::fma(q[d], k[d], dot);
  return F::fma(dot, row.s.scale, row.mask(key));
}

struct Walked {
  float m = kHidden, l = 0;
  std::vector<float> o;
};

/// The tiles before the first that no row of the query's tile sees.
int visibleTiles(const PrefillShape &s, int query) {
  if (!s.causal)
    return s.tiles();
  const int lastQuery = std::min(query / s.tileRows * s.tileRows + s.tileRows, s.queries) - 1;
  const int visibleKeys = std::clamp(s.queryStart + lastQuery + 1, 0, s.keys);
  return (visibleKeys + kTile - 1) / kTile;
}

/// Eight at a time, then the eights in order.
template <class F> float sumOfEights(const Lanes &p) {
  float sum = 0;
  for (int k = 0; k < kTile; k += 8) {
    const float left = F::add(F::add(p[k], p[k + 1]), F::add(p[k + 2], p[k + 3]));
    sum = F::add(sum, F::add(left, F::add(F::add(p[k + 4], p[k + 5]), F::add(p[k + 6], p[k + 7]))));
  }
  return sum;
}

template <class Profile> Walked walk(const Row &row, int firstTile, int endTile) {
  using F = F32<Profile>;
  Walked state;
  state.o.assign(row.s.size, 0.0f);
  for (int tile = firstTile; tile < endTile; ++tile) {
    Lanes scores, weights;
    for (int lane = 0; lane < kTile; ++lane)
      scores[lane] = scoreOf<F>(row, tile * kTile + lane);
    const float largest = F::max(state.m, simdMax<Profile>(scores));
    const float rescale = F::exp(F::sub(state.m, largest));
    for (int lane = 0; lane < kTile; ++lane)
      weights[lane] = F::lessOrEqual(scores[lane], kHidden) ? 0.0f : F::exp(F::sub(scores[lane], largest));
    state.m = largest;
    state.l = F::fma(state.l, rescale, row.s.matrices ? sumOfEights<F>(weights) : simdSum<Profile>(weights));
    for (int d = 0; d < row.s.size; ++d) {
      float o = F::mul(state.o[d], rescale);
      for (int lane = 0; lane < kTile; ++lane)
        o = F::fma(weights[lane], row.v(tile * kTile + lane, d), o);
      state.o[d] = o;
    }
  }
  return state;
}

template <class F> uint16_t narrow(const PrefillShape &s, float value) {
  return s.bfloat ? F::toBfloat(value) : toHalf(F::operand(value));
}

template <class F> float reciprocalOrZero(float l) {
  return F::equal(l, 0.0f) ? 0.0f : F::div(1.0f, l);
}

} // namespace

template <class Profile> std::vector<uint16_t> prefillExact(const PrefillShape &s, const PrefillInputs &in) {
  using F = F32<Profile>;
  std::vector<uint16_t> out;
  forEachRow(s, in, [&](const Row &row) {
    const Walked end = walk<Profile>(row, 0, visibleTiles(s, row.query));
    const float normalize = reciprocalOrZero<F>(end.l);
    for (const float o : end.o)
      out.push_back(narrow<F>(s, F::mul(o, normalize)));
  });
  return out;
}

template <class Profile>
PrefillPartials prefillPartExact(const PrefillShape &s, const PrefillInputs &in, int splits) {
  PrefillPartials out;
  const int each = (s.tiles() + splits - 1) / splits;
  forEachRow(s, in, [&](const Row &row) {
    for (int split = 0; split < splits; ++split) {
      const Walked end =
          walk<Profile>(row, split * each, std::min((split + 1) * each, visibleTiles(s, row.query)));
      out.o.insert(out.o.end(), end.o.begin(), end.o.end());
      out.m.push_back(end.m);
      out.l.push_back(end.l);
    }
  });
  return out;
}

template <class Profile>
std::vector<uint16_t> prefillReduceExact(const PrefillShape &s, const PrefillPartials &partials, int splits) {
  using F = F32<Profile>;
  std::vector<uint16_t> out;
  for (int row = 0; row < s.rows(); ++row) {
    const size_t first = size_t(row) * splits;
    float largest = kHidden, sum = 0;
    for (int split = 0; split < splits; ++split)
      largest = F::max(largest, partials.m[first + split]);
    std::vector<float> o(s.size, 0.0f);
    for (int split = 0; split < splits; ++split) {
      const float weight = F::exp(F::sub(partials.m[first + split], largest));
      sum = F::fma(partials.l[first + split], weight, sum);
      for (int d = 0; d < s.size; ++d)
        o[d] = F::fma(partials.o[(first + split) * s.size + d], weight, o[d]);
    }
    const float normalize = reciprocalOrZero<F>(sum);
    for (int d = 0; d < s.size; ++d)
      out.push_back(narrow<F>(s, F::mul(o[d], normalize)));
  }
  return out;
}

template <class Profile>
std::vector<uint16_t> materializedExact(const PrefillShape &s, const PrefillInputs &in) {
  using F = F32<Profile>;
  std::vector<uint16_t> out;
  forEachRow(s, in, [&](const Row &row) {
    std::vector<float> weights(s.keys);
    Lanes largestOfLane, sumOfLane;
    largestOfLane.fill(kHidden);
    sumOfLane.fill(0.0f);
    for (int key = 0; key < s.keys; ++key) {
      weights[key] = scoreOf<F>(row, key);
      largestOfLane[key % kTile] = F::max(largestOfLane[key % kTile], weights[key]);
    }
    const float largest = simdMax<Profile>(largestOfLane);
    for (int key = 0; key < s.keys; ++key) {
      weights[key] = F::lessOrEqual(weights[key], kHidden) ? 0.0f : F::exp(F::sub(weights[key], largest));
      sumOfLane[key % kTile] = F::add(sumOfLane[key % kTile], weights[key]);
    }
    const float normalize = reciprocalOrZero<F>(simdSum<Profile>(sumOfLane));
    for (float &weight : weights)
      weight = F::mul(weight, normalize);
    for (int d = 0; d < s.size; ++d) {
      float o = 0;
      for (int key = 0; key < s.keys; ++key)
        o = F::fma(weights[key], row.v(key, d), o);
      out.push_back(narrow<F>(s, o));
    }
  });
  return out;
}

#define INSTANTIATE(Profile)                                                                                 \
  template std::vector<uint16_t> prefillExact<Profile>(const PrefillShape &, const PrefillInputs &);         \
  template PrefillPartials prefillPartExact<Profile>(const PrefillShape &, const PrefillInputs &, int);      \
  template std::vector<uint16_t> prefillReduceExact<Profile>(const PrefillShape &, const PrefillPartials &,  \
                                                             int);                                           \
  template std::vector<uint16_t> materializedExact<Profile>(const PrefillShape &, const PrefillInputs &);
INSTANTIATE(Apple)
INSTANTIATE(Ieee)

PrefillReference prefillReference(const PrefillShape &s, const PrefillInputs &in, int splits) {
  constexpr double u = 0x1p-24;
  const double roundings = 36.0 * s.tiles() + 3.0 * splits + 12; // of weights, sums and the quotient
  const double typeUnit = s.bfloat ? 0x1p-8 : 0x1p-11;
  const double typeLeast =
      s.bfloat ? 0x1p-126 : 0x1p-25; // bfloat results flush, halves round to multiples of 2^-24
  PrefillReference out;
  forEachRow(s, in, [&](const Row &row) {
    std::vector<double> score(s.keys, -HUGE_VAL), error(s.keys, 0.0);
    double largest = -HUGE_VAL;
    for (int key = 0; key < s.keys; ++key) {
      if (row.hidden(key) || row.mask(key) <= kHidden)
        continue;
      double dot = 0, absolute = 0;
      for (int d = 0; d < s.size; ++d) {
        const double product = double(row.q()[d]) * row.in.k[row.keyRow(key) + d];
        dot += product, absolute += std::fabs(product);
      }
      score[key] = s.scale * dot + row.mask(key);
      error[key] = std::fabs(s.scale) * s.size * u * absolute + u * std::fabs(score[key]);
      largest = std::max(largest, score[key]);
    }
    double total = 0, meanError = 0;
    for (int key = 0; key < s.keys; ++key)
      if (score[key] != -HUGE_VAL) {
        error[key] += u * (largest - score[key]) + roundings * u;
        total += std::exp(score[key] - largest);
        meanError += std::exp(score[key] - largest) * error[key];
      }
    for (int d = 0; d < s.size; ++d) {
      double value = 0, bound = 0, largestV = 0;
      for (int key = 0; key < s.keys && total > 0; ++key) {
        if (score[key] == -HUGE_VAL)
          continue;
        const double weight = std::exp(score[key] - largest) / total, v = row.v(key, d);
        value += weight * v;
        bound += weight * std::fabs(v) * (error[key] + meanError / total);
        largestV = std::max(largestV, std::fabs(v));
      }
      bound = 1.01 * bound + s.keys * largestV * 0x1p-125; // weights that flush
      out.out.push_back(value);
      out.floatBound.push_back(bound);
      out.bound.push_back(bound + std::max(typeUnit * (std::fabs(value) + bound), typeLeast));
    }
  });
  return out;
}

} // namespace assay::oracle
