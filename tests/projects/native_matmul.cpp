// mlx-native: products of float matrices, triangular solves, and fast Hadamard transforms.
// source: src/ops/{dense_gemv_bf16,tri_solve,hadamard,fwht_standalone}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

struct Gemv {
  int32_t k, n, weightBatches;
  uint64_t weightStrides[4]; ///< bytes: element, row, batch, and none
  int32_t inputColumns, m, inputBatches;
  uint64_t inputStrides[4];
  int32_t outputColumns, outputRows, rowsPerGroup;
  int16_t broadcast2, broadcast3;
};

// Two rows and four simdgroups a threadgroup; a weight batch serves `share` input batches.
void gemv(KernelRun &run) {
  for (const auto &[k, m, batches, share] : {std::tuple{64u, 1u, 1u, 1u}, {1100u, 2u, 4u, 2u}}) {
    const uint32_t n = 6;
    const auto w = uniform<Bfloat>(batches / share * n * k, 1);
    const auto x = uniform<float>(batches * m * k, 2);
    Reals expected;
    for (uint32_t b = 0; b < batches; ++b)
      append(expected, matmulTransposed(row(reals(x), b, m * k), row(reals(w), b / share, n * k), m, n, k));
    Gemv sizes{int32_t(k),
               int32_t(n),
               int32_t(batches / share),
               {2, k * 2, n * k * 2, 0},
               int32_t(k),
               int32_t(m),
               int32_t(batches),
               {4, k * 4, m * k * 4, 0},
               int32_t(n),
               int32_t(m),
               2,
               int16_t(share),
               1};
    run.bytes(0, sizes).input(1, w).input(2, x).output<float>(3, expected.size()).threadgroupMemory(0, 256);
    ASSERT_TRUE(run.dispatchThreadgroups({n / 2, m, batches}, {32, 4}));
    EXPECT_TRUE(near(expected, run.read<float>(3)));
  }
}

// L X = B with ones on the diagonal, row after row; T is what X is kept in.
template <class T> void triangularSolve(KernelRun &run) {
  for (const auto &[n, m, batches] : {std::tuple{1u, 1u, 1u}, {5u, 3u, 2u}, {24u, 33u, 1u}}) {
    const auto l = uniform<T>(batches * n * n, 3, -0.2, 0.2), b = uniform<T>(batches * n * m, 4);
    Reals x(b.size());
    for (uint32_t batch = 0; batch < batches; ++batch)
      for (uint32_t c = 0; c < m; ++c)
        for (uint32_t i = 0; i < n; ++i) {
          const size_t at = (batch * n + i) * m + c;
          Reals terms{Real(value(b[at]))};
          for (uint32_t j = 0; j < i; ++j)
            terms.push_back(-(Real(value(l[(batch * n + i) * n + j])) * x[(batch * n + j) * m + c]));
          x[at] = stored<T>(sum(terms));
        }
    run.output<T>(2, x.size()).input(0, l).input(1, b).input(3, std::vector<uint32_t>{n, m, batches});
    ASSERT_TRUE(run.dispatchThreads({m, batches}, {8, 1}));
    EXPECT_TRUE(near(x, run.read<T>(2)));
  }
}

ASSAY_ENTRY_POINTS(Matmul, MlxNative,
                   ({{"dense_gemv_bf16.metal", "hf2q_dense_gemv_bf16_f32_4", gemv},
                     {"tri_solve.metal", "tri_solve_lower_unit_f32", triangularSolve<float>},
                     {"tri_solve.metal", "tri_solve_lower_unit_bf16", triangularSolve<Bfloat>}}));

// --- Hadamard: H[i][j] = (-1)^popcount(i & j) / sqrt(n) ----------------------------------------------------

Reals hadamard(const Reals &x) {
  Reals out;
  for (size_t i = 0; i < x.size(); ++i) {
    Reals terms;
    for (size_t j = 0; j < x.size(); ++j)
      terms.push_back(__builtin_popcountll(i & j) % 2 ? -x[j] : x[j]);
    out.push_back(sum(terms) * rsqrt(Real(double(x.size()))));
  }
  return out;
}

void hadamardTransform(KernelRun &run) {
  const uint32_t heads = 3;
  for (const uint32_t dim : {4u, 64u, 128u}) {
    const auto x = uniform<float>(heads * dim, 5);
    Reals expected;
    for (uint32_t h = 0; h < heads; ++h)
      append(expected, hadamard(row(reals(x), h, dim)));
    run.inout(0, x).bytes(1, dim).bytes(2, heads).threadgroupMemory(0, dim * 4);
    ASSERT_TRUE(run.dispatchThreadgroups({heads}, {dim}));
    EXPECT_TRUE(near(expected, run.read<float>(0)));
  }
}

struct DimAndHeads {
  uint32_t dim, heads;
};

template <uint32_t kDim> void simdgroupHadamard(KernelRun &run) {
  const uint32_t heads = 2;
  const auto x = uniform<float>(heads * kDim, 6);
  Reals expected;
  for (uint32_t h = 0; h < heads; ++h)
    append(expected, hadamard(row(reals(x), h, kDim)));
  run.inout(0, x).bytes(1, DimAndHeads{kDim, heads});
  ASSERT_TRUE(run.dispatchThreadgroups({heads}, {32}));
  EXPECT_TRUE(near(expected, run.read<float>(0)));
}

// The kernel multiplies with a fixed table of signs first. What the signs are is the project's business; that
// they are signs is seen by transforming back: the magnitudes of the input must reappear.
template <uint32_t kDim> void signedHadamard(KernelRun &run) {
  const uint32_t heads = 2;
  const auto x = uniform<float>(heads * kDim, 7, 0.5, 1);
  run.inout(0, x).bytes(1, DimAndHeads{kDim, heads});
  ASSERT_TRUE(run.dispatchThreadgroups({heads}, {32}));
  Reals back, expected;
  for (uint32_t h = 0; h < heads; ++h)
    append(back, hadamard(row(reals(run.read<float>(0)), h, kDim)));
  std::vector<float> magnitudes;
  uint32_t negative = 0;
  for (size_t i = 0; i < back.size(); ++i) {
    negative += back[i].value < 0;
    magnitudes.push_back(float(std::fabs(back[i].value)));
    expected.push_back(Real(x[i], 4 * back[i].error));
  }
  EXPECT_TRUE(near(expected, magnitudes));
  EXPECT_GT(negative, 0u);
  EXPECT_LT(negative, back.size());
}

// Signs last: the input of a transform whose magnitudes are what a plain transform has.
template <uint32_t kDim> void hadamardSigned(KernelRun &run) {
  const uint32_t heads = 2;
  const auto x = uniform<float>(heads * kDim, 8);
  run.inout(0, x).bytes(1, DimAndHeads{kDim, heads});
  ASSERT_TRUE(run.dispatchThreadgroups({heads}, {32}));
  Reals expected;
  for (uint32_t h = 0; h < heads; ++h)
    append(expected, hadamard(row(reals(x), h, kDim)));
  std::vector<float> magnitudes = run.read<float>(0);
  uint32_t turned = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    turned += (magnitudes[i] < 0) != (expected[i].value < 0);
    magnitudes[i] = std::fabs(magnitudes[i]);
    expected[i].value = std::fabs(expected[i].value);
  }
  EXPECT_TRUE(near(expected, magnitudes));
  EXPECT_GT(turned, 0u);
  EXPECT_LT(turned, expected.size());
}

ASSAY_ENTRY_POINTS(Hadamard, MlxNative,
                   ({{"hadamard.metal", "hadamard_transform", hadamardTransform},
                     {"fwht_standalone.metal", "fwht_standalone_f32_d256", simdgroupHadamard<256>},
                     {"fwht_standalone.metal", "fwht_standalone_f32_d512", simdgroupHadamard<512>},
                     {"fwht_standalone.metal", "fwht_sign_premult_f32_d256", signedHadamard<256>},
                     {"fwht_standalone.metal", "fwht_sign_premult_f32_d512", signedHadamard<512>},
                     {"fwht_standalone.metal", "fwht_sign_undo_f32_d256", hadamardSigned<256>},
                     {"fwht_standalone.metal", "fwht_sign_undo_f32_d512", hadamardSigned<512>}}));

} // namespace
} // namespace assay::projects
