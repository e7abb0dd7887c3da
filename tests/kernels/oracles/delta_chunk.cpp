// The chunk steps in the kernels' order of operations; see delta_chunk.h. The references are
// delta_chunk_reference.cpp.
#include "delta_chunk.h"

#include "f32.h"
#include "matrix.h"

#include <algorithm>

namespace assay::oracle {
namespace {

/// Products of 8 by 8 matrices one after the other: a chain of fused steps, NaNs canonical.
template <class Profile> struct MatrixSum {
  float value;
  void add(float a, float b) { value = F32<Profile>::fma(a, b, value); }
  float result() const { return oneNan(value); }
};

/// f(first token of the chunk, batch, chunk, head) for every chunk of every head.
template <class F> void forChunks(const DeltaChunkShape &s, F f) {
  for (uint32_t batch = 0; batch < s.batches; ++batch)
    for (uint32_t chunk = 0; chunk < s.chunks(); ++chunk)
      for (uint32_t head = 0; head < s.heads; ++head)
        f(size_t(batch) * s.tokens + size_t(chunk) * kDeltaChunk, batch, chunk, head);
}

} // namespace

template <class P> Floats DeltaChunkExact<P>::gateSums(const Floats &gates) const {
  Floats out(gates.size());
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    float sum = 0;
    for (uint32_t i = 0; i < kDeltaChunk; ++i)
      out[shape.gateAt(token + i, head)] = sum = F32<P>::add(sum, gates[shape.gateAt(token + i, head)]);
  });
  return out;
}

template <class P>
Floats DeltaChunkExact<P>::kkt(const Bfloats &k, const Floats &beta, const Floats &sums) const {
  using F = F32<P>;
  constexpr uint32_t kTile = 64;
  Floats out(shape.gateCount() * kDeltaChunk);
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    for (uint32_t i = 0; i < kDeltaChunk; ++i)
      for (uint32_t j = 0; j < i; ++j) {
        const uint16_t *left = &k[shape.keyAt(token + i, head)], *right = &k[shape.keyAt(token + j, head)];
        const size_t gate = shape.gateAt(token + i, head);
        float total = 0;
        for (uint32_t tile = 0; tile < shape.keySize; tile += kTile) {
          float sum = 0;
          for (uint32_t n = tile; n < tile + kTile; ++n) {
            const float scaled = fromBfloat(F::toBfloat(F::mul(fromBfloat(left[n]), beta[gate])));
            sum = F::mulAdd(scaled, fromBfloat(right[n]), sum);
          }
          total = F::add(total, sum);
        }
        const float decay = F::exp(F::sub(sums[gate], sums[shape.gateAt(token + j, head)]));
        out[shape.matrixAt(token + i, head) + j] = F::mul(total, decay);
      }
  });
  return out;
}

template <class P> Floats DeltaChunkExact<P>::inverse(const Floats &a) const {
  Floats x(a.size());
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    for (uint32_t j = 0; j < kDeltaChunk; ++j) {
      x[shape.matrixAt(token + j, head) + j] = 1;
      for (uint32_t i = j + 1; i < kDeltaChunk; ++i) {
        float sum = 0;
        for (uint32_t n = j; n < i; ++n)
          sum = F32<P>::mulAdd(-a[shape.matrixAt(token + i, head) + n],
                               x[shape.matrixAt(token + n, head) + j], sum);
        x[shape.matrixAt(token + i, head) + j] = sum;
      }
    }
  });
  return x;
}

template <class P>
typename DeltaChunkExact<P>::Wu DeltaChunkExact<P>::wu(const Bfloats &k, const Bfloats &v, const Floats &beta,
                                                       const Floats &sums, const Floats &x) const {
  using F = F32<P>;
  Wu out{Bfloats(shape.gateCount() * shape.keySize), Bfloats(shape.valueCount())};
  forChunks(shape, [&](size_t token, uint32_t, uint32_t, uint32_t head) {
    // X times a right-hand side of `size` columns, which `right` gives; rounded to bfloat on both sides.
    const auto product = [&](uint32_t size, auto right, auto out) {
      Floats column(kDeltaChunk);
      for (uint32_t n = 0; n < size; ++n) {
        for (uint32_t j = 0; j < kDeltaChunk; ++j)
          column[j] = fromBfloat(F::toBfloat(right(j, n)));
        for (uint32_t i = 0; i < kDeltaChunk; ++i) {
          float sum = 0;
          for (uint32_t j = 0; j < kDeltaChunk; ++j)
            sum = F::mulAdd(x[shape.matrixAt(token + i, head) + j], column[j], sum);
          out(i)[n] = F::toBfloat(sum);
        }
      }
    };
    Floats decays(kDeltaChunk);
    for (uint32_t j = 0; j < kDeltaChunk; ++j)
      decays[j] = F::exp(sums[shape.gateAt(token + j, head)]);
    product(
        shape.valueSize,
        [&](uint32_t j, uint32_t n) {
          return F::mul(fromBfloat(v[shape.valueAt(token + j, head) + n]),
                        beta[shape.gateAt(token + j, head)]);
        },
        [&](uint32_t i) { return &out.u[shape.valueAt(token + i, head)]; });
    product(
        shape.keySize,
        [&](uint32_t j, uint32_t n) {
          const float key = fromBfloat(k[shape.keyAt(token + j, head) + n]);
          return F::mul(F::mul(key, beta[shape.gateAt(token + j, head)]), decays[j]);
        },
        [&](uint32_t i) { return &out.w[shape.wAt(token + i, head)]; });
  });
  return out;
}

template <class P>
typename DeltaChunkExact<P>::States DeltaChunkExact<P>::states(const Bfloats &k, const Bfloats &w,
                                                               const Bfloats &u, const Floats &sums,
                                                               const Floats &h0) const {
  using F = F32<P>;
  States out{Bfloats(shape.stateCount() * shape.chunks()), Bfloats(shape.valueCount()), h0};
  // Chunks of one head come in order, and the state is carried from one to the next.
  forChunks(shape, [&](size_t token, uint32_t batch, uint32_t chunk, uint32_t head) {
    const float lastGate = sums[shape.gateAt(token + kDeltaChunk - 1, head)], decay = F::exp(lastGate);
    Floats gates(kDeltaChunk);
    for (uint32_t t = 0; t < kDeltaChunk; ++t)
      gates[t] = F::exp(F::sub(lastGate, sums[shape.gateAt(token + t, head)]));
    for (uint32_t row = 0; row < shape.valueSize; ++row) {
      float *state = &out.last[shape.stateAt(batch, head, row)];
      uint16_t *kept = &out.h[shape.stateAt(size_t(batch) * shape.chunks() + chunk, head, row)];
      std::transform(state, state + shape.keySize, kept, F::toBfloat);

      Floats writes(kDeltaChunk);
      for (uint32_t t = 0; t < kDeltaChunk; ++t) {
        MatrixSum<P> known{0};
        for (uint32_t n = 0; n < shape.keySize; ++n)
          known.add(fromBfloat(w[shape.wAt(token + t, head) + n]), state[n]);
        const size_t at = shape.valueAt(token + t, head) + row;
        const float d = F::sub(fromBfloat(u[at]), known.result());
        out.d[at] = F::toBfloat(d);
        writes[t] = fromBfloat(F::toBfloat(F::mul(d, gates[t])));
      }
      for (uint32_t n = 0; n < shape.keySize; ++n) {
        MatrixSum<P> next{F::mul(state[n], decay)};
        for (uint32_t t = 0; t < kDeltaChunk; ++t)
          next.add(writes[t], fromBfloat(k[shape.keyAt(token + t, head) + n]));
        state[n] = next.result();
      }
    }
  });
  return out;
}

template <class P>
Bfloats DeltaChunkExact<P>::outputs(const Bfloats &q, const Bfloats &k, const Bfloats &d, const Bfloats &h,
                                    const Floats &sums, float scale) const {
  using F = F32<P>;
  Bfloats out(shape.valueCount());
  forChunks(shape, [&](size_t token, uint32_t batch, uint32_t chunk, uint32_t head) {
    for (uint32_t i = 0; i < kDeltaChunk; ++i) {
      const uint16_t *query = &q[shape.keyAt(token + i, head)];
      const float gate = sums[shape.gateAt(token + i, head)], decayed = F::exp(gate);
      const auto dot = [&](const uint16_t *right) {
        MatrixSum<P> sum{0};
        for (uint32_t n = 0; n < shape.keySize; ++n)
          sum.add(fromBfloat(query[n]), fromBfloat(right[n]));
        return sum.result();
      };
      Floats scores(i + 1);
      for (uint32_t j = 0; j <= i; ++j) {
        const float decay = F::exp(F::sub(gate, sums[shape.gateAt(token + j, head)]));
        scores[j] = fromBfloat(F::toBfloat(F::mul(dot(&k[shape.keyAt(token + j, head)]), decay)));
      }
      for (uint32_t row = 0; row < shape.valueSize; ++row) {
        const size_t state = shape.stateAt(size_t(batch) * shape.chunks() + chunk, head, row);
        MatrixSum<P> sum{F::mul(dot(&h[state]), decayed)};
        // The rest of a tile of eight is zeros, which can still turn -0 into +0 and infinity into NaN.
        for (uint32_t j = 0; j < (i / 8 + 1) * 8; ++j)
          sum.add(j <= i ? scores[j] : 0.0f, fromBfloat(d[shape.valueAt(token + j, head) + row]));
        out[shape.valueAt(token + i, head) + row] = F::toBfloat(F::mul(sum.result(), scale));
      }
    }
  });
  return out;
}

template struct DeltaChunkExact<Apple>;
template struct DeltaChunkExact<Ieee>;

template <class P> Bfloats l2NormExact(const Bfloats &in, uint32_t size, uint32_t threads, float epsilon) {
  using F = F32<P>;
  Bfloats out(in.size());
  for (size_t row = 0; row < in.size(); row += size) {
    Floats sums(threads);
    for (uint32_t i = 0; i < size; ++i)
      sums[i % threads] = F::mulAdd(fromBfloat(in[row + i]), fromBfloat(in[row + i]), sums[i % threads]);
    for (uint32_t half = threads / 2; half > 0; half /= 2)
      for (uint32_t i = 0; i < half; ++i)
        sums[i] = F::add(sums[i], sums[i + half]);
    const float inverse = F::rsqrt(F::add(sums[0], epsilon));
    for (uint32_t i = 0; i < size; ++i)
      out[row + i] = F::toBfloat(F::mul(fromBfloat(in[row + i]), inverse));
  }
  return out;
}
template Bfloats l2NormExact<Apple>(const Bfloats &, uint32_t, uint32_t, float);
template Bfloats l2NormExact<Ieee>(const Bfloats &, uint32_t, uint32_t, float);

} // namespace assay::oracle
