// MLX: softmax, norms, rotary embeddings and attention. `looped_` kernels are what MLX takes for long rows;
// here they run on short ones, too, with the thousand threads that they want.
// source: mlx/backend/metal/{softmax,logsumexp,normalization,rope,scaled_dot_product_attention}.cpp
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

struct Shape {
  uint32_t rows, columns;
  size_t size() const { return size_t(rows) * columns; }
};
constexpr Shape kShapes[] = {{2, 1}, {3, 50}, {2, 128}, {1, 1000}};

/// A threadgroup for each row, of `perThread` elements a thread and whole simdgroups; or of 1,024 threads.
::testing::AssertionResult dispatchRows(KernelRun &run, Shape s, bool looped, uint32_t perThread = 4) {
  const uint64_t threads = looped ? 1024 : ((s.columns + perThread - 1) / perThread + 31) / 32 * 32;
  return run.dispatchThreads({s.rows * threads}, {threads});
}

/// `Sum` is the type of the sum of the exponentials.
template <class T, class Sum> Judge softmaxRows(bool looped) {
  return [=](KernelRun &run) {
    for (const Shape s : kShapes) {
      const auto x = uniform<T>(s.size(), 1, -5, 5);
      Reals expected;
      for (uint32_t r = 0; r < s.rows; ++r) {
        Reals p = softmax<Sum>(row(reals(x), r, s.columns));
        // Arithmetic in Sum: the difference, the exponential,
        // the sum of n and the reciprocal are rounded to it.
        if (!std::is_same_v<Sum, float>)
          for (Real &v : p)
            v.error += v.value * (12 + s.columns / 32.0 + 5) * kUnit<Sum>;
        append(expected, p);
      }
      run.output<T>(1, s.size()).input(0, x).bytes(2, int32_t(s.columns));
      ASSERT_TRUE(dispatchRows(run, s, looped));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
  };
}

template <class T> Judge logSumExp(bool looped) {
  return [=](KernelRun &run) {
    for (const Shape s : kShapes) {
      const auto x = uniform<T>(s.size(), 2, -5, 5);
      Reals expected;
      for (uint32_t r = 0; r < s.rows; ++r) {
        const Reals xr = row(reals(x), r, s.columns);
        Real total, largest = xr[0];
        exponentials(xr, total);
        for (const Real &v : xr)
          largest = v.value > largest.value ? v : largest;
        expected.push_back(log(total) + largest);
      }
      run.output<T>(1, s.rows).input(0, x).bytes(2, int32_t(s.columns));
      ASSERT_TRUE(dispatchRows(run, s, looped));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
  };
}

ASSAY_ENTRY_POINTS(Softmax, Mlx,
                   ({{"softmax.metal", "block_softmax_float32", softmaxRows<float, float>(false)},
                     {"softmax.metal", "looped_softmax_float32", softmaxRows<float, float>(true)},
                     {"softmax.metal", "block_softmax_precise_float16", softmaxRows<Half, float>(false)},
                     {"softmax.metal", "block_softmax_precise_bfloat16", softmaxRows<Bfloat, float>(false)},
                     {"softmax.metal", "block_softmax_float16", softmaxRows<Half, Half>(false)},
                     {"logsumexp.metal", "block_logsumexp_float32", logSumExp<float>(false)},
                     {"logsumexp.metal", "looped_logsumexp_bfloat16", logSumExp<Bfloat>(true)}}));

// --- norms ------------------------------------------------------------------------------------------------

constexpr float kEps = 1e-5f;

// The normed value is rounded to T before the weight.
template <class T> Judge rmsNorm(bool looped) {
  return [=](KernelRun &run) {
    for (const Shape s : kShapes) {
      const auto x = uniform<T>(s.size(), 3, -3, 3), w = uniform<T>(s.columns, 4, 0.5, 1.5);
      Reals expected;
      for (uint32_t r = 0; r < s.rows; ++r) {
        const Reals xr = row(reals(x), r, s.columns);
        const Real inverse = inverseRms(xr, kEps);
        for (uint32_t i = 0; i < s.columns; ++i)
          expected.push_back(Real(value(w[i])) * stored<T>(xr[i] * inverse));
      }
      run.output<T>(2, s.size()).input(0, x).input(1, w).bytes(3, kEps).bytes(4, s.columns).bytes(5, 1u);
      run.constant(20, true);
      ASSERT_TRUE(dispatchRows(run, s, looped));
      EXPECT_TRUE(near(expected, run.read<T>(2)));
    }
  };
}

// dx = g w r - x mean(g w x) r^3 with r = 1 / rms(x); dw = g x r, a row of it for each row of x.
void rmsNormGradient(KernelRun &run) {
  for (const Shape s : kShapes) {
    if (s.columns == 1)
      continue; // the terms of dx cancel
    const auto x = uniform<float>(s.size(), 5, -3, 3), g = uniform<float>(s.size(), 6);
    const auto w = uniform<float>(s.columns, 7, 0.5, 1.5);
    Reals dx, dw;
    for (uint32_t b = 0; b < s.rows; ++b) {
      const Reals xb = row(reals(x), b, s.columns), gb = row(reals(g), b, s.columns);
      const Real r = inverseRms(xb, kEps);
      Reals terms;
      for (uint32_t i = 0; i < s.columns; ++i)
        terms.push_back(xb[i] * Real(w[i]) * gb[i]);
      const Real mean = sum(terms) / Real(double(s.columns));
      for (uint32_t i = 0; i < s.columns; ++i) {
        dx.push_back(gb[i] * Real(w[i]) * r - xb[i] * mean * (r * r * r));
        dw.push_back(gb[i] * xb[i] * r);
      }
    }
    run.input(0, x).input(1, w).input(2, g).output<float>(3, s.size()).output<float>(4, s.size());
    run.bytes(5, kEps).bytes(6, s.columns).bytes(7, 1u).bytes(8, s.rows).bytes(9, 1u).constant(20, true);
    ASSERT_TRUE(dispatchRows(run, s, false));
    EXPECT_TRUE(near(dx, run.read<float>(3)));
    EXPECT_TRUE(near(dw, run.read<float>(4)));
  }
}

// The single-row kernel needs its last thread to have work: one further past the end stores the mean at a
// negative index of an array of its own, which is an out-of-bounds error here.
template <class T> Judge layerNorm(bool looped) {
  return [=](KernelRun &run) {
    for (const Shape s : {Shape{3, 250}, {2, 256}, {1, 1019}}) {
      const auto x = uniform<T>(s.size(), 8, -3, 3), w = uniform<T>(s.columns, 9, 0.5, 1.5);
      const auto b = uniform<T>(s.columns, 10);
      Reals expected;
      for (uint32_t r = 0; r < s.rows; ++r) {
        Reals xr = row(reals(x), r, s.columns);
        const Real mean = sum(xr) / Real(double(s.columns));
        for (Real &v : xr)
          v = v - mean;
        const Real inverse = inverseRms(xr, kEps);
        for (uint32_t i = 0; i < s.columns; ++i) {
          const Real scaled = Real(value(w[i])) * stored<T>(xr[i] * inverse);
          expected.push_back(stored<T>(scaled) + Real(value(b[i])));
        }
      }
      run.output<T>(3, s.size()).input(0, x).input(1, w).input(2, b).bytes(4, kEps).bytes(5, s.columns);
      run.bytes(6, 1u).bytes(7, 1u);
      ASSERT_TRUE(dispatchRows(run, s, looped, 8));
      EXPECT_TRUE(near(expected, run.read<T>(3)));
    }
  };
}

ASSAY_ENTRY_POINTS(Norm, Mlx,
                   ({{"rms_norm.metal", "rmsfloat32", rmsNorm<float>(false)},
                     {"rms_norm.metal", "rms_loopedfloat32", rmsNorm<float>(true)},
                     {"rms_norm.metal", "rmsfloat16", rmsNorm<Half>(false)},
                     {"rms_norm.metal", "rmsbfloat16", rmsNorm<Bfloat>(false)},
                     {"rms_norm.metal", "vjp_rmsfloat32", rmsNormGradient},
                     {"layer_norm.metal", "layer_normfloat32", layerNorm<float>(false)},
                     {"layer_norm.metal", "layer_norm_loopedfloat32", layerNorm<float>(true)},
                     {"layer_norm.metal", "layer_normbfloat16", layerNorm<Bfloat>(false)}}));

// --- rotary embeddings: pairs are neighbours (traditional) or half a row apart -----------------------------

Real turnOf(double position, uint32_t p, uint32_t pairs, double base) {
  const Real exponent = Real(double(p)) / Real(double(pairs)) * Real(std::log2(base), 0x1p-22);
  const double frequency = std::exp2(-exponent.value);
  return Real(position) * rounded(frequency, frequency * exponent.error, 4 * kUlp);
}

void rotate(Reals &out, const Reals &in, size_t first, size_t second, Real turn, bool forward) {
  const Real c = cos(turn), s = forward ? sin(turn) : -sin(turn);
  out[first] = in[first] * c - in[second] * s;
  out[second] = in[first] * s + in[second] * c;
}

// [batches, heads, tokens, dim]; four heads a thread.
template <class T, bool kFrequencies> void rope(KernelRun &run) {
  const int32_t batches = 2, heads = 5, tokens = 3, dim = 16, pairs = dim / 2;
  const float scale = 0.5f;
  const auto frequencies = uniform<float>(pairs, 11, 1, 50);
  for (const bool traditional : {false, true})
    for (const bool forward : {true, false}) {
      const auto x = uniform<T>(batches * heads * tokens * dim, 12);
      const std::vector<int32_t> offsets{3, 17};
      const Reals in = reals(x);
      Reals expected(in.size());
      for (int32_t m = 0; m < batches * heads; ++m)
        for (int32_t t = 0; t < tokens; ++t)
          for (int32_t p = 0; p < pairs; ++p) {
            const double position = scale * (offsets[m / heads] + t);
            const Real turn = kFrequencies ? Real(position) * (Real(1) / Real(frequencies[p]))
                                           : turnOf(position, p, pairs, 10000);
            const size_t base = (size_t(m) * tokens + t) * dim;
            rotate(expected, in, base + (traditional ? 2 * p : p),
                   base + (traditional ? 2 * p + 1 : p + pairs), turn, forward);
          }
      const std::vector<int64_t> strides{tokens * dim, dim, 1};
      run.output<T>(1, x.size()).input(0, x).input(2, offsets).bytes(3, scale);
      run.input(4, strides).input(5, strides).bytes(6, int64_t(1)).bytes(7, heads);
      if (kFrequencies)
        run.input(10, frequencies).bytes(11, int64_t(1));
      else
        run.bytes(10, std::log2(10000.0f));
      run.constant(1, forward).constant(2, traditional).constant(3, false);
      ASSERT_TRUE(run.dispatchThreads({uint64_t(pairs), uint64_t(tokens), uint64_t(batches * 2)}, {8, 2, 4}));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
}

// One token: [rows, dim].
void ropeSingle(KernelRun &run) {
  const int32_t rows = 6, dim = 32, pairs = dim / 2, offset = 29;
  const auto x = uniform<float>(rows * dim, 13);
  const Reals in = reals(x);
  Reals expected(in.size());
  for (int32_t r = 0; r < rows; ++r)
    for (int32_t p = 0; p < pairs; ++p)
      rotate(expected, in, r * dim + p, r * dim + p + pairs, turnOf(offset, p, pairs, 10000), true);
  run.input(0, x).output<float>(1, x.size()).bytes(2, offset).bytes(3, 1.0f).bytes(4, int64_t(dim));
  run.bytes(10, std::log2(10000.0f)).constant(1, true).constant(2, false).constant(3, false);
  ASSERT_TRUE(run.dispatchThreads({uint64_t(pairs), uint64_t(rows)}, {16, 4}));
  EXPECT_TRUE(near(expected, run.read<float>(1)));
}

ASSAY_ENTRY_POINTS(Rope, Mlx,
                   ({{"rope.metal", "rope_float32", rope<float, false>},
                     {"rope.metal", "rope_bfloat16", rope<Bfloat, false>},
                     {"rope.metal", "rope_freqs_float16", rope<Half, true>},
                     {"rope.metal", "rope_single_float32", ropeSingle}}));

// --- attention --------------------------------------------------------------------------------------------

enum class Mask { None, Causal, Bool, Float };

struct Case {
  uint32_t heads, keyHeads, queries, keys;
  Mask mask;
  bool sinks;
};
const Case kCases[] = {{2, 1, 1, 5, Mask::None, false},
                       {4, 2, 3, 40, Mask::Causal, false},
                       {2, 2, 2, 70, Mask::Bool, false},
                       {2, 1, 2, 33, Mask::Float, false},
                       {2, 2, 1, 40, Mask::None, true}};

/// The keys that a query sees, and what the mask adds to their scores.
struct Masks {
  std::vector<uint8_t> visible;
  std::vector<double> added;
};

template <class T> Masks masksOf(const Case &c, const std::vector<T> &floats) {
  Masks m;
  for (uint32_t i = 0; i < c.queries * c.keys; ++i) {
    const uint32_t query = i / c.keys, key = i % c.keys;
    m.visible.push_back(c.mask == Mask::Causal ? key <= c.keys - c.queries + query
                        : c.mask == Mask::Bool ? (key * 7 + query) % 3 != 0
                                               : 1);
    m.added.push_back(c.mask == Mask::Float ? value(floats[i]) : 0);
  }
  return m;
}

template <class T, uint32_t kDim> void sdpaVector(KernelRun &run) {
  for (const Case &c : kCases) {
    SCOPED_TRACE(c.keys);
    const float scale = 0.125f;
    const auto q = uniform<T>(c.heads * c.queries * kDim, 14, -2, 2);
    const auto k = uniform<T>(c.keyHeads * c.keys * kDim, 15, -2, 2), v = uniform<T>(k.size(), 16);
    const auto sinks = uniform<T>(c.heads, 17, -1, 1), floats = uniform<T>(c.queries * c.keys, 18, -3, 3);
    const Masks masks = masksOf(c, floats);
    Reals expected;
    for (uint32_t h = 0; h < c.heads; ++h) {
      const uint32_t keyHead = h / (c.heads / c.keyHeads);
      const Reals kh = row(reals(k), keyHead, c.keys * kDim), vh = row(reals(v), keyHead, c.keys * kDim);
      for (uint32_t i = 0; i < c.queries; ++i) {
        Reals query = row(reals(q), h * c.queries + i, kDim), scores;
        for (Real &x : query)
          x = Real(scale) * x;
        for (uint32_t j = 0; j < c.keys; ++j)
          scores.push_back(masks.visible[i * c.keys + j]
                               ? dot(query, row(kh, j, kDim)) + Real(masks.added[i * c.keys + j])
                               : Real(-INFINITY));
        if (c.sinks) // a key of its own with no value
          scores.push_back(Real(value(sinks[h])));
        Real total;
        const Reals weights = exponentials(scores, total);
        for (uint32_t d = 0; d < kDim; ++d) {
          Reals terms;
          for (uint32_t j = 0; j < c.keys; ++j)
            terms.push_back(weights[j] * vh[j * kDim + d]);
          expected.push_back(sum(terms) / total);
        }
      }
    }
    KernelRun fresh = run; // cases bind different arguments
    fresh.output<T>(3, expected.size()).input(0, q).input(1, k).input(2, v);
    fresh.bytes(4, int32_t(c.heads / c.keyHeads)).bytes(5, int32_t(c.keys)).bytes(10, scale);
    fresh.bytes(6, uint64_t(c.keys) * kDim).bytes(7, uint64_t(kDim));
    fresh.bytes(8, uint64_t(c.keys) * kDim).bytes(9, uint64_t(kDim));
    const bool masked = c.mask == Mask::Bool || c.mask == Mask::Float;
    if (c.mask == Mask::Bool)
      fresh.input(11, masks.visible);
    if (c.mask == Mask::Float)
      fresh.input(12, floats);
    if (masked)
      fresh.bytes(13, int32_t(1)).bytes(14, int32_t(c.keys)).bytes(15, int32_t(0));
    if (c.sinks)
      fresh.input(16, sinks).bytes(17, int32_t(c.heads));
    fresh.constant(20, masked).constant(21, false).constant(22, c.mask == Mask::Causal);
    fresh.constant(23, c.mask == Mask::Bool).constant(24, c.mask == Mask::Float).constant(25, c.sinks);
    ASSERT_TRUE(fresh.dispatchThreadgroups({c.heads, c.queries}, {1024}));
    EXPECT_TRUE(near(expected, fresh.read<T>(3)));
  }
}

// Two passes: block b takes the keys b, b + blocks, ...; the second pass brings the blocks together.
constexpr uint32_t kTwoPassBlocks = 32, kTwoPassDim = 64, kTwoPassKeys = 150, kTwoPassHeads = 2;

void sdpaFirstPass(KernelRun &run) {
  const float scale = 0.125f;
  const auto q = uniform<float>(kTwoPassHeads * kTwoPassDim, 19, -2, 2);
  const auto k = uniform<float>(kTwoPassKeys * kTwoPassDim, 20, -2, 2), v = uniform<float>(k.size(), 21);
  Reals expectedOut, expectedSums, expectedMaxs;
  for (uint32_t h = 0; h < kTwoPassHeads; ++h)
    for (uint32_t b = 0; b < kTwoPassBlocks; ++b) {
      Reals scores;
      for (uint32_t j = b; j < kTwoPassKeys; j += kTwoPassBlocks)
        scores.push_back(Real(scale) * dot(row(reals(q), h, kTwoPassDim), row(reals(k), j, kTwoPassDim)));
      Real total;
      const Reals weights = exponentials(scores, total);
      expectedSums.push_back(total);
      Real largest = scores[0];
      for (const Real &s : scores)
        largest = s.value > largest.value ? s : largest;
      expectedMaxs.push_back(largest);
      for (uint32_t d = 0; d < kTwoPassDim; ++d) {
        Reals terms;
        for (size_t n = 0; n < weights.size(); ++n)
          terms.push_back(weights[n] * Real(v[(b + n * kTwoPassBlocks) * kTwoPassDim + d]));
        expectedOut.push_back(sum(terms));
      }
    }
  run.input(0, q).input(1, k).input(2, v).output<float>(3, expectedOut.size());
  run.output<float>(4, expectedSums.size()).output<float>(5, expectedMaxs.size());
  run.bytes(7, int32_t(kTwoPassKeys)).bytes(12, scale);
  run.bytes(8, uint64_t(kTwoPassKeys * kTwoPassDim)).bytes(9, uint64_t(kTwoPassDim));
  run.bytes(10, uint64_t(kTwoPassKeys * kTwoPassDim)).bytes(11, uint64_t(kTwoPassDim));
  for (uint32_t index = 20; index <= 25; ++index)
    run.constant(index, false);
  run.constant(26, int(kTwoPassBlocks));
  ASSERT_TRUE(run.dispatchThreadgroups({1, 1, kTwoPassBlocks}, {32, kTwoPassHeads, 1}));
  EXPECT_TRUE(near(expectedOut, run.read<float>(3)));
  EXPECT_TRUE(near(expectedSums, run.read<float>(4)));
  EXPECT_TRUE(near(expectedMaxs, run.read<float>(5)));
}

void sdpaSecondPass(KernelRun &run) {
  const uint32_t rows = 3;
  const auto partials = uniform<float>(rows * kTwoPassBlocks * kTwoPassDim, 22);
  const auto sums = uniform<float>(rows * kTwoPassBlocks, 23, 0.5, 4);
  const auto maxs = uniform<float>(rows * kTwoPassBlocks, 24, -4, 4);
  Reals expected;
  for (uint32_t r = 0; r < rows; ++r) {
    Real ignored;
    const Reals factors = exponentials(row(reals(maxs), r, kTwoPassBlocks), ignored);
    const Real total = dot(factors, row(reals(sums), r, kTwoPassBlocks));
    for (uint32_t d = 0; d < kTwoPassDim; ++d) {
      Reals terms;
      for (uint32_t b = 0; b < kTwoPassBlocks; ++b)
        terms.push_back(factors[b] * Real(partials[(r * kTwoPassBlocks + b) * kTwoPassDim + d]));
      expected.push_back(sum(terms) / total);
    }
  }
  run.input(0, partials).input(1, sums).input(2, maxs).output<float>(3, expected.size());
  run.bytes(4, int32_t(kTwoPassBlocks));
  ASSERT_TRUE(run.dispatchThreadgroups({rows, 1}, {1024}));
  EXPECT_TRUE(near(expected, run.read<float>(3)));
}

ASSAY_ENTRY_POINTS(
    Attention, Mlx,
    ({{"scaled_dot_product_attention.metal", "sdpa_vector_float_64_64", sdpaVector<float, 64>},
      {"scaled_dot_product_attention.metal", "sdpa_vector_bfloat16_t_128_128", sdpaVector<Bfloat, 128>},
      {"scaled_dot_product_attention.metal", "sdpa_vector_2pass_1_float_64_64", sdpaFirstPass},
      {"scaled_dot_product_attention.metal", "sdpa_vector_2pass_2_float_64", sdpaSecondPass}}));

} // namespace
} // namespace assay::projects
