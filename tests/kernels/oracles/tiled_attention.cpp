// Oracle of attention over tiles, in the order of operations that the header states.
//
// The bound of the reference.  u = 2^-24 is float's unit roundoff, t that of T (2^-8 or 2^-11), h half of T's
// smallest step at zero. All in base 2: s = c q.k + log2(e) m with c = scale log2(e), A = c sum |q[d] k[d]|.
//   score   factor is c within e = t + 3u (one rounding to T, two to float: of the product and of log2(e)).
//           Each q' has one more rounding of T, at most t of it or h. The chain of D steps is within
//           g(D) = D u / (1 - D u) of the sum of its magnitudes. The mask adds a rounding of the constant,
//           of the product and of the sum:
//             E = e |c q.k| + (t A + h sum |k[d]|) (1 + e) + g(D) ((1 + 2t) A + h sum |k[d]|)
//                 + 3u (|s| + 2 |m log2(e)|)
//   weight  p times all later rescales is 2^(s' - M), M the final maximum, which cancels in o / l. The
//           differences that exp2 takes are of one sign and add up to M - s', so their roundings add up to
//           u (M - s'). Each exp2, product and sum rounds once more: N = padded keys + 2 tiles + 8 of them.
//           (Steps of several tiles round less: there are fewer of them, and a tree over 64 is 6 sums deep.)
//           So with x = s - M
//             w' <= 2^(x + E + u (|x| + E + E of the largest)) (1 + g(N)),  b = w' - 2^x, and what underflows
//           adds at most N 2^-126 to b. From below the error is smaller.
//   output  O' is a quotient of sums with weights within b: |O' - O| <= (sum b |v| + |O| sum b) /
//           (sum w - sum b), and as weights are positive, at most 2 max |v|. Division and rounding to T:
//           (t + 2u) |O'| + h.
//   L       |log(sum w') - log(sum w)| <= -log(1 - sum b / sum w), and four roundings of what L is made of.
#include "tiled_attention.h"

#include "f32.h"
#include "matrix.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <numbers>

namespace assay::oracle {

namespace {

constexpr float kLog2e = 1.44269504089f, kLn2 = 0.69314718056f;

template <class Profile> uint16_t rounded(TileElement element, float value) {
  return element == TileElement::Bfloat ? F32<Profile>::toBfloat(value)
                                        : toHalf(F32<Profile>::operand(value));
}

std::vector<float> widen(TileElement element, const std::vector<uint16_t> &bits) {
  std::vector<float> out(bits.size());
  std::transform(bits.begin(), bits.end(), out.begin(), [&](uint16_t x) { return fromElement(element, x); });
  return out;
}

/// Calls visit(query, row, first row of its keys, first cell of its mask) for every query row.
template <class Visit> void forEachRow(const TiledAttentionShape &s, Visit visit) {
  size_t row = 0;
  for (int batch = 0; batch < s.batches; ++batch)
    for (int head = 0; head < s.queryHeads; ++head)
      for (int query = 0; query < s.queries; ++query, ++row) {
        const size_t keyRow = (size_t(batch) * s.keyHeads() + head / s.gqa) * s.keys;
        visit(query, row, keyRow, (s.oneMask ? size_t(query) : row) * s.keys);
      }
}

int classOf(const TiledAttentionShape &s, const TiledAttentionInputs &in, int queryTile, int keyTile) {
  return in.classes.empty() ? 1 : in.classes[size_t(queryTile) * s.tilesAcross() + keyTile];
}

/// ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7))
template <class F> float sumOfEight(const float *p) {
  const float left = F::add(F::add(p[0], p[1]), F::add(p[2], p[3]));
  return F::add(left, F::add(F::add(p[4], p[5]), F::add(p[6], p[7])));
}

/// A balanced tree, neighbours first. The count is a power of two.
template <class F> float sumOfTree(std::vector<float> p) {
  for (; p.size() > 1; p.resize(p.size() / 2))
    for (size_t i = 0; i < p.size() / 2; ++i)
      p[i] = F::add(p[2 * i], p[2 * i + 1]);
  return p[0];
}

/// The running state of one query row.
template <class Profile> struct OnlineRow {
  using F = F32<Profile>;
  float max = -FLT_MAX / 2, sum = 0;
  std::vector<float> output;

  /// scores   of a step, overwritten
  /// columns  of it that take part in the output, ascending
  /// tree     how the weights are added
  /// value    value(column, d) of it
  template <class Value>
  void add(std::vector<float> &scores, const std::vector<size_t> &columns, bool tree, Value value) {
    float newMax = max;
    for (const float s : scores)
      newMax = F::max(newMax, s);
    const float rescale = F::exp2(F::sub(max, newMax));
    for (float &s : scores)
      s = F::exp2(F::sub(s, newMax));
    float step = 0;
    if (tree)
      step = sumOfTree<F>(scores);
    else
      for (size_t k = 0; k < scores.size(); k += 8)
        step = F::add(step, sumOfEight<F>(&scores[k]));
    sum = F::mulAdd(sum, rescale, step);
    max = newMax;
    for (size_t d = 0; d < output.size(); ++d) {
      float o = F::mul(output[d], rescale);
      for (const size_t k : columns)
        o = oneNan(F::fma(scores[k], value(k, d), o));
      output[d] = o;
    }
  }
};

} // namespace

int TiledAttentionShape::tilesVisited(int queryTile) const {
  if (!causal)
    return tilesAcross();
  return std::min(tilesAcross(), (queryOffset + (queryTile + 1) * tileQueries + tileKeys - 1) / tileKeys);
}

float fromElement(TileElement element, uint16_t bits) {
  return element == TileElement::Bfloat ? fromBfloat(bits) : fromHalf(bits);
}
uint16_t toElement(TileElement element, float value) {
  return element == TileElement::Bfloat ? toBfloat(value) : toHalf(value);
}

template <class Profile>
TiledAttentionResult tiledAttentionExact(const TiledAttentionShape &s, const TiledAttentionInputs &in) {
  using F = F32<Profile>;
  const std::vector<float> q = widen(s.element, in.q), k = widen(s.element, in.k), v = widen(s.element, in.v);
  const float factor = fromElement(s.element, rounded<Profile>(s.element, F::mul(s.scale, kLog2e)));
  TiledAttentionResult out{std::vector<uint16_t>(s.queryCount()), std::vector<float>(s.queryRows())};
  std::vector<float> scaled(s.size), scores;
  std::vector<size_t> columns;
  const bool several = s.tilesTogether > 1;
  forEachRow(s, [&](int query, size_t row, size_t keyRow, size_t maskRow) {
    for (int d = 0; d < s.size; ++d)
      scaled[d] = fromElement(s.element, rounded<Profile>(s.element, F::mul(factor, q[row * s.size + d])));
    OnlineRow<Profile> online;
    online.output.assign(s.size, 0.0f);
    const int queryTile = query / s.tileQueries, visited = s.tilesVisited(queryTile);
    const auto score = [&](int key, int tileClass) {
      float product = 0, result = -kInfinity;
      for (int d = 0; d < s.size; ++d)
        product = oneNan(F::fma(scaled[d], k[(keyRow + key) * s.size + d], product));
      if (!s.causal || key <= s.queryOffset + query)
        result = product;
      if (tileClass == 2 || s.mask == TileMask::None)
        return result;
      const uint16_t cell = in.mask[maskRow + key];
      if (s.mask == TileMask::Additive)
        return F::mulAdd(kLog2e, fromElement(s.element, cell), result);
      return cell ? result : -kInfinity;
    };
    for (int firstTile = 0; firstTile < visited; firstTile += s.tilesTogether) {
      const int first = firstTile * s.tileKeys;
      scores.assign(size_t(s.tilesTogether) * s.tileKeys, -kInfinity);
      columns.clear();
      for (int tile = firstTile; tile < std::min(visited, firstTile + s.tilesTogether); ++tile) {
        const int tileClass = classOf(s, in, queryTile, tile);
        if (tileClass == 0)
          continue;
        for (int key = tile * s.tileKeys; key < (tile + 1) * s.tileKeys; ++key) {
          columns.push_back(size_t(key - first));
          if (key < s.keys) // else -inf, and -inf plus any cell that the mask may have there is -inf
            scores[key - first] = score(key, tileClass);
        }
      }
      if (columns.empty())
        continue;
      online.add(scores, columns, several, [&](size_t column, size_t d) {
        const int key = first + int(column);
        return key < s.keys ? v[(keyRow + key) * s.size + d] : 0.0f;
      });
    }
    for (int d = 0; d < s.size; ++d) {
      const bool zero = F::equal(online.sum, 0) || (several && F::equal(online.output[d], 0));
      const float o = zero ? 0 : F::div(online.output[d], online.sum);
      out.output[row * s.size + d] = rounded<Profile>(s.element, o);
    }
    out.logSumExp[row] = F::mulAdd(online.max, kLn2, F::log(online.sum));
  });
  return out;
}
template TiledAttentionResult tiledAttentionExact<Apple>(const TiledAttentionShape &,
                                                         const TiledAttentionInputs &);
template TiledAttentionResult tiledAttentionExact<Ieee>(const TiledAttentionShape &,
                                                        const TiledAttentionInputs &);

namespace {

constexpr double kU = 0x1p-24, kLog2eReal = std::numbers::log2e;

struct Roundoffs {
  double t, h;
};
Roundoffs roundoffsOf(TileElement element) {
  // Bfloats below 2^-126 may flush.
  return element == TileElement::Bfloat ? Roundoffs{0x1p-8, 0x1p-126} : Roundoffs{0x1p-11, 0x1p-25};
}

double gamma(double steps) {
  return steps * kU / (1 - steps * kU);
}

/// One score in base 2, and how far the exact order's may be from it.
struct Score {
  double value = -HUGE_VAL, error = 0;
};

Score scoreOf(const TiledAttentionShape &s, const float *q, const float *k, double mask) {
  const auto [t, h] = roundoffsOf(s.element);
  double dot = 0, magnitude = 0, keys = 0;
  for (int d = 0; d < s.size; ++d) {
    const double product = double(q[d]) * k[d];
    dot += product;
    magnitude += std::fabs(product);
    keys += std::fabs(double(k[d]));
  }
  const double c = double(s.scale) * kLog2eReal, e = t + 3 * kU;
  const double a = std::fabs(c) * magnitude, m = mask * kLog2eReal;
  Score score{c * dot + m, 0};
  score.error = e * std::fabs(c * dot) + (t * a + h * keys) * (1 + e) +
                gamma(s.size) * ((1 + 2 * t) * a + h * keys) +
                3 * kU * (std::fabs(score.value) + 2 * std::fabs(m));
  return score;
}

} // namespace

TiledAttentionReference tiledAttentionReference(const TiledAttentionShape &s,
                                                const TiledAttentionInputs &in) {
  const std::vector<float> q = widen(s.element, in.q), k = widen(s.element, in.k), v = widen(s.element, in.v);
  const auto [t, h] = roundoffsOf(s.element);
  const double steps = double(s.tilesAcross()) * (s.tileKeys + 2) + 8;
  TiledAttentionReference out{std::vector<double>(s.queryCount()), std::vector<double>(s.queryCount()),
                              std::vector<double>(s.queryRows()), std::vector<double>(s.queryRows())};
  std::vector<Score> scores(s.keys);
  std::vector<double> weight(s.keys), off(s.keys);
  forEachRow(s, [&](int query, size_t row, size_t keyRow, size_t maskRow) {
    Score largest;
    for (int key = 0; key < s.keys; ++key) {
      scores[key] = {};
      const uint16_t cell = s.mask == TileMask::None ? 0 : in.mask[maskRow + key];
      const double mask = s.mask == TileMask::Additive ? fromElement(s.element, cell) : 0;
      if ((s.causal && key > s.queryOffset + query) || (s.mask == TileMask::Bool && !cell) ||
          mask == -HUGE_VAL || classOf(s, in, query / s.tileQueries, key / s.tileKeys) == 0)
        continue;
      scores[key] = scoreOf(s, &q[row * s.size], &k[(keyRow + key) * s.size], mask);
      largest = {std::max(largest.value, scores[key].value), std::max(largest.error, scores[key].error)};
    }
    if (largest.value == -HUGE_VAL) {
      out.logSumExp[row] = -HUGE_VAL;
      return;
    }
    double sum = 0, sumOff = 0;
    for (int key = 0; key < s.keys; ++key) {
      const auto [value, error] = scores[key];
      const double x = value - largest.value;
      weight[key] = std::exp2(x);
      off[key] = value == -HUGE_VAL ? 0
                                    : std::exp2(x + error + kU * (std::fabs(x) + error + largest.error)) *
                                              (1 + gamma(steps)) -
                                          weight[key] + steps * 0x1p-126;
      sum += weight[key];
      sumOff += off[key];
    }
    const double known = std::max(sum - sumOff, 0.0);
    for (int d = 0; d < s.size; ++d) {
      double total = 0, totalOff = 0, largestValue = 0;
      for (int key = 0; key < s.keys; ++key) {
        if (weight[key] == 0 && off[key] == 0)
          continue;
        const double value = v[(keyRow + key) * s.size + d];
        total += weight[key] * value;
        totalOff += off[key] * std::fabs(value);
        largestValue = std::max(largestValue, std::fabs(value));
      }
      const double o = total / sum;
      const double tiles = known > 0 ? (totalOff + std::fabs(o) * sumOff) / known : HUGE_VAL;
      const double before = std::min(tiles, 2 * largestValue);
      out.output[row * s.size + d] = o;
      out.outputBound[row * s.size + d] = before + (t + 2 * kU) * (std::fabs(o) + before) + h;
    }
    const double l = largest.value / kLog2eReal + std::log(sum);
    out.logSumExp[row] = l;
    out.logSumExpBound[row] =
        -std::log(std::max(1 - sumOff / sum, 0.0)) +
        4 * kU * (std::fabs(largest.value) + largest.error + std::fabs(std::log(sum)) + 1);
  });
  return out;
}

TiledAttentionError compareWithReference(const TiledAttentionShape &s,
                                         const TiledAttentionReference &reference,
                                         const std::vector<uint16_t> &output) {
  TiledAttentionError error;
  double scale = 0;
  for (size_t i = 0; i < output.size(); ++i) {
    const double off = std::fabs(fromElement(s.element, output[i]) - reference.output[i]);
    const double bound = reference.outputBound[i];
    error.largest = std::max(error.largest, std::isnan(off) ? HUGE_VAL : off);
    error.largestOfBound = std::max(error.largestOfBound, std::isnan(off) ? HUGE_VAL
                                                          : off == 0      ? 0
                                                          : bound == 0    ? HUGE_VAL
                                                                          : off / bound);
    scale = std::max(scale, std::fabs(reference.output[i]));
  }
  error.largestRelative = error.largest == 0 ? 0 : error.largest / scale;
  return error;
}

} // namespace assay::oracle
