// The float64 oracle of decoding, softmax(scale q K^T + mask) V, its bound, and rows as bytes. See
// foundry_decode.h.
#include "foundry_decode.h"

#include "foundry_decode_row.h"
#include "matrix.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr double kUnit = 0x1p-24, kTiny = 0x1p-126;

double gamma(double n) {
  return n * kUnit / (1 - n * kUnit);
}

/// A number, and how far the kernel's may be from it.
struct Bounded {
  double value, error = 0;
};

/// What one rounding to the row's type adds to the error.
Bounded narrowed(const DecodeShape &s, Bounded x) {
  const double unit = s.bfloat ? 0x1p-8 : 0x1p-11, least = s.bfloat ? kTiny : 0x1p-25;
  return {x.value, x.error + unit * (std::fabs(x.value) + x.error) + least};
}

std::vector<Bounded> queryOf(const DecodeRow &row) {
  std::vector<Bounded> q;
  for (int d = 0; d < row.shape.headDim; ++d)
    q.push_back({row.number(row.in.q[row.index() * row.shape.headDim + d])});
  row.forEachPair([&](int real, int imaginary, double cosine, double sine) {
    const double a = q[real].value, b = q[imaginary].value;
    const auto turned = [&](double x, double y) {
      return narrowed(row.shape, {x + y, gamma(3) * (std::fabs(x) + std::fabs(y))});
    };
    q[real] = turned(a * cosine, -b * sine);
    q[imaginary] = turned(a * sine, b * cosine);
  });
  return q;
}

/// scale q k + mask. A lane adds up `laneElements` products, and five more sums are those of the lanes.
Bounded scoreOf(const DecodeRow &row, const std::vector<Bounded> &q, int key, int laneElements) {
  double dot = 0, magnitude = 0, queryError = 0;
  for (int d = 0; d < row.shape.headDim; ++d) {
    const double k = row.k(key, d).exact();
    dot += q[d].value * k;
    magnitude += (std::fabs(q[d].value) + q[d].error) * std::fabs(k);
    queryError += q[d].error * std::fabs(k);
  }
  const double score = dot * row.shape.scale + row.mask(key);
  double error = std::fabs(double(row.shape.scale)) *
                 (gamma(laneElements + 8) * magnitude + queryError + 2 * row.shape.headDim * kTiny);
  if (!row.in.mask.empty())
    error += kUnit * (std::fabs(score) + error);
  return {score, error};
}

/// e^s over the sum of all e^s.
std::vector<double> softmax(const std::vector<Bounded> &scores, double largest) {
  std::vector<double> weights;
  double total = 0;
  for (const Bounded &score : scores)
    total += weights.emplace_back(std::exp(score.value - largest));
  for (double &weight : weights)
    weight /= total;
  return weights;
}

/// Of an output, relative to sum_j P_j |v_jd|.
///   range   the largest score less the smallest, with their errors
double relativeError(const DecodeOrder &order, int rounds, double scoreError, double range) {
  // Exponents: the score's, the decays' together and each merge's are each at most the range. The merge of
  // splits adds an exp and a product to each weight; its sums are as long as there are splits, and the
  // means that it takes are quotients. L in these cancels: they are multiplied by the same float.
  const int again = order.splits > 1, more = again * (order.splits + 4);
  const double weight = std::expm1(scoreError + kUnit * ((3 + again) * range + 4 + 2 * again + 2 * rounds));
  const double above =
      (1 + weight) * (1 + gamma(rounds * (order.keys + 1) + order.simdgroups + 6 + more)) - 1;
  const double below = (1 + weight) * (1 + gamma(rounds + 5 + order.simdgroups + 2 + more)) - 1;
  const double relative = (above + below) / std::max(1 - below, 0x1p-20);
  return order.halfPartials ? relative + 0x1p-11 * (1 + relative) : relative;
}

void appendRow(const DecodeRow &row, const DecodeOrder &order, DecodeReference &result) {
  const DecodeShape &s = row.shape;
  const std::vector<int> keys = row.keys();
  if (keys.empty()) {
    result.out.insert(result.out.end(), s.headDim, 0);
    result.bound.insert(result.bound.end(), s.headDim, 0);
    return;
  }
  const int span = 32 * order.width, laneElements = (s.headDim + span - 1) / span * order.width;
  const std::vector<Bounded> q = queryOf(row);
  std::vector<Bounded> scores;
  for (const int key : keys)
    scores.push_back(scoreOf(row, q, key, laneElements));
  const auto byValue = [](const Bounded &a, const Bounded &b) { return a.value < b.value; };
  const auto byError = [](const Bounded &a, const Bounded &b) { return a.error < b.error; };
  const auto [smallest, largest] = std::minmax_element(scores.begin(), scores.end(), byValue);
  const double scoreError = std::max_element(scores.begin(), scores.end(), byError)->error;
  const std::vector<double> weights = softmax(scores, largest->value);

  const int rounds = (row.length() + order.simdgroups * order.keys - 1) / (order.simdgroups * order.keys);
  const double relative =
      relativeError(order, rounds, scoreError, largest->value - smallest->value + 2 * scoreError);
  const int flushes = 4 * (row.length() + rounds + (order.splits > 1) * (order.splits + 4));
  for (int d = 0; d < s.headDim; ++d) {
    double out = 0, magnitude = 0, biggest = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const double v = row.v(keys[i], d).exact();
      out += weights[i] * v, magnitude += weights[i] * std::fabs(v);
      biggest = std::max(biggest, std::fabs(v));
    }
    double error = relative * magnitude + flushes * kTiny * (1 + biggest);
    if (order.halfPartials)
      error += 0x1p-25 * (1 + relative);
    result.out.push_back(out);
    result.bound.push_back(narrowed(s, {out, error}).error);
  }
}

} // namespace

DecodeReference flashDecodeReference(const DecodeShape &s, const DecodeInputs &in, const DecodeOrder &order) {
  DecodeReference result;
  for (size_t index = 0; index < s.rowCount(); ++index)
    appendRow(DecodeRow(s, in, index), order, result);
  return result;
}

DecodeCache quantisedRows(const std::vector<float> &rows, int heads, int capacity, int headDim, int length,
                          int chunk, bool halfScales) {
  const int blocks = (capacity + kKeysOfScale - 1) / kKeysOfScale, chunks = (headDim + chunk - 1) / chunk;
  DecodeCache cache;
  cache.chunk = chunk;
  cache.bytes.assign(rows.size(), 0);
  cache.scales.assign(size_t(heads) * blocks * chunks, 0.0f);
  const auto group = [&](int h, int key, int d) {
    return (size_t(h) * blocks + key / kKeysOfScale) * chunks + d / chunk;
  };
  const auto each = [&](auto visit) {
    for (int h = 0; h < heads; ++h)
      for (int key = 0; key < length; ++key)
        for (int d = 0; d < headDim; ++d)
          visit((size_t(h) * capacity + key) * headDim + d, cache.scales[group(h, key, d)]);
  };
  each([&](size_t i, float &scale) { scale = std::max(scale, std::fabs(rows[i])); });
  for (float &scale : cache.scales) {
    scale = float(double(scale) / 127); // 53 bits are enough for a quotient to round once
    if (halfScales)
      scale = fromHalf(toHalf(scale));
  }
  each([&](size_t i, float &scale) {
    if (scale == 0)
      return;
    const double steps = std::nearbyint(double(float(double(rows[i]) / scale)));
    cache.bytes[i] = int8_t(std::min(127.0, std::max(-127.0, steps)));
  });
  return cache;
}

} // namespace assay::oracle
