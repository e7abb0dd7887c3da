// mlx-native: products with quantised matrices, which are decoded exactly in the reference: GGUF blocks and
// MLX's affine groups; and the round trips through the block formats.
// source: src/ops/{quantized_matmul_ggml,quantized_matmul_id_ggml,quantized_matmul,quantized_matmul_id,
// qdq_legacy}.rs
#include "affine.h"
#include "entry_point.h"
#include "ggml_blocks.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

/// Rows that one threadgroup of 64 threads covers, and how the threads are counted in x and y.
struct Geometry {
  uint32_t rows;
  Size threads;
};
const Geometry kEight{8, {8, 8}}, kTwo{2, {2, 32}};

// --- GGUF blocks times a float vector ----------------------------------------------------------------------

struct GgmlMatvec {
  int64_t k, n, weightBatches, inputColumns, inputBatches, outputColumns, m;
  uint32_t broadcast2, broadcast3;
};

// The rows of an output fill whole threadgroups: the kernels read the weights of rows that are not there.
Judge ggmlMatvec(const GgmlFormat &format, Geometry geometry) {
  return [&format, geometry](KernelRun &run) {
    for (const auto &[m, n, k] : {std::tuple{1u, 8u, 256u}, {3u, 16u, 1280u}}) {
      const auto weights = ggmlBlocks(format, n * k, 1);
      const auto x = uniform<float>(m * k, 3);
      run.input(0, weights).input(1, x).output<float>(2, m * n);
      run.bytes(3, GgmlMatvec{k, n, 1, k, 1, n, m, 1, 1});
      ASSERT_TRUE(run.dispatchThreadgroups({n / geometry.rows, m}, geometry.threads));
      EXPECT_TRUE(near(matmulTransposed(reals(x), decoded(format, weights), m, n, k), run.read<float>(2)));
    }
  };
}

struct GgmlMatvecId {
  int64_t k, n, unused2, inputColumns, unused12, outputColumns, rows;
  uint32_t broadcast2, broadcast3, topK, tokens;
  int64_t expertBytes;
};

// Each output row takes its token's vector and the matrix of the expert that `ids` names.
Judge ggmlMatvecId(const GgmlFormat &format, Geometry geometry) {
  return [&format, geometry](KernelRun &run) {
    const uint32_t tokens = 3, topK = 2, experts = 4, n = 8, k = 1280, rows = tokens * topK;
    const auto weights = ggmlBlocks(format, experts * n * k, 5);
    const auto x = uniform<float>(tokens * k, 7);
    const auto ids = below(experts, rows, 8);
    const Reals w = decoded(format, weights);
    Reals expected;
    for (uint32_t r = 0; r < rows; ++r)
      append(expected, matmulTransposed(row(reals(x), r / topK, k), row(w, ids[r], n * k), 1, n, k));
    run.input(0, weights).input(1, x).output<float>(2, rows * n).input(3, ids);
    run.bytes(4,
              GgmlMatvecId{k, n, 1, k, 1, n, rows, 1, 1, topK, tokens, n * k / format.values * format.bytes});
    ASSERT_TRUE(run.dispatchThreadgroups({n / geometry.rows, rows}, geometry.threads));
    EXPECT_TRUE(near(expected, run.read<float>(2)));
  };
}

// The same with silu(gate) * up for a vector, one for each output row.
void ggmlSwiglu(KernelRun &run) {
  const GgmlFormat &format = ggml::Q4_0;
  const uint32_t tokens = 2, topK = 2, experts = 3, n = 8, k = 512, rows = tokens * topK;
  const auto weights = ggmlBlocks(format, experts * n * k, 9);
  const auto gate = uniform<float>(rows * k, 11, -4, 4), up = uniform<float>(rows * k, 12);
  const auto ids = below(experts, rows, 13);
  const Reals w = decoded(format, weights);
  Reals expected;
  for (uint32_t r = 0; r < rows; ++r) {
    Reals x;
    for (uint32_t i = 0; i < k; ++i)
      x.push_back(Real(gate[r * k + i]) * sigmoid(Real(gate[r * k + i])) * Real(up[r * k + i]));
    append(expected, matmulTransposed(x, row(w, ids[r], n * k), 1, n, k));
  }
  run.input(0, weights).input(1, gate).input(2, up).output<float>(3, rows * n).input(4, ids);
  run.bytes(5,
            GgmlMatvecId{k, n, 1, k, 1, n, rows, 1, 1, topK, tokens, n * k / format.values * format.bytes});
  ASSERT_TRUE(run.dispatchThreadgroups({n / 8, rows}, {8, 8}));
  EXPECT_TRUE(near(expected, run.read<float>(3)));
}

ASSAY_ENTRY_POINTS(
    GgmlMatvec, MlxNative,
    ({{"quantized_matmul_ggml.metal", "kernel_mul_mv_q4_0_f32", ggmlMatvec(ggml::Q4_0, kEight)},
      {"quantized_matmul_ggml.metal", "kernel_mul_mv_q8_0_f32", ggmlMatvec(ggml::Q8_0, kEight)},
      {"quantized_matmul_ggml.metal", "kernel_mul_mv_q4_K_f32", ggmlMatvec(ggml::Q4_K, kTwo)},
      {"quantized_matmul_ggml.metal", "kernel_mul_mv_q6_K_f32", ggmlMatvec(ggml::Q6_K, kTwo)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q4_0_f32", ggmlMatvecId(ggml::Q4_0, kEight)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q8_0_f32", ggmlMatvecId(ggml::Q8_0, kEight)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q4_K_f32", ggmlMatvecId(ggml::Q4_K, kTwo)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q5_K_f32", ggmlMatvecId(ggml::Q5_K, kTwo)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q6_K_f32", ggmlMatvecId(ggml::Q6_K, kTwo)},
      {"quantized_matmul_id_ggml.metal", "kernel_mul_mv_id_q4_0_f32_swiglu", ggmlSwiglu}}));

// --- affine groups with bfloat scales and biases -----------------------------------------------------------

using Matrix = Affine<Bfloat>;

// bfloat weights times inputs rounded to bfloat, summed in float.
Real roundedProduct(const Matrix &w, uint32_t r, const Reals &x) {
  Reals terms;
  for (uint32_t c = 0; c < w.columns; ++c)
    terms.push_back(Real(roundTo<Bfloat>(x[c].value)) * w.weight(r, c));
  return sum(terms);
}
// scale * (sum of q x) + bias * (sum of x): the two sums are apart until the end.
Real splitProduct(const Matrix &w, uint32_t r, const Reals &x) {
  Reals terms;
  for (uint32_t c = 0; c < w.columns; ++c) {
    const Real input(roundTo<Bfloat>(x[c].value));
    terms.push_back(input * w.part(r, c));
    terms.push_back(input * w.bias(r, c));
  }
  return sum(terms);
}

struct AffineSizes {
  uint32_t m, k, n, group, bits;
};

void affineMatmul(KernelRun &run) {
  const uint32_t m = 3, n = 21, k = 64, group = 32;
  for (const uint32_t bits : {4u, 6u, 8u}) {
    const Matrix w(bits, n, k, group, 20);
    const auto x = uniform<float>(m * k, 23);
    Reals expected;
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t r = 0; r < n; ++r)
        expected.push_back(roundedProduct(w, r, row(reals(x), i, k)));
    run.input(0, x).input(1, w.packed).input(2, w.scales).input(3, w.biases).output<float>(4, m * n);
    run.bytes(5, AffineSizes{m, k, n, group, bits});
    ASSERT_TRUE(run.dispatchThreadgroups({(n + 15) / 16, 1}, {16, m}));
    EXPECT_TRUE(near(expected, run.read<float>(4)));
  }
}

// T is the type of input and output. A threadgroup of two simdgroups makes eight outputs.
template <class T, bool kExpert> void affineMatvec(KernelRun &run) {
  const uint32_t m = 2, n = 16, k = 512, group = 64, expert = 2;
  for (const uint32_t bits : {4u, 8u}) {
    const Matrix w(bits, n * (kExpert ? 3 : 1), k, group, 24); // one matrix, or those of three experts
    const uint32_t firstRow = kExpert ? expert * n : 0;
    const auto x = uniform<T>(m * k, 27);
    Reals expected;
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t r = 0; r < n; ++r)
        expected.push_back(splitProduct(w, firstRow + r, row(reals(x), i, k)));
    run.output<T>(4, m * n).input(0, x).input(1, w.packed).input(2, w.scales).input(3, w.biases);
    run.bytes(5, AffineSizes{m, k, n, group, bits});
    if (kExpert)
      run.bytes(6, firstRow * k * bits / 8)
          .bytes(7, firstRow * k / group * 2)
          .bytes(8, firstRow * k / group * 2);
    ASSERT_TRUE(run.dispatchThreadgroups({m, n / 8}, {32, 2}));
    EXPECT_TRUE(near(expected, run.read<T>(4)));
  }
}

struct AffineIdSizes {
  uint32_t m, k, n, group, bits, topK, experts, weightBytes, scaleElements, biasElements;
};

void affineMatmulId(KernelRun &run) {
  const uint32_t m = 3, topK = 2, experts = 4, n = 10, k = 64, group = 32;
  for (const uint32_t bits : {4u, 6u, 8u}) {
    const Matrix w(bits, experts * n, k, group, 30);
    const auto x = uniform<float>(m * k, 33);
    const auto ids = below(experts, m * topK, 34);
    Reals expected;
    for (uint32_t i = 0; i < m * topK; ++i)
      for (uint32_t r = 0; r < n; ++r)
        expected.push_back(roundedProduct(w, ids[i] * n + r, row(reals(x), i / topK, k)));
    run.input(0, x).input(1, w.packed).input(2, w.scales).input(3, w.biases).input(4, ids);
    run.output<float>(5, expected.size());
    run.bytes(6, AffineIdSizes{m, k, n, group, bits, topK, experts, n * k * bits / 8, n * k / group,
                               n * k / group});
    ASSERT_TRUE(run.dispatchThreadgroups({1, 1}, {n, m * topK}));
    EXPECT_TRUE(near(expected, run.read<float>(5)));
  }
}

ASSAY_ENTRY_POINTS(AffineMatmul, MlxNative,
                   ({{"quantized_matmul.metal", "quantized_matmul", affineMatmul},
                     {"quantized_matmul.metal", "quantized_matmul_simd", affineMatvec<float, false>},
                     {"quantized_matmul.metal", "quantized_matmul_simd_bf16", affineMatvec<Bfloat, false>},
                     {"quantized_matmul.metal", "quantized_matmul_simd_bf16_expert",
                      affineMatvec<Bfloat, true>},
                     {"quantized_matmul_id.metal", "quantized_matmul_id", affineMatmulId}}));

// --- round trips: quantise a block of 32 and decode it again -----------------------------------------------

// Powers of two for the extreme of a block, so that its scale and the reciprocal are exact.
std::vector<float> blocksWithExtreme(uint32_t blocks, double extreme) {
  auto x = uniform<float>(blocks * 32, 40);
  for (uint32_t b = 0; b < blocks; ++b)
    x[b * 32 + b % 32] = float((b % 2 ? -1 : 1) * extreme);
  return x;
}

// d is the signed extreme / -8; q = floor(x / d + 8.5), at most 15.
void roundTripQ4(KernelRun &run) {
  const uint32_t blocks = 5;
  auto x = blocksWithExtreme(blocks, 2);
  std::fill_n(x.begin() + 64, 32, 0.0f); // a block of zeros
  std::vector<float> expected;
  for (uint32_t i = 0; i < x.size(); ++i) {
    const double d = (i / 32 == 2 ? 0.0 : i / 32 % 2 ? -2.0 : 2.0) / -8; // -0 for zeros, and so are they
    const float sum = d == 0 ? 8.5f : float(x[i] / d + 8.5);             // fused: one rounding
    expected.push_back(float((std::clamp(std::floor(sum), 0.0f, 15.0f) - 8) * d));
  }
  run.input(0, x).output<float>(1, x.size()).threadgroupMemory(0, 64 * 4);
  ASSERT_TRUE(run.dispatchThreadgroups({blocks}, {32}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

// d is the largest magnitude / 127; q is x / d rounded half away from zero.
void roundTripQ8(KernelRun &run) {
  const uint32_t blocks = 5;
  const auto x = blocksWithExtreme(blocks, 127.0 / 64);
  std::vector<float> expected;
  for (const float v : x) {
    const float scaled = v * 64;
    expected.push_back(std::copysign(std::floor(std::fabs(scaled) + 0.5f), scaled) / 64);
  }
  for (float &v : expected)
    v += 0.0f; // the quant is an integer: no negative zero
  run.input(0, x).output<float>(1, x.size()).threadgroupMemory(0, 32 * 4);
  ASSERT_TRUE(run.dispatchThreadgroups({blocks}, {32}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

ASSAY_ENTRY_POINTS(QuantizedRoundTrip, MlxNative,
                   ({{"qdq_legacy.metal", "qdq_q4_0_f32", roundTripQ4},
                     {"qdq_legacy.metal", "qdq_q8_0_f32", roundTripQ8}}));

} // namespace
} // namespace assay::projects
