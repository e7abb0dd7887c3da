// MLX: products of matrices: by vectors, in tiles of simdgroup matrices, and with quantised weights.
// source: mlx/backend/metal/{matmul,quantized}.cpp,
// kernels/steel/gemm/params.h (the fields of the parameters)
#include "affine.h"
#include "entry_point.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

// --- a matrix times a vector ------------------------------------------------------------------------------

/// Outputs of a threadgroup, and its threads.
struct Tile {
  uint32_t outputs;
  Size threads;
};

struct Gemv {
  bool transposed, axpby;
  std::vector<std::pair<uint32_t, uint32_t>> sizes; ///< inputs and outputs
};

template <class T> Judge gemv(Gemv kind, Tile tile) {
  return [=](KernelRun &run) {
    for (const auto &[k, n] : kind.sizes) {
      const uint32_t batches = 2;
      const float alpha = 0.5f, beta = -2;
      const auto matrix = uniform<T>(batches * k * n, 1), x = uniform<T>(batches * k, 2);
      const auto added = uniform<T>(batches * n, 3);
      Reals expected;
      for (uint32_t b = 0; b < batches; ++b)
        for (uint32_t i = 0; i < n; ++i) {
          Reals terms;
          for (uint32_t j = 0; j < k; ++j) {
            const T m = matrix[b * k * n + (kind.transposed ? j * n + i : i * k + j)];
            terms.push_back(Real(value(m)) * Real(value(x[b * k + j])));
          }
          Real y = sum(terms);
          if (kind.axpby)
            y = Real(alpha) * stored<T>(y) + Real(beta) * Real(value(added[b * n + i]));
          expected.push_back(y);
        }
      const uint32_t columns = kind.transposed ? n : k;
      run.output<T>(3, expected.size()).input(0, matrix).input(1, x);
      run.bytes(4, int32_t(k)).bytes(5, int32_t(n)).bytes(6, int32_t(columns)).bytes(9, int32_t(1));
      run.input(10, std::vector<int32_t>{int32_t(batches)}).input(11, std::vector<int64_t>{k});
      run.input(12, std::vector<int64_t>{k * n});
      if (kind.axpby) {
        run.input(2, added).bytes(7, alpha).bytes(8, beta);
        run.input(13, std::vector<int64_t>{n}).bytes(14, int32_t(1));
      }
      ASSERT_TRUE(
          run.dispatchThreadgroups({(n + tile.outputs - 1) / tile.outputs, 1, batches}, tile.threads));
      EXPECT_TRUE(near(expected, run.read<T>(3)));
    }
  };
}

const Gemv kRows{false, false, {{200, 37}, {130, 64}}}, kRowsAxpby{false, true, {{200, 37}}},
    kShortRows{false, false, {{7, 50}, {64, 33}}}, kLongRows{false, false, {{900, 8}}},
    kColumns{true, false, {{60, 37}, {33, 100}}}, kOneColumn{true, false, {{100, 3}}};

ASSAY_ENTRY_POINTS(Gemv, Mlx,
                   ({{"gemv.metal", "gemv_float32_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby0",
                      gemv<float>(kRows, {16, {32, 1, 4}})},
                     {"gemv.metal", "gemv_float16_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby0",
                      gemv<Half>(kRows, {16, {32, 1, 4}})},
                     {"gemv.metal", "gemv_bfloat16_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby0",
                      gemv<Bfloat>(kRows, {16, {32, 1, 4}})},
                     {"gemv.metal", "gemv_float32_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby1",
                      gemv<float>(kRowsAxpby, {16, {32, 1, 4}})},
                     {"gemv.metal", "gemv_float32_bm1_bn1_sm8_sn4_tm4_tn4_nc0_axpby0",
                      gemv<float>(kShortRows, {32, {32, 1, 1}})},
                     {"gemv.metal", "gemv_float32_bm1_bn8_sm1_sn32_tm4_tn4_nc0_axpby0",
                      gemv<float>(kLongRows, {4, {32, 8, 1}})},
                     {"gemv.metal", "gemv_t_float32_bm1_bn2_sm8_sn4_tm4_tn4_nc0_axpby0",
                      gemv<float>(kColumns, {32, {32, 2, 1}})},
                     {"gemv.metal", "gemv_t_bfloat16_bm1_bn4_sm8_sn4_tm4_tn4_nc0_axpby0",
                      gemv<Bfloat>(kColumns, {64, {32, 4, 1}})},
                     {"gemv.metal", "gemv_t_float32_bm1_bn2_sm8_sn4_tm4_tn1_nc0_axpby0",
                      gemv<float>(kOneColumn, {8, {32, 2, 1}})}}));

// --- a matrix times a matrix: tiles of 8x8 ----------------------------------------------------------------

struct GemmParams {
  int32_t m, n, k, lda, ldb, ldd, tilesN, tilesM;
  int64_t batchStrideA, batchStrideB, batchStrideD;
  int32_t swizzleLog, fullKTiles, batchDimensions;
};
struct AddParams {
  int32_t ldc, fdc;
  int64_t batchStride;
  float alpha, beta;
};

struct Gemm {
  bool transposedA, transposedB, axpby;
  int32_t tileM, tileN, tileK;
  Size threads;
};

template <class T> Judge gemm(Gemm g) {
  return [=](KernelRun &run) {
    for (const auto &[m, n, k] : {std::tuple{64, 64, 32}, {37, 45, 19}, {70, 33, 64}}) {
      const int32_t tilesM = (m + g.tileM - 1) / g.tileM, tilesN = (n + g.tileN - 1) / g.tileN;
      const auto a = uniform<T>(m * k, 4), b = uniform<T>(k * n, 5);
      // The kernel reads the rows of C that the last tile has and the result has not.
      const auto c = uniform<T>(tilesM * g.tileM * n, 6);
      const float alpha = 0.5f, beta = -2;
      Reals expected;
      for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) {
          Reals terms;
          for (int32_t p = 0; p < k; ++p)
            terms.push_back(Real(value(a[g.transposedA ? p * m + i : i * k + p])) *
                            Real(value(b[g.transposedB ? j * k + p : p * n + j])));
          Real y = sum(terms);
          if (g.axpby)
            y = Real(alpha) * y + Real(beta) * Real(value(c[i * n + j]));
          expected.push_back(y);
        }
      run.output<T>(3, m * n).input(0, a).input(1, b);
      run.bytes(4, GemmParams{m, n, k, g.transposedA ? m : k, g.transposedB ? k : n, n, tilesN, tilesM, m * k,
                              k * n, m * n, 0, k / g.tileK, 1});
      if (g.axpby)
        run.input(2, c).bytes(5, AddParams{n, 1, m * n, alpha, beta});
      run.constant(10, false).constant(100, g.axpby).constant(110, g.axpby);
      run.constant(200, m % g.tileM == 0).constant(201, n % g.tileN == 0).constant(202, k % g.tileK == 0);
      ASSERT_TRUE(run.dispatchThreadgroups({uint64_t(tilesN), uint64_t(tilesM), 1}, g.threads));
      EXPECT_TRUE(near(expected, run.read<T>(3)));
    }
  };
}

#define GEMM(kernel, ...)                                                                                    \
  {"steel/gemm/kernels/steel_gemm_fused.metal", "steel_gemm_fused_" kernel, __VA_ARGS__}

ASSAY_ENTRY_POINTS(Gemm, Mlx,
                   ({GEMM("nn_float32_float32_bm32_bn32_bk16_wm2_wn2",
                          gemm<float>({false, false, false, 32, 32, 16, {32, 2, 2}})),
                     GEMM("nt_float32_float32_bm64_bn64_bk16_wm2_wn2",
                          gemm<float>({false, true, true, 64, 64, 16, {32, 2, 2}})),
                     GEMM("tn_float16_float16_bm32_bn64_bk16_wm1_wn2",
                          gemm<Half>({true, false, false, 32, 64, 16, {32, 2, 1}})),
                     GEMM("nt_bfloat16_bfloat16_bm64_bn32_bk32_wm2_wn2",
                          gemm<Bfloat>({false, true, false, 64, 32, 32, {32, 2, 2}}))}));

// --- quantised --------------------------------------------------------------------------------------------

// One rounding for halves and floats, because scale * q + bias is one expression.
template <class T, uint32_t kBits> void dequantize(KernelRun &run) {
  const Affine<T> w(kBits, 3, 128, 64, 7);
  std::vector<T> expected;
  for (uint32_t r = 0; r < w.rows; ++r)
    for (uint32_t c = 0; c < w.columns; ++c)
      expected.push_back(as<T>(w.part(r, c).value + w.bias(r, c).value));
  const uint32_t perThread = kBits == 3   ? 8
                             : kBits == 6 ? 4
                                          : 8 / kBits,
                 threads = expected.size() / perThread;
  run.output<T>(3, expected.size()).input(0, w.packed).input(1, w.scales).input(2, w.biases);
  ASSERT_TRUE(run.dispatchThreads({threads}, {std::min(threads, 32u)}));
  EXPECT_TRUE(same(expected, run.read<T>(3)));
}

// Whatever the rule that picks scale and bias: the ends of each group are within half a step, and every value
// is the nearest of the levels, but for ties and what the float division rounds.
template <uint32_t kBits> void quantize(KernelRun &run) {
  const uint32_t rows = 3, columns = 128, group = 64, levels = (1 << kBits) - 1;
  const auto x = uniform<float>(rows * columns, 8, -2, 3);
  run.input(0, x).output<uint8_t>(1, x.size() * kBits / 8);
  run.output<float>(2, x.size() / group).output<float>(3, x.size() / group);
  ASSERT_TRUE(run.dispatchThreads({x.size() / (group / 32)}, {32}));
  Affine<float> w(kBits, rows, columns, group, 0);
  w.packed = run.read<uint8_t>(1), w.scales = run.read<float>(2), w.biases = run.read<float>(3);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t g = (r * columns + c) / group;
      const auto [low, high] = std::minmax_element(x.begin() + g * group, x.begin() + (g + 1) * group);
      const double scale = w.scales[g], width = (*high - *low) / levels;
      ASSERT_NEAR(std::fabs(scale), width, width / 4) << "group " << g;
      const double level = std::clamp((x[r * columns + c] - w.biases[g]) / scale, 0.0, double(levels));
      ASSERT_NEAR(w.quant(r, c), level, 0.5 + 1e-4) << r << ", " << c;
    }
}

// scale * (sum of q x) + bias * (sum of x); T is what the inputs, scales and output are. The products are
// summed in float, the inputs four at a time in T first.
template <class T> Real splitProduct(const Affine<T> &w, uint32_t r, const Reals &x) {
  Reals terms;
  for (uint32_t c = 0; c < w.columns; ++c) {
    terms.push_back(x[c] * w.part(r, c));
    Real biased = x[c] * w.bias(r, c);
    biased.error += 3 * kUnit<T> * std::fabs(biased.value);
    terms.push_back(biased);
  }
  return sum(terms);
}

// x [m, k] times the rows of w [n, k]; two simdgroups make eight outputs.
template <class T, uint32_t kBits, uint32_t kGroup> Judge qmv(bool fast) {
  return [=](KernelRun &run) {
    for (const auto &[m, n, k] : {std::tuple{2u, 16u, 512u}, {1u, 21u, 192u}}) {
      if (fast && (n % 8 || k % 512))
        continue;
      const Affine<T> w(kBits, n, k, kGroup, 9);
      const auto x = uniform<T>(m * k, 12);
      Reals expected;
      for (uint32_t i = 0; i < m; ++i)
        for (uint32_t r = 0; r < n; ++r)
          expected.push_back(splitProduct(w, r, row(reals(x), i, k)));
      run.output<T>(4, m * n).input(0, w.packed).input(1, w.scales).input(2, w.biases).input(3, x);
      run.bytes(5, int32_t(k)).bytes(6, int32_t(n));
      ASSERT_TRUE(run.dispatchThreadgroups({m, (n + 7) / 8, 1}, {32, 2}));
      EXPECT_TRUE(near(expected, run.read<T>(4)));
    }
  };
}

// x [m, k] times w [k, n], whose groups lie along n.
void qvm(KernelRun &run) {
  const uint32_t m = 2, n = 128, k = 70;
  const Affine<float> w(4, k, n, 64, 13);
  const auto x = uniform<float>(m * k, 16);
  Reals expected;
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t c = 0; c < n; ++c) {
      Reals terms;
      for (uint32_t r = 0; r < k; ++r) {
        terms.push_back(Real(x[i * k + r]) * w.part(r, c));
        terms.push_back(Real(x[i * k + r]) * w.bias(r, c));
      }
      expected.push_back(sum(terms));
    }
  run.output<float>(4, m * n).input(0, w.packed).input(1, w.scales).input(2, w.biases).input(3, x);
  run.bytes(5, int32_t(k)).bytes(6, int32_t(n));
  ASSERT_TRUE(run.dispatchThreadgroups({m, (n + 63) / 64, 1}, {32, 2}));
  EXPECT_TRUE(near(expected, run.read<float>(4)));
}

// The same as qmv in tiles of 32 by 32; the weights are rounded to T in threadgroup memory. The kernel reads
// the rows of w that the last tile has and the matrix has not.
template <class T> Judge qmm(bool aligned) {
  return [=](KernelRun &run) {
    const uint32_t m = 35, n = aligned ? 64 : 41, k = 128;
    const Affine<T> w(4, (n + 31) / 32 * 32, k, 64, 17);
    const auto x = uniform<T>(m * k, 20);
    Reals expected;
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t r = 0; r < n; ++r) {
        Reals terms;
        for (uint32_t c = 0; c < k; ++c)
          terms.push_back(Real(value(x[i * k + c])) * w.weight(r, c));
        expected.push_back(sum(terms));
      }
    run.output<T>(4, m * n).input(0, w.packed).input(1, w.scales).input(2, w.biases).input(3, x);
    run.bytes(5, int32_t(k)).bytes(6, int32_t(n)).bytes(7, int32_t(m));
    ASSERT_TRUE(run.dispatchThreadgroups({(n + 31) / 32, (m + 31) / 32, 1}, {32, 2, 2}));
    EXPECT_TRUE(near(expected, run.read<T>(4)));
  };
}

#define QUANTIZED(kernel, ...) {"quantized.metal", "affine_" kernel, __VA_ARGS__}

ASSAY_ENTRY_POINTS(Quantized, Mlx,
                   ({QUANTIZED("dequantize_float_gs_64_b_4", dequantize<float, 4>),
                     QUANTIZED("dequantize_float16_t_gs_64_b_3", dequantize<Half, 3>),
                     QUANTIZED("dequantize_float16_t_gs_64_b_6", dequantize<Half, 6>),
                     QUANTIZED("dequantize_float_gs_64_b_8", dequantize<float, 8>),
                     QUANTIZED("quantize_float_gs_64_b_4", quantize<4>),
                     QUANTIZED("quantize_float_gs_64_b_3", quantize<3>),
                     QUANTIZED("qmv_fast_float_gs_64_b_4_batch_0", qmv<float, 4, 64>(true)),
                     QUANTIZED("qmv_float_gs_64_b_4_batch_0", qmv<float, 4, 64>(false)),
                     QUANTIZED("qmv_float16_t_gs_32_b_8_batch_0", qmv<Half, 8, 32>(false)),
                     QUANTIZED("qmv_bfloat16_t_gs_64_b_6_batch_0", qmv<Bfloat, 6, 64>(false)),
                     QUANTIZED("qvm_float_gs_64_b_4_batch_0", qvm),
                     QUANTIZED("qmm_t_float_gs_64_b_4_alN_true_batch_0", qmm<float>(true)),
                     QUANTIZED("qmm_t_bfloat16_t_gs_64_b_4_alN_false_batch_0", qmm<Bfloat>(false))}));

} // namespace
} // namespace assay::projects
