// Oracle of the gated delta-rule recurrence: one recurrence, two arithmetics.
#include "delta_net.h"

#include "f32.h"
#include "simd.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {

namespace {

template <class Profile> struct Exact : F32<Profile> {
  using Number = float;
};

struct Reference {
  using Number = double;
  static double sub(double a, double b) { return a - b; }
  static double mul(double a, double b) { return a * b; }
  static double mulAdd(double a, double b, double c) { return a * b + c; }
  static double exp(double x) { return std::exp(x); }
};

// Sums of keySize products: one chain, or a chain in each lane and then the lanes.
struct Chain {
  template <class A, class Number, class Term> static Number sum(uint32_t size, Term term) {
    Number total = 0;
    for (uint32_t j = 0; j < size; ++j)
      total = term(j, total);
    return total;
  }
};
template <class Profile> struct AcrossLanes {
  template <class A, class Number, class Term> static Number sum(uint32_t size, Term term) {
    Lanes lanes{};
    for (uint32_t j = 0; j < size; ++j)
      lanes[j / (size / 32)] = term(j, lanes[j / (size / 32)]);
    return simdSum<Profile>(lanes);
  }
};

template <class A, class Order = Chain, class Number = typename A::Number>
DeltaNetOutputs<Number> deltaNet(const DeltaNetShape &s, const DeltaNetInputs &in) {
  DeltaNetOutputs<Number> out{std::vector<Number>(s.valueCount()), {in.state.begin(), in.state.end()}};
  for (uint32_t sequence = 0; sequence < s.sequences; ++sequence)
    for (uint32_t head = 0; head < s.valueHeads; ++head)
      for (uint32_t t = 0; t < s.tokens; ++t) {
        const size_t token = size_t(sequence) * s.tokens + t;
        const size_t gate = token * s.valueHeads + head;
        const size_t keyBase = (token * s.keyHeads + head % s.keyHeads) * s.keySize;
        const float *q = &in.q[keyBase], *k = &in.k[keyBase];
        const Number decay = A::exp(-Number(in.g[gate]));
        for (uint32_t i = 0; i < s.valueSize; ++i) {
          Number *row = &out.state[((size_t(sequence) * s.valueHeads + head) * s.valueSize + i) * s.keySize];
          const Number predicted = Order::template sum<A, Number>(s.keySize, [&](uint32_t j, Number total) {
            row[j] = A::mul(row[j], decay);
            return A::mulAdd(row[j], k[j], total);
          });
          const Number missing = A::sub(in.v[gate * s.valueSize + i], predicted);
          const Number step = A::mul(in.beta[gate], missing);
          out.output[gate * s.valueSize + i] =
              Order::template sum<A, Number>(s.keySize, [&](uint32_t j, Number total) {
                row[j] = A::mulAdd(step, k[j], row[j]);
                return A::mulAdd(row[j], q[j], total);
              });
        }
      }
  return out;
}

} // namespace

template <class Profile>
DeltaNetOutputs<float> deltaNetExact(const DeltaNetShape &shape, const DeltaNetInputs &in) {
  return deltaNet<Exact<Profile>>(shape, in);
}
template DeltaNetOutputs<float> deltaNetExact<Apple>(const DeltaNetShape &, const DeltaNetInputs &);
template DeltaNetOutputs<float> deltaNetExact<Ieee>(const DeltaNetShape &, const DeltaNetInputs &);

template <class Profile>
DeltaNetOutputs<float> deltaNetDecodeExact(const DeltaNetShape &shape, const DeltaNetInputs &in) {
  return deltaNet<Exact<Profile>, AcrossLanes<Profile>>(shape, in);
}
template DeltaNetOutputs<float> deltaNetDecodeExact<Apple>(const DeltaNetShape &, const DeltaNetInputs &);
template DeltaNetOutputs<float> deltaNetDecodeExact<Ieee>(const DeltaNetShape &, const DeltaNetInputs &);

DeltaNetOutputs<double> deltaNetReference(const DeltaNetShape &shape, const DeltaNetInputs &in) {
  return deltaNet<Reference>(shape, in);
}

DeltaNetOutputs<double> deltaNetBounds(const DeltaNetShape &s, const DeltaNetInputs &in) {
  constexpr double u = 0x1p-24;
  const double dot = (s.keySize + 1) * u;
  DeltaNetOutputs<double> out{std::vector<double>(s.valueCount()), std::vector<double>(s.stateCount())};
  const auto norm = [&](const auto *row) {
    double squares = 0;
    for (uint32_t j = 0; j < s.keySize; ++j)
      squares += double(row[j]) * row[j];
    return std::sqrt(squares);
  };
  for (uint32_t sequence = 0; sequence < s.sequences; ++sequence)
    for (uint32_t head = 0; head < s.valueHeads; ++head)
      for (uint32_t i = 0; i < s.valueSize; ++i) {
        const size_t at = ((size_t(sequence) * s.valueHeads + head) * s.valueSize + i) * s.keySize;
        std::vector<double> row(in.state.begin() + ptrdiff_t(at),
                                in.state.begin() + ptrdiff_t(at + s.keySize));
        double error = 0;
        for (uint32_t t = 0; t < s.tokens; ++t) {
          const size_t token = size_t(sequence) * s.tokens + t, gate = token * s.valueHeads + head;
          const size_t keyBase = (token * s.keyHeads + head % s.keyHeads) * s.keySize;
          const float *k = &in.k[keyBase], *q = &in.q[keyBase];
          const double alpha = std::exp(-double(in.g[gate])), beta = std::fabs(in.beta[gate]), key = norm(k);
          double known = 0;
          for (uint32_t j = 0; j < s.keySize; ++j)
            known += (row[j] *= alpha) * k[j];
          const double decayed = norm(row.data()) + alpha * error; // of the actual row, at most
          const double delta = in.v[gate * s.valueSize + i] - known;
          const double size = std::fabs(delta) + key * alpha * error;
          for (uint32_t j = 0; j < s.keySize; ++j)
            row[j] += in.beta[gate] * delta * k[j];
          const double decay =
              decayed * ((3 + 2 * std::fabs(in.g[gate])) * 2 * u + u); // exp is off by ulps of 2u
          const double growth = alpha * std::max(1.0, std::fabs(1 - in.beta[gate] * key * key));
          const double write = beta * key * (dot * decayed * key + 3 * u * size); // d, beta * d, and times k
          error = growth * error + std::max(1.0, std::fabs(1 - in.beta[gate] * key * key)) * decay + write;
          error += u * (norm(row.data()) + error); // the sum
          out.output[gate * s.valueSize + i] = norm(q) * (error + dot * (norm(row.data()) + error));
        }
        std::fill_n(out.state.begin() + ptrdiff_t(at), s.keySize, error);
      }
  return out;
}

} // namespace assay::oracle
