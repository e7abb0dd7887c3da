// mlx-native: RMS and L2 norms, with what is fused to them, and their gradients.
// One threadgroup a row, of min(256, next power of two) threads, with a float of threadgroup memory each.
// source: src/ops/{rms_norm,rms_norm_backward,l2_norm,fused_norm_add,ssm_norm_gate}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

struct Shape {
  uint32_t rows, columns;
  size_t size() const { return size_t(rows) * columns; }
};
constexpr Shape kShapes[] = {{2, 1}, {3, 20}, {2, 128}, {1, 600}};
constexpr float kEps = 1e-5f;

::testing::AssertionResult dispatchRows(KernelRun &run, Shape shape, uint32_t groups = 0) {
  const uint32_t threads = std::min(256u, nextPowerOfTwo(shape.columns));
  run.threadgroupMemory(0, std::max(16u, threads * 4));
  return run.dispatchThreadgroups({groups ? groups : shape.rows}, {threads});
}

std::vector<float> epsAndColumns(Shape s) {
  return {kEps, float(s.columns)};
}

/// x / rms(x), row by row, times `weight` along the row where there is one.
Reals normed(const Reals &x, Shape s, const Reals &weight = {}) {
  Reals out;
  for (uint32_t r = 0; r < s.rows; ++r) {
    const Reals xr = row(x, r, s.columns);
    const Real inverse = inverseRms(xr, kEps);
    for (uint32_t i = 0; i < s.columns; ++i)
      out.push_back(weight.empty() ? xr[i] * inverse : xr[i] * inverse * weight[i]);
  }
  return out;
}

Reals times(const Reals &a, const Reals &b) {
  Reals out;
  for (size_t i = 0; i < a.size(); ++i)
    out.push_back(a[i] * b[i]);
  return out;
}
Reals plus(const Reals &a, const Reals &b) {
  Reals out;
  for (size_t i = 0; i < a.size(); ++i)
    out.push_back(a[i] + b[i]);
  return out;
}

// The weight of the half kernels is float.
template <class T, class W> void rmsNorm(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.size(), 1, -3, 3);
    const auto w = uniform<W>(s.columns, 2, 0.5, 1.5);
    run.output<T>(2, s.size()).input(0, x).input(1, w).input(3, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(normed(reals(x), s, reals(w)), run.read<T>(2)));
  }
}

template <class T> void rmsNormNoScale(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.size(), 3, -3, 3);
    run.output<T>(1, s.size()).input(0, x).input(2, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(normed(reals(x), s), run.read<T>(1)));
  }
}

template <class T, class W> void rmsNormMul(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.size(), 4, -3, 3), scale = uniform<T>(s.size(), 5);
    const auto w = uniform<W>(s.columns, 6, 0.5, 1.5);
    run.output<T>(3, s.size()).input(0, x).input(1, w).input(2, scale).input(4, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(times(normed(reals(x), s, reals(w)), reals(scale)), run.read<T>(3)));
  }
}

void rmsNormDual(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.size(), 7, -3, 3);
    run.input(0, x).output<float>(1, s.size()).input(2, epsAndColumns(s)).output<Bfloat>(3, s.size());
    ASSERT_TRUE(dispatchRows(run, s));
    const Reals expected = normed(reals(x), s);
    EXPECT_TRUE(near(expected, run.read<float>(1)));
    EXPECT_TRUE(same(allAs<Bfloat>(values(run.read<float>(1))), run.read<Bfloat>(3))); // the same, rounded
  }
}

void rmsNormDualPermuted(KernelRun &run) {
  const uint32_t heads = 3, tokens = 4;
  for (const uint32_t dim : {20u, 128u}) {
    const Shape s{heads * tokens, dim};
    const auto x = uniform<float>(s.size(), 8, -3, 3);
    run.input(0, x).output<float>(1, s.size()).input(2, epsAndColumns(s)).output<Bfloat>(3, s.size());
    run.input(4, std::vector<uint32_t>{heads, tokens});
    ASSERT_TRUE(dispatchRows(run, s));
    const std::vector<float> out = run.read<float>(1);
    EXPECT_TRUE(near(normed(reals(x), s), out));
    std::vector<Bfloat> permuted(s.size()); // [token, head, i] to [head, token, i]
    for (uint32_t t = 0; t < tokens; ++t)
      for (uint32_t h = 0; h < heads; ++h)
        for (uint32_t i = 0; i < dim; ++i)
          permuted[(h * tokens + t) * dim + i] = as<Bfloat>(out[(t * heads + h) * dim + i]);
    EXPECT_TRUE(same(permuted, run.read<Bfloat>(3)));
  }
}

void rmsNormTriple(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.size(), 9, -3, 3);
    run.input(0, x).input(7, epsAndColumns(s));
    for (uint32_t i = 0; i < 3; ++i)
      run.input(1 + i, uniform<float>(s.columns, 10 + i)).output<float>(4 + i, s.size());
    ASSERT_TRUE(dispatchRows(run, s));
    for (uint32_t i = 0; i < 3; ++i)
      EXPECT_TRUE(
          near(normed(reals(x), s, reals(uniform<float>(s.columns, 10 + i))), run.read<float>(4 + i)));
  }
}

struct EpsAndDim {
  float eps;
  uint32_t dim;
};

// One thread a row: with more, the kernel races. Every thread reads shared[0] for the first norm, and no
// barrier keeps thread 0 from storing its part of the second sum there before the others have read.
void postAttentionTripleNorm(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto hidden = uniform<float>(s.size(), 13), attention = uniform<float>(s.size(), 14, -3, 3);
    const auto w = uniform<float>(s.columns, 15, 0.5, 1.5);
    const Reals residual = plus(reals(hidden), normed(reals(attention), s, reals(w)));
    run.input(0, hidden).input(1, attention).input(2, w).output<float>(6, s.size());
    for (uint32_t i = 0; i < 3; ++i)
      run.input(3 + i, uniform<float>(s.columns, 16 + i)).output<float>(7 + i, s.size());
    run.bytes(10, EpsAndDim{kEps, s.columns}).threadgroupMemory(0, 16);
    ASSERT_TRUE(run.dispatchThreadgroups({s.rows}, {1}));
    EXPECT_TRUE(near(residual, run.read<float>(6)));
    for (uint32_t i = 0; i < 3; ++i)
      EXPECT_TRUE(
          near(normed(residual, s, reals(uniform<float>(s.columns, 16 + i))), run.read<float>(7 + i)));
  }
}

template <bool kWeight> void normAdd(KernelRun &run) {
  const uint32_t first = kWeight ? 3 : 2; // of output, dim, rows, eps
  for (const Shape s : kShapes) {
    const auto residual = uniform<Bfloat>(s.size(), 19), x = uniform<Bfloat>(s.size(), 20, -3, 3);
    const auto w = uniform<Bfloat>(s.columns, 21, 0.5, 1.5);
    run.input(0, residual).input(1, x).output<Bfloat>(first, s.size());
    if (kWeight)
      run.input(2, w);
    run.bytes(first + 1, s.columns).bytes(first + 2, s.rows).bytes(first + 3, kEps);
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(plus(reals(residual), normed(reals(x), s, kWeight ? reals(w) : Reals())),
                     run.read<Bfloat>(first)));
  }
}

void normGate(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.size(), 22, -3, 3), z = uniform<float>(s.size(), 23, -4, 4);
    const auto w = uniform<float>(s.columns, 24, 0.5, 1.5);
    Reals gate;
    for (const float v : z)
      gate.push_back(Real(v) * sigmoid(Real(v)));
    run.input(0, x).input(1, w).input(2, z).output<float>(3, s.size()).input(4, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(times(normed(reals(x), s, reals(w)), gate), run.read<float>(3)));
  }
}

template <class T> void l2Norm(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.size(), 25, -3, 3);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r) {
      const Reals xr = row(reals(x), r, s.columns);
      const Real inverse = rsqrt(dot(xr, xr) + Real(kEps));
      for (const Real &v : xr)
        expected.push_back(v * inverse);
    }
    run.output<T>(1, s.size()).input(0, x).input(2, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

ASSAY_ENTRY_POINTS(Norm, MlxNative,
                   ({{"rms_norm.metal", "rms_norm_f32", rmsNorm<float, float>},
                     {"rms_norm.metal", "rms_norm_f16", rmsNorm<Half, float>},
                     {"rms_norm.metal", "rms_norm_bf16", rmsNorm<Bfloat, Bfloat>},
                     {"rms_norm.metal", "rms_norm_no_scale_f32", rmsNormNoScale<float>},
                     {"rms_norm.metal", "rms_norm_no_scale_bf16", rmsNormNoScale<Bfloat>},
                     {"rms_norm.metal", "rms_norm_mul_f32", rmsNormMul<float, float>},
                     {"rms_norm.metal", "rms_norm_mul_f16", rmsNormMul<Half, float>},
                     {"rms_norm.metal", "rms_norm_mul_bf16", rmsNormMul<Bfloat, Bfloat>},
                     {"rms_norm.metal", "rms_norm_no_scale_f32_dual", rmsNormDual},
                     {"rms_norm.metal", "rms_norm_no_scale_f32_dual_perm", rmsNormDualPermuted},
                     {"rms_norm.metal", "rms_norm_f32_triple", rmsNormTriple},
                     {"rms_norm.metal", "fused_post_attn_triple_norm_f32", postAttentionTripleNorm},
                     {"fused_norm_add_bf16.metal", "fused_norm_add_bf16", normAdd<true>},
                     {"fused_norm_add_bf16.metal", "fused_norm_add_no_weight_bf16", normAdd<false>},
                     {"ssm_norm_gate.metal", "ssm_norm_gate_f32", normGate},
                     {"l2_norm.metal", "l2_norm_f32", l2Norm<float>},
                     {"l2_norm.metal", "l2_norm_f16", l2Norm<Half>},
                     {"l2_norm.metal", "l2_norm_bf16", l2Norm<Bfloat>}}));

// --- gradients: r = 1 / rms(x) is an input of both ---------------------------------------------------------

void rmsInverse(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.size(), 26, -3, 3);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r)
      expected.push_back(inverseRms(row(reals(x), r, s.columns), kEps));
    run.input(0, x).output<float>(1, s.rows).input(2, epsAndColumns(s));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<float>(1)));
  }
}

void rmsBackwardX(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.size(), 27, -3, 3), dy = uniform<float>(s.size(), 28);
    const auto w = uniform<float>(s.columns, 29, 0.5, 1.5), r = uniform<float>(s.rows, 30, 0.4, 0.9);
    Reals expected;
    for (uint32_t b = 0; b < s.rows; ++b) {
      const Reals xb = row(reals(x), b, s.columns), weighted = times(row(reals(dy), b, s.columns), reals(w));
      const Real rb(r[b]), coefficient = dot(weighted, xb) * rb * rb / Real(double(s.columns));
      for (uint32_t k = 0; k < s.columns; ++k)
        expected.push_back(rb * (weighted[k] - xb[k] * coefficient));
    }
    run.input(0, x).input(1, w).input(2, dy).input(3, r).output<float>(4, s.size());
    run.input(5, std::vector<float>{float(s.columns), 0});
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<float>(4)));
  }
}

void rmsBackwardWeight(KernelRun &run) {
  for (const Shape s : {Shape{1, 3}, {70, 5}, {300, 2}}) {
    const auto x = uniform<float>(s.size(), 31, -3, 3), dy = uniform<float>(s.size(), 32);
    const auto r = uniform<float>(s.rows, 33, 0.4, 0.9);
    Reals expected;
    for (uint32_t i = 0; i < s.columns; ++i) {
      Reals terms;
      for (uint32_t b = 0; b < s.rows; ++b)
        terms.push_back(Real(dy[b * s.columns + i]) * Real(x[b * s.columns + i]) * Real(r[b]));
      expected.push_back(sum(terms));
    }
    run.input(0, x).input(1, dy).input(2, r).output<float>(3, s.columns);
    run.input(4, std::vector<float>{float(s.columns), float(s.rows)});
    ASSERT_TRUE(dispatchRows(run, {0, s.rows}, s.columns)); // a threadgroup for each column
    EXPECT_TRUE(near(expected, run.read<float>(3)));
  }
}

ASSAY_ENTRY_POINTS(NormGradient, MlxNative,
                   ({{"rms_norm_backward.metal", "rms_norm_compute_rms_inv_f32", rmsInverse},
                     {"rms_norm_backward.metal", "rms_norm_backward_dx_f32", rmsBackwardX},
                     {"rms_norm_backward.metal", "rms_norm_backward_dw_f32", rmsBackwardWeight}}));

} // namespace
} // namespace assay::projects
