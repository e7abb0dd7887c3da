#include "foundry_decode.h"

#include "f32.h"
#include "matrix.h"
#include "simd.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr int kKeysOfScale = 32;

float valueOf(const DecodeShape &s, uint16_t bits) {
  return s.bfloat ? fromBfloat(bits) : fromHalf(bits);
}

template <class Profile> uint16_t narrowed(const DecodeShape &s, float value) {
  return s.bfloat ? F32<Profile>::toBfloat(value) : toHalf(value);
}

/// One head's rows of a cache.
struct HeadOf {
  const DecodeShape &s;
  const DecodeCache &cache;
  size_t head; // batch * kvHeads + kvHead

  bool quantised() const { return !cache.bytes.empty(); }
  size_t element(int key, int d) const { return (head * s.capacity + key) * s.headDim + d; }
  float scale(int key, int d) const {
    const int blocks = (s.capacity + kKeysOfScale - 1) / kKeysOfScale,
              chunks = (s.headDim + cache.chunk - 1) / cache.chunk;
    return cache.scales[(head * blocks + key / kKeysOfScale) * chunks + d / cache.chunk];
  }
  template <class Profile> float read(int key, int d) const {
    if (quantised())
      return F32<Profile>::mul(float(cache.bytes[element(key, d)]), scale(key, d));
    return valueOf(s, cache.bits[element(key, d)]);
  }
  double exact(int key, int d) const {
    if (quantised())
      return double(cache.bytes[element(key, d)]) * scale(key, d);
    return valueOf(s, cache.bits[element(key, d)]);
  }
};

bool counts(const DecodeShape &s, const DecodeInputs &in, int batch, int head, int key) {
  if (uint32_t(key) >= in.lengths[batch])
    return false;
  if (!in.padding.empty() && in.padding[size_t(batch) * s.capacity + key] == 0)
    return false;
  return in.mask.empty() || in.mask[(size_t(batch) * s.heads + head) * s.capacity + key] != -kInfinity;
}

float maskAt(const DecodeShape &s, const DecodeInputs &in, int batch, int head, int key) {
  return in.mask.empty() ? 0.0f : in.mask[(size_t(batch) * s.heads + head) * s.capacity + key];
}

/// What one simdgroup leaves.
struct Part {
  float maximum = -FLT_MAX / 2, sum = 0;
  std::vector<float> out;
};

template <class Profile>
Part simdgroupPart(const DecodeShape &s, const DecodeInputs &in, const DecodeOrder &order, int batch,
                   int head, const std::vector<float> &q, int simdgroup, int begin, int length) {
  using F = F32<Profile>;
  const size_t kvHead = size_t(batch) * s.kvHeads + head / (s.heads / s.kvHeads);
  const HeadOf keys{s, in.k, kvHead}, values{s, in.v, kvHead};
  const int span = 32 * order.width;
  Part part;
  part.out.assign(s.headDim, 0.0f);
  for (int first = begin + simdgroup * order.keys; first < length; first += order.simdgroups * order.keys) {
    const int end = std::min(first + order.keys, length);
    Lanes scores;
    scores.fill(-FLT_MAX / 2);
    std::array<bool, 32> live{};
    for (int key = first; key < end; ++key) {
      Lanes dots{};
      for (int lane = 0; lane < 32; ++lane)
        for (int start = lane * order.width; start < s.headDim; start += span)
          for (int d = start; d < start + order.width; ++d)
            dots[lane] = F::mulAdd(q[d], keys.read<Profile>(key, d), dots[lane]);
      float score = F::mul(simdSum<Profile>(dots), s.scale);
      if (!counts(s, in, batch, head, key))
        continue;
      if (!in.mask.empty())
        score = F::add(score, maskAt(s, in, batch, head, key));
      live[key - first] = true;
      scores[key - first] = score;
    }
    const float next = F::max(part.maximum, simdMax<Profile>(scores));
    const float decay = F::exp(F::sub(part.maximum, next));
    Lanes weights{};
    for (int j = 0; j < 32; ++j)
      if (live[j])
        weights[j] = F::exp(F::sub(scores[j], next));
    part.maximum = next;
    part.sum = F::mulAdd(part.sum, decay, simdSum<Profile>(weights));
    for (float &o : part.out)
      o = F::mul(o, decay);
    for (int key = first; key < end; ++key)
      if (const float w = weights[key - first]; !F::equal(w, 0))
        for (int d = 0; d < s.headDim; ++d)
          part.out[d] = F::mulAdd(w, values.read<Profile>(key, d), part.out[d]);
  }
  for (float &o : part.out) {
    o = F::equal(part.sum, 0) ? 0.0f : F::div(o, part.sum);
    if (order.halfPartials)
      o = fromHalf(toHalf(o));
  }
  return part;
}

/// Several parts as one: its maximum, its sum, and the mean of the values.
template <class Profile> Part mergedParts(const std::vector<Part> &parts, int headDim) {
  using F = F32<Profile>;
  Part merged;
  for (const Part &part : parts)
    merged.maximum = F::max(merged.maximum, part.maximum);
  std::vector<float> weights;
  for (const Part &part : parts) {
    weights.push_back(F::mul(F::exp(F::sub(part.maximum, merged.maximum)), part.sum));
    merged.sum = F::add(merged.sum, weights.back());
  }
  for (int d = 0; d < headDim; ++d) {
    float value = 0;
    for (size_t i = 0; i < parts.size(); ++i)
      value = F::mulAdd(weights[i], parts[i].out[d], value);
    merged.out.push_back(F::equal(merged.sum, 0) ? 0.0f : F::div(value, merged.sum));
  }
  return merged;
}

double gamma(double n) {
  constexpr double u = 0x1p-24;
  return n * u / (1 - n * u);
}

struct Bounded {
  double value, error;
};

/// The query that scores are made of: rotated in float64, and how far the kernel's may be from it.
std::vector<Bounded> referenceQuery(const DecodeShape &s, const DecodeInputs &in, int batch, int head) {
  std::vector<Bounded> q(s.headDim);
  for (int d = 0; d < s.headDim; ++d)
    q[d] = {valueOf(s, in.q[(size_t(batch) * s.heads + head) * s.headDim + d]), 0};
  if (!in.rope)
    return q;
  const DecodeRope &r = *in.rope;
  const double unit = s.bfloat ? 0x1p-8 : 0x1p-11, least = s.bfloat ? 0x1p-126 : 0x1p-25;
  for (int i = 0; i < r.pairs; ++i) {
    const int first = r.neighbours ? 2 * i : i, second = r.neighbours ? 2 * i + 1 : i + r.pairs;
    const double a = q[first].value, b = q[second].value;
    const double c = r.cosines[size_t(r.positions[batch]) * r.pairs + i],
                 n = r.sines[size_t(r.positions[batch]) * r.pairs + i];
    const auto rounded = [&](double x, double magnitude) {
      const double inFloat = gamma(3) * magnitude;
      return Bounded{x, inFloat + unit * (std::fabs(x) + inFloat) + least};
    };
    q[first] = rounded(a * c - b * n, std::fabs(a * c) + std::fabs(b * n));
    q[second] = rounded(a * n + b * c, std::fabs(a * n) + std::fabs(b * c));
  }
  return q;
}

} // namespace

template <class Profile> std::vector<uint16_t> rotatedQuery(const DecodeShape &s, const DecodeInputs &in) {
  using F = F32<Profile>;
  std::vector<uint16_t> q = in.q;
  if (!in.rope)
    return q;
  const DecodeRope &r = *in.rope;
  for (size_t row = 0; row < s.rowCount(); ++row)
    for (int i = 0; i < r.pairs; ++i) {
      uint16_t &first = q[row * s.headDim + (r.neighbours ? 2 * i : i)];
      uint16_t &second = q[row * s.headDim + (r.neighbours ? 2 * i + 1 : i + r.pairs)];
      const float a = valueOf(s, first), b = valueOf(s, second);
      const size_t angle = size_t(r.positions[row / s.heads]) * r.pairs + i;
      const float c = r.cosines[angle], n = r.sines[angle];
      first = narrowed<Profile>(s, F::mulAdd(a, c, -F::mul(b, n)));
      second = narrowed<Profile>(s, F::mulAdd(a, n, F::mul(b, c)));
    }
  return q;
}

template <class Profile>
std::vector<uint16_t> flashDecodeExact(const DecodeShape &s, const DecodeInputs &in,
                                       const DecodeOrder &order) {
  const std::vector<uint16_t> queries = rotatedQuery<Profile>(s, in);
  std::vector<uint16_t> result(queries.size());
  for (size_t row = 0; row < s.rowCount(); ++row) {
    std::vector<float> q(s.headDim);
    for (int d = 0; d < s.headDim; ++d)
      q[d] = valueOf(s, queries[row * s.headDim + d]);
    const int length = int(in.lengths[row / s.heads]), each = (length + order.splits - 1) / order.splits;
    std::vector<Part> splits;
    for (int begin = 0, n = 0; n < order.splits; ++n, begin += each) {
      std::vector<Part> parts;
      for (int i = 0; i < order.simdgroups; ++i)
        parts.push_back(simdgroupPart<Profile>(s, in, order, int(row / s.heads), int(row % s.heads), q, i,
                                               std::min(begin, length), std::min(begin + each, length)));
      splits.push_back(mergedParts<Profile>(parts, s.headDim));
    }
    const Part whole = order.splits == 1 ? splits[0] : mergedParts<Profile>(splits, s.headDim);
    for (int d = 0; d < s.headDim; ++d)
      result[row * s.headDim + d] = narrowed<Profile>(s, whole.out[d]);
  }
  return result;
}

DecodeReference flashDecodeReference(const DecodeShape &s, const DecodeInputs &in, const DecodeOrder &order) {
  constexpr double u = 0x1p-24, tiny = 0x1p-126;
  DecodeReference result;
  const int span = 32 * order.width, laneElements = (s.headDim + span - 1) / span * order.width;
  for (size_t row = 0; row < s.rowCount(); ++row) {
    const int batch = int(row / s.heads), head = int(row % s.heads), length = int(in.lengths[batch]);
    const size_t kvHead = size_t(batch) * s.kvHeads + head / (s.heads / s.kvHeads);
    const HeadOf keys{s, in.k, kvHead}, values{s, in.v, kvHead};
    const std::vector<Bounded> q = referenceQuery(s, in, batch, head);

    std::vector<double> scores(length, -INFINITY);
    double largest = -INFINITY, smallest = INFINITY, scoreError = 0;
    for (int key = 0; key < length; ++key) {
      if (!counts(s, in, batch, head, key))
        continue;
      double dot = 0, magnitude = 0, queryError = 0;
      for (int d = 0; d < s.headDim; ++d) {
        const double k = keys.exact(key, d);
        dot += q[d].value * k;
        magnitude += (std::fabs(q[d].value) + q[d].error) * std::fabs(k);
        queryError += q[d].error * std::fabs(k);
      }
      const double scale = std::fabs(double(s.scale)),
                   score = dot * s.scale + maskAt(s, in, batch, head, key);
      double error = scale * (gamma(laneElements + 8) * magnitude + queryError + 2 * s.headDim * tiny);
      if (!in.mask.empty())
        error += u * (std::fabs(score) + error);
      scores[key] = score;
      largest = std::max(largest, score), smallest = std::min(smallest, score);
      scoreError = std::max(scoreError, error);
    }

    std::vector<double> sum(s.headDim), magnitude(s.headDim), biggest(s.headDim);
    double total = 0;
    for (int key = 0; key < length; ++key) {
      if (scores[key] == -INFINITY)
        continue;
      const double weight = std::exp(scores[key] - largest);
      total += weight;
      for (int d = 0; d < s.headDim; ++d) {
        const double v = values.exact(key, d);
        sum[d] += weight * v, magnitude[d] += weight * std::fabs(v),
            biggest[d] = std::max(biggest[d], std::fabs(v));
      }
    }

    const double range = total == 0 ? 0 : largest - smallest + 2 * scoreError;
    const int rounds = (length + order.simdgroups * order.keys - 1) / (order.simdgroups * order.keys);
    // Exponents: the score's, the decays' together and each merge's are each at most the range. The merge of
    // splits adds an exp and a product to each weight; its sums are as long as there are splits, and the
    // means that it takes are quotients. L in these cancels: they are multiplied by the same float.
    const int again = order.splits > 1, more = again * (order.splits + 4);
    const double weightError =
        std::expm1(scoreError + u * ((3 + again) * range + 4 + 2 * again + 2 * rounds));
    const double above =
        (1 + weightError) * (1 + gamma(rounds * (order.keys + 1) + order.simdgroups + 6 + more)) - 1;
    const double below = (1 + weightError) * (1 + gamma(rounds + 5 + order.simdgroups + 2 + more)) - 1;
    double relative = (above + below) / std::max(1 - below, 0x1p-20);
    if (order.halfPartials)
      relative += 0x1p-11 * (1 + relative);
    for (int d = 0; d < s.headDim; ++d) {
      if (total == 0) {
        result.out.push_back(0), result.bound.push_back(0);
        continue;
      }
      const double out = sum[d] / total;
      double error = relative * magnitude[d] / total;
      error += 4 * (length + rounds + more) * tiny * (1 + biggest[d]); // what is flushed
      if (order.halfPartials)
        error += 0x1p-25 * (1 + relative);
      const double unit = s.bfloat ? 0x1p-8 : 0x1p-11, least = s.bfloat ? tiny : 0x1p-25;
      result.out.push_back(out);
      result.bound.push_back(error + unit * (std::fabs(out) + error) + least);
    }
  }
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

template std::vector<uint16_t> flashDecodeExact<Apple>(const DecodeShape &, const DecodeInputs &,
                                                       const DecodeOrder &);
template std::vector<uint16_t> flashDecodeExact<Ieee>(const DecodeShape &, const DecodeInputs &,
                                                      const DecodeOrder &);
template std::vector<uint16_t> rotatedQuery<Apple>(const DecodeShape &, const DecodeInputs &);
template std::vector<uint16_t> rotatedQuery<Ieee>(const DecodeShape &, const DecodeInputs &);

} // namespace assay::oracle
