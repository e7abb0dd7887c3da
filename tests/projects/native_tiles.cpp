// mlx-native: products in tiles of simdgroup matrices, and the vector products that share a file with them.
// source: src/ops/{dense_gemm,quantized_matmul_ggml,quantized_matmul_id_ggml}.rs
#include "entry_point.h"
#include "ggml_blocks.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

struct Dense {
  uint32_t m, n, k;
};

// Four rows a simdgroup, two simdgroups a threadgroup;
// T is the vector's and the result's, W the weights' type.
template <class T, class W> void denseMatvec(KernelRun &run) {
  for (const Dense d : {Dense{1, 8, 128}, {1, 13, 300}}) {
    const auto x = uniform<T>(d.k, 1);
    const auto w = uniform<W>(d.n * d.k, 2);
    run.output<T>(2, d.n).input(0, x).input(1, w).bytes(3, d);
    ASSERT_TRUE(run.dispatchThreadgroups({(d.n + 7) / 8}, {32, 2}));
    EXPECT_TRUE(near(matmulTransposed(reals(x), reals(w), 1, d.n, d.k), run.read<T>(2)));
  }
}

void denseGemm(KernelRun &run) {
  for (const Dense d : {Dense{32, 32, 16}, {45, 37, 40}, {3, 70, 64}}) {
    const auto a = uniform<Half>(d.m * d.k, 3), b = uniform<Half>(d.n * d.k, 4);
    run.input(0, a).input(1, b).output<Half>(2, d.m * d.n).bytes(3, d);
    ASSERT_TRUE(run.dispatchThreadgroups({(d.n + 31) / 32, (d.m + 31) / 32}, {128}));
    EXPECT_TRUE(near(matmulTransposed(reals(a), reals(b), d.m, d.n, d.k), run.read<Half>(2)));
  }
}

struct GgmlMatmul {
  int32_t k, weightBatches;
  uint64_t weightStrides[3]; ///< bytes: row, batch, none
  int32_t inputBatches;
  uint64_t inputStrides[4]; ///< bytes: element, row, batch, none
  int32_t n, m;
  int16_t broadcast2, broadcast3;
};

/// The tiles hold the weights as halves.
Reals decodedToHalf(const GgmlFormat &format, const std::vector<uint8_t> &blocks) {
  Reals out = decoded(format, blocks);
  for (Real &w : out) {
    w.error += 3 * kUnit<float> * std::fabs(w.value);
    w = stored<Half>(w);
  }
  return out;
}

Judge ggmlMatmul(const GgmlFormat &format) {
  return [&format](KernelRun &run) {
    for (const auto &[m, n, k] : {std::tuple{32u, 64u, 256u}, {41u, 70u, 512u}}) {
      const auto weights = ggmlBlocks(format, n * k, 5);
      const auto x = uniform<float>(m * k, 7);
      const uint64_t rowBytes = k / format.values * format.bytes;
      run.bytes(0, GgmlMatmul{int32_t(k),
                              1,
                              {rowBytes, rowBytes * n, 0},
                              1,
                              {4, k * 4, m * k * 4, 0},
                              int32_t(n),
                              int32_t(m),
                              1,
                              1});
      run.input(1, weights).input(2, x).output<float>(3, m * n).threadgroupMemory(0, 8192);
      ASSERT_TRUE(run.dispatchThreadgroups({(m + 31) / 32, (n + 63) / 64, 1}, {128}));
      EXPECT_TRUE(
          near(matmulTransposed(reals(x), decodedToHalf(format, weights), m, n, k), run.read<float>(3)));
    }
  };
}

// Which tokens go to which expert, in two steps: lists for each expert, then a product for each list.
struct MapParams {
  int32_t n, inputSlots;
  uint64_t unused11, unused12;
  int32_t tokens, topK;
  uint64_t idStride;
};

template <uint32_t kTopK> void expertLists(KernelRun &run) {
  const uint32_t tokens = 9, experts = 16;
  std::vector<uint32_t> ids; // distinct for a token
  for (uint32_t t = 0; t < tokens; ++t) {
    const auto order = permutation(experts, t + 8);
    ids.insert(ids.end(), order.begin(), order.begin() + kTopK);
  }
  std::vector<uint32_t> counts(experts);
  std::vector<std::vector<int32_t>> lists(experts);
  for (uint32_t i = 0; i < ids.size(); ++i) {
    ++counts[ids[i]];
    lists[ids[i]].push_back(int32_t(i));
  }
  run.bytes(0, MapParams{64, kTopK, 0, 0, tokens, kTopK, kTopK * 4}).input(1, ids);
  run.output<uint32_t>(2, experts)
      .output<int32_t>(3, experts * tokens)
      .threadgroupMemory(0, experts * kTopK * 2);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {experts}));
  EXPECT_TRUE(same(counts, run.read<uint32_t>(2)));
  const auto out = run.read<int32_t>(3);
  for (uint32_t e = 0; e < experts; ++e) // the rest of a list is nobody's
    EXPECT_TRUE(same(lists[e], {out.begin() + e * tokens, out.begin() + e * tokens + lists[e].size()})) << e;
}

struct GgmlMatmulId {
  int32_t k, experts;
  uint64_t weightStrides[3];
  int32_t slots;
  uint64_t inputStrides[4];
  int32_t topK, tokens, n, m;
  int16_t broadcast2, broadcast3;
};

Judge ggmlMatmulId(const GgmlFormat &format) {
  return [&format](KernelRun &run) {
    const uint32_t tokens = 40, topK = 2, experts = 3, n = 70, k = 256;
    const auto weights = ggmlBlocks(format, experts * n * k, 9);
    const auto x = uniform<float>(tokens * k, 11);
    const Reals w = decodedToHalf(format, weights);
    std::vector<uint32_t> counts(experts);
    std::vector<int32_t> lists(experts * tokens);
    Reals expected;
    for (uint32_t t = 0; t < tokens; ++t)
      for (uint32_t slot = 0; slot < topK; ++slot) {
        const uint32_t e = (t * 7 + slot * (1 + t % 2)) % experts;
        lists[e * tokens + counts[e]++] = int32_t(t * topK + slot);
        append(expected, matmulTransposed(row(reals(x), t, k), row(w, e, n * k), 1, n, k));
      }
    const uint64_t rowBytes = k / format.values * format.bytes;
    run.bytes(0, GgmlMatmulId{int32_t(k),
                              experts,
                              {rowBytes, rowBytes * n, 0},
                              topK,
                              {4, 0, k * 4, 0},
                              topK,
                              tokens,
                              n,
                              topK,
                              1,
                              1});
    run.input(1, weights).input(2, x).input(3, counts).input(4, lists).output<float>(5, expected.size());
    run.threadgroupMemory(0, 8192);
    ASSERT_TRUE(run.dispatchThreadgroups({(tokens + 31) / 32, (n + 63) / 64, experts}, {128}));
    EXPECT_TRUE(near(expected, run.read<float>(5)));
  };
}

ASSAY_ENTRY_POINTS(Tiles, MlxNative,
                   ({{"dense_gemm.metal", "dense_matvec_f16", denseMatvec<Half, Half>},
                     {"dense_gemm.metal", "dense_matvec_f16w_f32io", denseMatvec<float, Half>},
                     {"dense_gemm.metal", "dense_matvec_bf16w_f32io", denseMatvec<float, Bfloat>},
                     {"dense_gemm.metal", "dense_matvec_f32", denseMatvec<float, float>},
                     {"dense_gemm.metal", "dense_gemm_f16", denseGemm},
                     {"quantized_matmul_mm.metal", "kernel_mul_mm_q4_0_f32", ggmlMatmul(ggml::Q4_0)},
                     {"quantized_matmul_mm.metal", "kernel_mul_mm_q8_0_f32", ggmlMatmul(ggml::Q8_0)},
                     {"quantized_matmul_mm.metal", "kernel_mul_mm_q6_K_f32", ggmlMatmul(ggml::Q6_K)},
                     {"quantized_matmul_id_mm.metal", "kernel_mul_mm_id_map0_ne20_1", expertLists<1>},
                     {"quantized_matmul_id_mm.metal", "kernel_mul_mm_id_map0_ne20_8", expertLists<8>},
                     {"quantized_matmul_id_mm.metal", "kernel_mul_mm_id_q4_0_f32", ggmlMatmulId(ggml::Q4_0)},
                     {"quantized_matmul_id_mm.metal", "kernel_mul_mm_id_q4_K_f32", ggmlMatmulId(ggml::Q4_K)},
                     {"quantized_matmul_id_mm.metal", "kernel_mul_mm_id_q6_K_f32",
                      ggmlMatmulId(ggml::Q6_K)}}));

} // namespace
} // namespace assay::projects
