// Oracle of the gated delta-rule recurrence: one recurrence, two arithmetics.
#include "delta_net.h"

#include "f32.h"

#include <cmath>

namespace assay::oracle {

namespace {

template <class Profile> struct Exact : F32<Profile> { using Number = float; };

struct Reference {
  using Number = double;
  static double sub(double a, double b) { return a - b; }
  static double mul(double a, double b) { return a * b; }
  static double mulAdd(double a, double b, double c) { return a * b + c; }
  static double exp(double x) { return std::exp(x); }
};

template <class A, class Number = typename A::Number>
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
          Number predicted = 0, answer = 0;
          for (uint32_t j = 0; j < s.keySize; ++j) {
            row[j] = A::mul(row[j], decay);
            predicted = A::mulAdd(row[j], k[j], predicted);
          }
          const Number missing = A::sub(in.v[gate * s.valueSize + i], predicted);
          const Number step = A::mul(in.beta[gate], missing);
          for (uint32_t j = 0; j < s.keySize; ++j) {
            row[j] = A::mulAdd(step, k[j], row[j]);
            answer = A::mulAdd(row[j], q[j], answer);
          }
          out.output[gate * s.valueSize + i] = answer;
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

DeltaNetOutputs<double> deltaNetReference(const DeltaNetShape &shape, const DeltaNetInputs &in) {
  return deltaNet<Reference>(shape, in);
}

} // namespace assay::oracle
