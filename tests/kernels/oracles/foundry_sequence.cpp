// See foundry_sequence.h for the formulas.
#include "foundry_sequence.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

constexpr double kUnit = 0x1p-24, kTiny = 0x1p-126;

double g(double n) {
  return n * kUnit / (1 - n * kUnit);
}

struct Bounded {
  double value, error;
};

/// Row `token` of one head, rotated.
std::vector<Bounded> rotated(const SequenceShape &s, const SequenceInputs &in, const float *row, int token) {
  std::vector<Bounded> out;
  for (int d = 0; d < s.headDim; ++d)
    out.push_back({row[d], 0});
  const double half = s.bfloat ? 0x1p-8 : 0x1p-11, least = s.bfloat ? kTiny : 0x1p-25;
  for (int i = 0; i < s.pairs; ++i) {
    const int first = s.neighbours ? 2 * i : i, second = s.neighbours ? 2 * i + 1 : i + s.pairs;
    const double a = row[first], b = row[second];
    const double c = in.cosines[size_t(in.positions[token]) * s.pairs + i],
                 n = in.sines[size_t(in.positions[token]) * s.pairs + i];
    const auto stored = [&](double x, double magnitude) {
      const double inFloat = g(3) * magnitude;
      return Bounded{x, inFloat + half * (std::fabs(x) + inFloat) + least};
    };
    out[first] = stored(a * c - b * n, std::fabs(a * c) + std::fabs(b * n));
    out[second] = stored(a * n + b * c, std::fabs(a * n) + std::fabs(b * c));
  }
  return out;
}

} // namespace

SequenceReference sequenceReference(const SequenceShape &s, const SequenceInputs &in, int token) {
  const int keys = token + 1;
  const double half = s.bfloat ? 0x1p-8 : 0x1p-11, least = s.bfloat ? kTiny : 0x1p-25;
  const double scale = std::fabs(double(s.scale));
  SequenceReference result;
  for (int head = 0; head < s.heads; ++head) {
    const int kvHead = head / (s.heads / s.kvHeads);
    const auto q = rotated(s, in, &in.q[(size_t(token) * s.heads + head) * s.headDim], token);
    std::vector<double> scores;
    double largest = -INFINITY, smallest = INFINITY, scoreError = 0;
    for (int j = 0; j < keys; ++j) {
      const auto k = rotated(s, in, &in.k[(size_t(j) * s.kvHeads + kvHead) * s.headDim], j);
      double dot = 0, magnitude = 0, stored = 0;
      for (int d = 0; d < s.headDim; ++d) {
        const double aq = std::fabs(q[d].value), ak = std::fabs(k[d].value);
        dot += q[d].value * k[d].value;
        stored += q[d].error * ak + aq * k[d].error + q[d].error * k[d].error;
        magnitude += (aq + q[d].error) * (ak + k[d].error);
      }
      scores.push_back(s.scale * dot);
      scoreError =
          std::max(scoreError, scale * (stored + g(s.headDim + 8) * magnitude + 2 * s.headDim * kTiny));
      largest = std::max(largest, scores.back()), smallest = std::min(smallest, scores.back());
    }
    const double range = largest - smallest + 2 * scoreError;
    const double weightError = std::expm1(scoreError + kUnit * (4 * range + 4 * keys + 40));
    const double sumError = (1 + weightError) * (1 + g(keys + 80)) - 1;
    const double relative = 2 * sumError / std::max(1 - sumError, 0x1p-20);

    double total = 0;
    for (double &score : scores)
      total += score = std::exp(score - largest);
    for (int d = 0; d < s.headDim; ++d) {
      double out = 0, magnitude = 0, most = 0;
      for (int j = 0; j < keys; ++j) {
        const double v = in.v[(size_t(j) * s.kvHeads + kvHead) * s.headDim + d];
        out += scores[j] * v / total, magnitude += scores[j] * std::fabs(v) / total;
        most = std::max(most, std::fabs(v));
      }
      const double error = relative * magnitude + 4 * (keys + 40) * kTiny * (1 + most); // what is flushed
      result.out.push_back(out);
      result.bound.push_back(error + half * (std::fabs(out) + error) + least);
    }
  }
  return result;
}

} // namespace assay::oracle
