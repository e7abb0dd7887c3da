// mlx-native: sums, products, conversions and activations, element by element.
// source:
// src/ops/{elementwise,gelu,softcap,silu_mul,silu_backward,sigmoid_mul,log_elementwise,compute_g_beta}.rs
#include "entry_point.h"

namespace assay::projects {
namespace {

constexpr uint32_t kCounts[] = {1, 31, 300};
constexpr Size kThreads{64};

struct ScalarMul {
  float scalar;
  uint32_t count;
};

// --- exact: one rounding at most, or two that are written out ---------------------------------------------

template <class T, class Rounded> std::function<void(KernelRun &)> binary(Rounded reference) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto a = uniform<T>(n, 1, -8, 8), b = uniform<T>(n, 2, -8, 8);
      std::vector<T> expected(n);
      for (uint32_t i = 0; i < n; ++i)
        expected[i] = as<T>(reference(value(a[i]), value(b[i])));
      run.output<T>(2, n).input(0, a).input(1, b).bytes(3, n);
      ASSERT_TRUE(run.dispatchThreads({(n + 63) / 64 * 64}, kThreads));
      EXPECT_TRUE(same(expected, run.read<T>(2)));
    }
  };
}

double plus(double a, double b) {
  return a + b;
}
double times(double a, double b) {
  return a * b;
}
// The bfloat kernels compute in float.
double plusInFloat(double a, double b) {
  return roundTo<float>(a + b);
}
double timesInFloat(double a, double b) {
  return roundTo<float>(a * b);
}

template <class From, class To> void cast(KernelRun &run) {
  for (const uint32_t n : kCounts) {
    auto in = uniform<From>(n, 3, -70000, 70000); // past the largest half
    for (uint32_t i = 0; i < n; i += 2)
      in[i] = as<From>(value(in[i]) * 1e-9); // and below its smallest
    std::vector<To> expected(n);
    for (uint32_t i = 0; i < n; ++i)
      expected[i] = as<To>(value(in[i]));
    run.output<To>(1, n).input(0, in).bytes(2, n);
    ASSERT_TRUE(run.dispatchThreads({(n + 63) / 64 * 64}, kThreads));
    EXPECT_TRUE(same(expected, run.read<To>(1)));
  }
}

template <class T> void scalarMul(KernelRun &run) {
  for (const uint32_t n : kCounts) {
    const auto in = uniform<T>(n, 4);
    const float scalar = 1.7f;
    std::vector<T> expected(n);
    for (uint32_t i = 0; i < n; ++i)
      expected[i] = as<T>(roundTo<float>(value(in[i]) * scalar));
    run.output<T>(1, n).input(0, in).bytes(2, ScalarMul{scalar, n});
    ASSERT_TRUE(run.dispatchThreads({(n + 63) / 64 * 64}, kThreads));
    EXPECT_TRUE(same(expected, run.read<T>(1)));
  }
}

ASSAY_ENTRY_POINTS(Elementwise, MlxNative,
                   ({{"elementwise.metal", "elementwise_add_f32", binary<float>(plus)},
                     {"elementwise.metal", "elementwise_add_f16", binary<Half>(plus)},
                     {"elementwise.metal", "elementwise_add_bf16", binary<Bfloat>(plusInFloat)},
                     {"elementwise.metal", "elementwise_mul_f32", binary<float>(times)},
                     {"elementwise.metal", "elementwise_mul_f16", binary<Half>(times)},
                     {"elementwise.metal", "elementwise_mul_bf16", binary<Bfloat>(timesInFloat)},
                     {"elementwise.metal", "cast_f16_to_f32", cast<Half, float>},
                     {"elementwise.metal", "cast_f32_to_f16", cast<float, Half>},
                     {"elementwise.metal", "cast_bf16_to_f32", cast<Bfloat, float>},
                     {"elementwise.metal", "cast_f32_to_bf16", cast<float, Bfloat>},
                     {"elementwise.metal", "scalar_mul_f32", scalarMul<float>},
                     {"elementwise.metal", "scalar_mul_bf16", scalarMul<Bfloat>}}));

// --- activations: within the error of their operations ----------------------------------------------------

using Function = Real (*)(Real);
using Function2 = Real (*)(Real, Real);

Real gelu(Real x) { // the tanh form; the argument is clamped where tanh is 1 in float
  const Real inner = Real(0.7978845608028654, 0x1p-25) * (x + Real(0.044715, 0x1p-29) * (x * x * x));
  return Real(0.5) * x * (Real(1) + tanh(Real(std::clamp(inner.value, -15.0, 15.0), inner.error)));
}
constexpr float kCap = 30;
Real softcap(Real x) {
  return tanh(x / Real(kCap)) * Real(kCap);
}
Real silu(Real x) {
  return x * sigmoid(x);
}
Real siluGradient(Real x, Real dy) {
  const Real s = sigmoid(x);
  return dy * (s * (Real(1) + x * (Real(1) - s)));
}
Real siluMul(Real gate, Real up) {
  return silu(gate) * up;
}
Real sigmoidMul(Real x, Real gate) {
  return x * sigmoid(gate);
}
Real logGradient(Real x, Real dy) {
  return dy / x;
}

/// Arguments 0 input, 1 output, then what `parameters` binds.
template <class T>
std::function<void(KernelRun &)> unary(Function reference, double low, double high,
                                       void (*parameters)(KernelRun &, uint32_t n), bool whole = false) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto in = uniform<T>(n, 5, low, high);
      std::vector<Real> expected;
      for (const T x : in)
        expected.push_back(reference(value(x)));
      run.output<T>(1, n).input(0, in);
      parameters(run, n);
      ASSERT_TRUE(run.dispatchThreads({whole ? (n + 63) / 64 * 64 : n}, kThreads));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
  };
}

template <class T>
std::function<void(KernelRun &)> binaryNear(Function2 reference, double low, double high, bool counted) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto a = uniform<T>(n, 6, low, high), b = uniform<T>(n, 7, low, high);
      std::vector<Real> expected;
      for (uint32_t i = 0; i < n; ++i)
        expected.push_back(reference(value(a[i]), value(b[i])));
      run.output<T>(2, n).input(0, a).input(1, b);
      if (counted)
        run.bytes(3, n);
      ASSERT_TRUE(run.dispatchThreads({counted ? (n + 63) / 64 * 64 : n}, kThreads));
      EXPECT_TRUE(near(expected, run.read<T>(2)));
    }
  };
}

void nothing(KernelRun &, uint32_t) {}
void count(KernelRun &run, uint32_t n) {
  run.bytes(2, n);
}
void capAndCount(KernelRun &run, uint32_t n) { // the count travels as the bits of a float
  run.input(2, std::vector<uint32_t>{std::bit_cast<uint32_t>(kCap), n});
}

void computeGBeta(KernelRun &run) {
  for (const uint32_t tokens : {1u, 7u}) {
    const uint32_t heads = 6, n = tokens * heads;
    auto alpha = uniform<float>(n, 8, -8, 8);
    alpha[0] = 25, alpha[1] = -25; // softplus is x, and 0
    const auto logit = uniform<float>(n, 9, -6, 6);
    const auto bias = uniform<float>(heads, 10, -0.5, 0.5), a = uniform<float>(heads, 11, -4, -1);
    std::vector<Real> g, beta;
    for (uint32_t i = 0; i < n; ++i) {
      const Real x = Real(alpha[i]) + Real(bias[i % heads]);
      const Real softplus = x.value > 20 ? x : x.value < -20 ? Real(0) : log(Real(1) + exp(x));
      g.push_back(softplus * Real(-a[i % heads]));
      beta.push_back(sigmoid(Real(logit[i])));
    }
    run.input(0, alpha).input(1, logit).input(2, bias).input(3, a).output<float>(4, n).output<float>(5, n);
    run.input(6, std::vector<uint32_t>{heads, tokens});
    ASSERT_TRUE(run.dispatchThreads({64}, kThreads));
    EXPECT_TRUE(near(g, run.read<float>(4)));
    EXPECT_TRUE(near(beta, run.read<float>(5)));
  }
}

ASSAY_ENTRY_POINTS(
    Activation, MlxNative,
    ({{"gelu.metal", "gelu_f32", unary<float>(gelu, -6, 6, nothing)},
      {"gelu.metal", "gelu_f16", unary<Half>(gelu, -6, 6, nothing)},
      {"gelu.metal", "gelu_bf16", unary<Bfloat>(gelu, -6, 6, nothing)},
      {"softcap.metal", "softcap_f32", unary<float>(softcap, -90, 90, capAndCount, true)},
      {"softcap.metal", "softcap_f16", unary<Half>(softcap, -90, 90, capAndCount, true)},
      {"softcap.metal", "softcap_bf16", unary<Bfloat>(softcap, -90, 90, capAndCount, true)},
      {"silu_backward.metal", "silu_f32", unary<float>(silu, -10, 10, count, true)},
      {"silu_backward.metal", "silu_backward_f32", binaryNear<float>(siluGradient, -5, 5, true)},
      {"silu_mul.metal", "silu_mul_f32", binaryNear<float>(siluMul, -5, 5, true)},
      {"sigmoid_mul.metal", "sigmoid_mul_f32", binaryNear<float>(sigmoidMul, -5, 5, true)},
      {"sigmoid_mul.metal", "sigmoid_mul_bf16", binaryNear<Bfloat>(sigmoidMul, -5, 5, true)},
      {"log_elementwise.metal", "log_f32", unary<float>([](Real x) { return log(x); }, 0.01, 50, nothing)},
      {"log_elementwise.metal", "log_backward_f32", binaryNear<float>(logGradient, 0.5, 5, false)},
      {"compute_g_beta.metal", "compute_g_beta_f32", computeGBeta}}));

} // namespace
} // namespace assay::projects
