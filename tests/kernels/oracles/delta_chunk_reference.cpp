// The chunk steps as the mathematics has them, on Real: a double, and the largest error of a kernel that
// computes the formula in floats and keeps a bfloat where `stored<Bfloat>` stands. Where a bfloat is kept is
// part of the interface (the buffers are bfloats), or stands in the kernel's header.
//
// The triangular inverse is the exception. Running error analysis would take magnitudes of a recursion that
// mostly cancels; Higham's bound for substitution does not: |X' - X| <= gamma_n |X| |I + A| |X'|,
// componentwise, with gamma_n = n u / (1 - n u) (Accuracy and Stability of Numerical Algorithms, theorem 8.5
// and section 14.2). An error of A adds |X| |error| |X|.
//
// The whole pipeline is judged on Spread (spread.h). Its state is the other exception: taking variances of
// all products, they would grow from chunk to chunk where the state does not. A token maps a row s of the
// state to alpha (I - beta k k^T) s + ..., whose norm is alpha max(1, |1 - beta k.k|). deltaChunkPipeline
// carries one mean square error for each row, multiplies it by that norm, squared, adds what the chunk itself
// brings, which it takes from the steps as if the state before it were exact, and takes the error's direction
// as random: of a row's error, a query of length one sees 1 / K in the mean square.
#include "delta_chunk.h"

#include "f32.h"
#include "spread.h"

#include <algorithm>
#include <type_traits>

namespace assay::oracle {
namespace {

using projects::Bfloat;
using projects::stored;

template <class F> void forChunks(const DeltaChunkShape &s, F f) {
  for (uint32_t batch = 0; batch < s.batches; ++batch)
    for (uint32_t chunk = 0; chunk < s.chunks(); ++chunk)
      for (uint32_t head = 0; head < s.heads; ++head)
        f(size_t(batch) * s.tokens + size_t(chunk) * kDeltaChunk, batch, chunk, head);
}

template <class N> N dot(const N *a, const N *b, uint32_t size) {
  std::vector<N> terms(size);
  for (uint32_t n = 0; n < size; ++n)
    terms[n] = a[n] * b[n];
  return sum(terms);
}

// What propagates an error, and what an element of I + A brings into the inverse: a bound for Real (1.01
// covers X' for X, and kFlush what is flushed), a variance for Spread.
template <class N> double size(double factor) {
  return std::is_same_v<N, Real> ? std::fabs(factor) : factor * factor;
}
double substitutionError(Real a) {
  constexpr double gamma = kDeltaChunk * 0x1p-24 / (1 - kDeltaChunk * 0x1p-24);
  return 1.01 * (gamma * std::fabs(a.value) + a.error) + projects::kFlush;
}
double substitutionError(Spread a) {
  return kDeltaChunk * 0x1p-48 / 3 * a.value * a.value + a.variance;
}

float number(float x) {
  return x;
}
float number(uint16_t bits) {
  return fromBfloat(bits);
}

} // namespace

template <class N> std::vector<N> DeltaChunkSteps<N>::gateSums(const Numbers &gates) const {
  Numbers out(gates.size());
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    for (uint32_t i = 0; i < kDeltaChunk; ++i) {
      Numbers terms;
      for (uint32_t j = 0; j <= i; ++j)
        terms.push_back(gates[shape.gateAt(token + j, head)]);
      out[shape.gateAt(token + i, head)] = sum(terms);
    }
  });
  return out;
}

template <class N>
std::vector<N> DeltaChunkSteps<N>::kkt(const Numbers &k, const Numbers &beta, const Numbers &sums) const {
  Numbers out(shape.gateCount() * kDeltaChunk);
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    for (uint32_t i = 0; i < kDeltaChunk; ++i) {
      const size_t gate = shape.gateAt(token + i, head);
      Numbers scaled(shape.keySize);
      for (uint32_t n = 0; n < shape.keySize; ++n)
        scaled[n] = stored<Bfloat>(k[shape.keyAt(token + i, head) + n] * beta[gate]);
      for (uint32_t j = 0; j < i; ++j)
        out[shape.matrixAt(token + i, head) + j] =
            dot(scaled.data(), &k[shape.keyAt(token + j, head)], shape.keySize) *
            exp(sums[gate] - sums[shape.gateAt(token + j, head)]);
    }
  });
  return out;
}

template <class N> std::vector<N> DeltaChunkSteps<N>::inverse(const Numbers &a) const {
  constexpr uint32_t n = kDeltaChunk;
  Numbers out(a.size());
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    const auto in = [&](uint32_t i, uint32_t j) { return a[shape.matrixAt(token + i, head) + j]; };
    const auto x = [&](uint32_t i, uint32_t j) { return out[shape.matrixAt(token + i, head) + j].value; };
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t i = j; i < n; ++i) {
        double value = i == j;
        for (uint32_t k = j; k < i; ++k)
          value -= in(i, k).value * x(k, j);
        out[shape.matrixAt(token + i, head) + j] = N(value);
      }
    // (what the substitution and A bring) X first, then X times that.
    std::vector<double> product(n * n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j <= i; ++j) {
        product[i * n + j] = substitutionError(N(1)) * size<N>(x(i, j));
        for (uint32_t k = j; k < i; ++k)
          product[i * n + j] += substitutionError(in(i, k)) * size<N>(x(k, j));
      }
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < i; ++j) {
        double error = 0;
        for (uint32_t k = j; k <= i; ++k)
          error += size<N>(x(i, k)) * product[k * n + j];
        out[shape.matrixAt(token + i, head) + j] = N(x(i, j), error);
      }
  });
  return out;
}

template <class N>
typename DeltaChunkSteps<N>::Wu DeltaChunkSteps<N>::wu(const Numbers &k, const Numbers &v,
                                                       const Numbers &beta, const Numbers &sums,
                                                       const Numbers &x) const {
  Wu out{Numbers(shape.gateCount() * shape.keySize), Numbers(shape.valueCount())};
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    const auto product = [&](uint32_t i, auto right) {
      Numbers terms;
      for (uint32_t j = 0; j < kDeltaChunk; ++j)
        terms.push_back(x[shape.matrixAt(token + i, head) + j] * stored<Bfloat>(right(token + j)));
      return stored<Bfloat>(sum(terms));
    };
    for (uint32_t i = 0; i < kDeltaChunk; ++i) {
      for (uint32_t n = 0; n < shape.valueSize; ++n)
        out.u[shape.valueAt(token + i, head) + n] =
            product(i, [&](size_t t) { return v[shape.valueAt(t, head) + n] * beta[shape.gateAt(t, head)]; });
      for (uint32_t n = 0; n < shape.keySize; ++n)
        out.w[shape.wAt(token + i, head) + n] = product(i, [&](size_t t) {
          const size_t gate = shape.gateAt(t, head);
          return k[shape.keyAt(t, head) + n] * beta[gate] * exp(sums[gate]);
        });
    }
  });
  return out;
}

template <class N>
typename DeltaChunkSteps<N>::States DeltaChunkSteps<N>::states(const Numbers &k, const Numbers &w,
                                                               const Numbers &u, const Numbers &sums,
                                                               const Numbers &h0) const {
  States out{Numbers(shape.stateCount() * shape.chunks()), Numbers(shape.valueCount()), h0};
  forChunks(shape, [&](size_t token, uint32_t batch, uint32_t chunk, uint32_t head) {
    const N last = sums[shape.gateAt(token + kDeltaChunk - 1, head)];
    for (uint32_t row = 0; row < shape.valueSize; ++row) {
      N *state = &out.last[shape.stateAt(batch, head, row)];
      N *kept = &out.h[shape.stateAt(size_t(batch) * shape.chunks() + chunk, head, row)];
      std::transform(state, state + shape.keySize, kept, [](N x) { return stored<Bfloat>(x); });
      Numbers writes(kDeltaChunk);
      for (uint32_t t = 0; t < kDeltaChunk; ++t) {
        const size_t at = shape.valueAt(token + t, head) + row;
        const N d = u[at] - dot(&w[shape.wAt(token + t, head)], state, shape.keySize);
        out.d[at] = stored<Bfloat>(d);
        writes[t] = stored<Bfloat>(d * exp(last - sums[shape.gateAt(token + t, head)]));
      }
      for (uint32_t n = 0; n < shape.keySize; ++n) {
        Numbers terms{state[n] * exp(last)};
        for (uint32_t t = 0; t < kDeltaChunk; ++t)
          terms.push_back(writes[t] * k[shape.keyAt(token + t, head) + n]);
        state[n] = sum(terms);
      }
    }
  });
  return out;
}

template <class N>
std::vector<N> DeltaChunkSteps<N>::outputs(const Numbers &q, const Numbers &k, const Numbers &d,
                                           const Numbers &h, const Numbers &sums, double scale) const {
  Numbers out(shape.valueCount());
  forChunks(shape, [&](size_t token, uint32_t batch, uint32_t chunk, uint32_t head) {
    for (uint32_t i = 0; i < kDeltaChunk; ++i) {
      const N *query = &q[shape.keyAt(token + i, head)];
      const N gate = sums[shape.gateAt(token + i, head)];
      Numbers scores;
      for (uint32_t j = 0; j <= i; ++j)
        scores.push_back(stored<Bfloat>(dot(query, &k[shape.keyAt(token + j, head)], shape.keySize) *
                                        exp(gate - sums[shape.gateAt(token + j, head)])));
      for (uint32_t row = 0; row < shape.valueSize; ++row) {
        const N *state = &h[shape.stateAt(size_t(batch) * shape.chunks() + chunk, head, row)];
        Numbers terms{dot(query, state, shape.keySize) * exp(gate)};
        for (uint32_t j = 0; j <= i; ++j)
          terms.push_back(scores[j] * d[shape.valueAt(token + j, head) + row]);
        out[shape.valueAt(token + i, head) + row] = stored<Bfloat>(sum(terms) * N(scale));
      }
    }
  });
  return out;
}

template struct DeltaChunkSteps<Real>;
template struct DeltaChunkSteps<Spread>;

DeltaChunkResult deltaChunkPipeline(const DeltaChunkShape &shape, const DeltaChunkInputs &in, double scale) {
  using Numbers = std::vector<Spread>;
  const uint32_t keySize = shape.keySize, valueSize = shape.valueSize;
  const auto squares = [&](const Spread *row) {
    double sum = 0;
    for (uint32_t n = 0; n < keySize; ++n)
      sum += row[n].value * row[n].value;
    return sum;
  };
  const DeltaChunkSteps<Spread> one{{1, kDeltaChunk, 1, 1, keySize, valueSize}}; // one chunk of one head
  DeltaChunkResult out{Reals(shape.valueCount()), Reals(shape.stateCount())};
  Numbers states(in.h0.begin(), in.h0.end());
  std::vector<double> errors(size_t(shape.batches) * shape.heads *
                             valueSize); // mean squares, each of a whole row
  forChunks(shape, [&](size_t token, uint32_t batch, uint32_t, uint32_t head) {
    const auto cut = [&](const auto &from, auto at, uint32_t size) {
      Numbers rows;
      for (uint32_t t = 0; t < kDeltaChunk; ++t)
        for (uint32_t n = 0; n < size; ++n)
          rows.push_back(double(number(from[at(token + t) + n])));
      return rows;
    };
    const auto keyAt = [&](size_t t) { return shape.keyAt(t, head); };
    const auto valueAt = [&](size_t t) { return shape.valueAt(t, head); };
    const auto gateAt = [&](size_t t) { return shape.gateAt(t, head); };
    const Numbers q = cut(in.q, keyAt, keySize), k = cut(in.k, keyAt, keySize),
                  v = cut(in.v, valueAt, valueSize);
    const Numbers g = cut(in.logGates, gateAt, 1), beta = cut(in.beta, gateAt, 1);
    Spread *state = &states[shape.stateAt(batch, head, 0)];
    double *error = &errors[(size_t(batch) * shape.heads + head) * valueSize];

    const Numbers sums = one.gateSums(g);
    const auto wu = one.wu(k, v, beta, sums, one.inverse(one.kkt(k, beta, sums)));
    const auto next = one.states(k, wu.w, wu.u, sums, Numbers(state, state + size_t(valueSize) * keySize));
    const Numbers o = one.outputs(q, k, next.d, next.h, sums, scale);

    double growth = 1; // norm of what the tokens so far do to a row
    for (uint32_t t = 0; t < kDeltaChunk; ++t) {
      growth *= std::exp(g[t].value) *
                std::max(1.0, std::fabs(1 - beta[t].value * squares(&k[size_t(t) * keySize])));
      const double reach = scale * scale * squares(&q[size_t(t) * keySize]) * growth * growth / keySize;
      for (uint32_t row = 0; row < valueSize; ++row) {
        const Spread local = o[size_t(t) * valueSize + row];
        out.o[shape.valueAt(token + t, head) + row] =
            Spread(local.value, local.variance + reach * error[row]).tolerance();
      }
    }
    for (uint32_t row = 0; row < valueSize; ++row) {
      error[row] *= growth * growth;
      for (uint32_t n = 0; n < keySize; ++n) {
        const Spread after = next.last[size_t(row) * keySize + n];
        error[row] += after.variance;
        state[row * keySize + n] = after.value; // exact for the next chunk: the error is carried beside it
      }
    }
  });
  for (size_t i = 0; i < out.last.size(); ++i)
    out.last[i] = Spread(states[i].value, errors[i / keySize] / keySize).tolerance();
  return out;
}

Reals l2NormReference(const Reals &in, uint32_t size, float epsilon) {
  Reals out;
  for (size_t row = 0; row < in.size(); row += size) {
    const Real inverse = rsqrt(dot(&in[row], &in[row], size) + Real(epsilon));
    for (uint32_t i = 0; i < size; ++i)
      out.push_back(stored<Bfloat>(in[row + i] * inverse));
  }
  return out;
}

Reals toReals(const Floats &values) {
  return {values.begin(), values.end()};
}

Reals toReals(const Bfloats &values) {
  Reals out;
  for (const uint16_t x : values)
    out.push_back(Real(fromBfloat(x)));
  return out;
}

Bfloats toBfloats(const Floats &values) {
  Bfloats out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](float x) { return oracle::toBfloat(x); });
  return out;
}

Floats toFloats(const Bfloats &values) {
  Floats out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), fromBfloat);
  return out;
}

} // namespace assay::oracle
