// MLX: element by element. `v_` kernels take one element a thread, `vn_` ones as many as fit in 8 bytes, `g`
// kernels follow strides.
// source: mlx/backend/metal/{unary,binary,ternary,copy,primitives}.cpp and backend/common/utils.cpp
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

constexpr uint32_t kCounts[] = {1, 7, 130};

template <class T> constexpr uint32_t kPerThread = 8 / sizeof(T);

/// One thread for each element, or for each 8 bytes of them.
template <class T>::testing::AssertionResult dispatch(KernelRun &run, bool wide, uint32_t n) {
  const uint32_t threads = wide ? (n + kPerThread<T> - 1) / kPerThread<T> : n;
  return run.dispatchThreads({threads}, {std::min(threads, 1024u)});
}

// --- unary ------------------------------------------------------------------------------------------------

using Function = Real (*)(Real);

/// A function that is correct within `ulps` of a float.
template <double (*kFunction)(double), int kUlps> Real within(Real x) {
  const double y = kFunction(x.value);
  return rounded(y, 0, kUlps * kUlp);
}

/// low, high   of the arguments
template <class T> Judge unary(bool wide, Function reference, double low, double high) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto x = uniform<T>(n, n, low, high);
      Reals expected;
      for (const T v : x)
        expected.push_back(reference(value(v)));
      run.output<T>(1, n).input(0, x).bytes(2, n);
      ASSERT_TRUE(dispatch<T>(run, wide, n));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
  };
}

/// Exact: `reference` gives the result's bits.
template <class T, class U> Judge unaryExact(bool wide, U (*reference)(T)) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto x = kIsFloat<T> ? uniform<T>(n, n, -9, 9) : anyBits<T>(n, n);
      std::vector<U> expected;
      for (const T v : x)
        expected.push_back(reference(v));
      run.output<U>(1, n).input(0, x).bytes(2, n);
      ASSERT_TRUE(dispatch<U>(run, wide, n));
      EXPECT_TRUE(same(expected, run.read<U>(1)));
    }
  };
}

double sign(double x) {
  return double(x > 0) - double(x < 0);
}
template <class T, double (*kFunction)(double)> T rounding(T x) {
  return as<T>(kFunction(value(x)));
}
double negated(double x) {
  return -x;
}
double squared(double x) {
  return x * x;
}
template <class T> T inverted(T x) {
  return T(~x);
}
int32_t magnitude(int32_t x) {
  return int32_t(x < 0 ? 0u - uint32_t(x) : uint32_t(x));
}

// MLX brings its own expm1. It reduces the argument by j ln 2, of which it has the high half alone: j *
// 1.43e-6 are missing, where its comment promises an error below 1 ulp.
// erf is -expm1 of a polynomial past 0.9277.
Real expm1(Real x) {
  const double y = std::expm1(x.value), j = std::round(x.value / M_LN2);
  return rounded(y, std::fabs(j) * 1.43e-6 * (1 + y), 2 * kUlp);
}
Real erf(Real x) {
  return rounded(std::erf(x.value), std::fabs(x.value) > 0.927 ? 7.6e-7 : 0, 2 * kUlp);
}

// Its inverse is a polynomial of a logarithm, good to 2.4 ulp; a factor of 3 for the error of the logarithm.
double erfInverse(double y) { // Newton's method on erf
  double x = 0;
  for (int i = 0; i < 60; ++i)
    x -= (std::erf(x) - y) / (M_2_SQRTPI * std::exp(-x * x));
  return x;
}

// The same through a shape of three dimensions with strides: what is contiguous comes out.
struct Strided {
  static constexpr int32_t shape[3] = {3, 4, 5};
  static constexpr int64_t strides[3] = {1, 18, 3}; // of the input, in elements
  static constexpr uint32_t size = 60, extent = 2 + 3 * 18 + 4 * 3 + 1;
};

template <class T> std::vector<T> gathered(const std::vector<T> &x) {
  std::vector<T> out;
  for (int a = 0; a < Strided::shape[0]; ++a)
    for (int b = 0; b < Strided::shape[1]; ++b)
      for (int c = 0; c < Strided::shape[2]; ++c)
        out.push_back(x[a * Strided::strides[0] + b * Strided::strides[1] + c * Strided::strides[2]]);
  return out;
}

const std::vector<int32_t> kShape(Strided::shape, Strided::shape + 3);
const std::vector<int64_t> kStrides(Strided::strides, Strided::strides + 3);

void absStrided(KernelRun &run) {
  const auto x = uniform<float>(Strided::extent, 1);
  std::vector<float> expected = gathered(x);
  for (float &v : expected)
    v = std::fabs(v);
  run.input(0, x).output<float>(1, Strided::size).input(2, kShape).input(3, kStrides).bytes(4, int32_t(3));
  ASSERT_TRUE(run.dispatchThreads({5, 4, 3}, {4, 4, 2}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

// E4M3: 8 bits, no infinities, saturating at 448.
double fp8(uint8_t bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 10) : std::ldexp(mantissa, -9);
  return bits & 128 ? -magnitude : magnitude;
}
void fromFp8(KernelRun &run) {
  std::vector<uint8_t> codes;
  std::vector<float> expected;
  for (uint32_t i = 0; i < 256; ++i)
    if ((i & 127) != 127) { // the NaN
      codes.push_back(uint8_t(i));
      expected.push_back(float(fp8(uint8_t(i))));
    }
  run.input(0, codes).output<float>(1, codes.size()).bytes(2, uint32_t(codes.size()));
  ASSERT_TRUE(run.dispatchThreads({codes.size()}, {codes.size()}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}
void toFp8(KernelRun &run) {
  auto x = uniform<float>(400, 2, -1, 1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], int(i % 22) - 10); // from under the smallest to over the largest
  std::vector<uint8_t> expected;
  for (const float v : x) { // the nearest code, the even one of two
    uint8_t best = 0;
    for (uint8_t code = 0; code < 127; ++code) {
      const double closer = std::fabs(fp8(best) - std::fabs(v)) - std::fabs(fp8(code) - std::fabs(v));
      if (closer > 0 || (closer == 0 && code % 2 == 0))
        best = code;
    }
    expected.push_back(best | (std::signbit(v) ? 128 : 0));
  }
  run.input(0, x).output<uint8_t>(1, x.size()).bytes(2, uint32_t(x.size()));
  ASSERT_TRUE(run.dispatchThreads({x.size()}, {x.size()}));
  EXPECT_TRUE(same(expected, run.read<uint8_t>(1)));
}

ASSAY_ENTRY_POINTS(
    Unary, Mlx,
    ({{"unary.metal", "v_Expfloat32float32",
       unary<float>(
           false, [](Real x) { return exp(x); }, -20, 20)},
      {"unary.metal", "vn_Expfloat16float16",
       unary<Half>(
           true, [](Real x) { return exp(x); }, -8, 8)},
      {"unary.metal", "vn_Expbfloat16bfloat16",
       unary<Bfloat>(
           true, [](Real x) { return exp(x); }, -8, 8)},
      {"unary.metal", "vn_Logfloat32float32", unary<float>(true, within<std::log, 4>, 0.01, 90)},
      {"unary.metal", "v_Sqrtfloat16float16", unary<Half>(false, within<std::sqrt, 1>, 0, 90)},
      {"unary.metal", "vn_Rsqrtbfloat16bfloat16",
       unary<Bfloat>(
           true, [](Real x) { return rsqrt(x); }, 0.01, 90)},
      {"unary.metal", "vn_Sinfloat32float32",
       unary<float>(
           true, [](Real x) { return sin(x); }, -50, 50)},
      {"unary.metal", "v_Tanfloat32float32", unary<float>(false, within<std::tan, 6>, -1.5, 1.5)},
      {"unary.metal", "v_Tanhfloat32float32", unary<float>(false, within<std::tanh, 5>, -5, 5)},
      {"unary.metal", "v_ArcSinhfloat32float32", unary<float>(false, within<std::asinh, 5>, -9, 9)},
      {"unary.metal", "vn_Sigmoidfloat32float32",
       unary<float>(
           true, [](Real x) { return sigmoid(x); }, -9, 9)},
      {"unary.metal", "v_Erffloat32float32", unary<float>(false, erf, -4, 4)},
      {"unary.metal", "v_ErfInvfloat32float32", unary<float>(false, within<erfInverse, 8>, -0.98, 0.98)},
      {"unary.metal", "v_Expm1float32float32", unary<float>(false, expm1, -3, 3)},
      {"unary.metal", "v_Log1pfloat32float32", unary<float>(false, within<std::log1p, 5>, -0.5, 5)},
      {"unary.metal", "vn_Roundfloat32float32",
       unaryExact<float, float>(true, rounding<float, std::nearbyint>)},
      {"unary.metal", "vn_Floorfloat16float16", unaryExact<Half, Half>(true, rounding<Half, std::floor>)},
      {"unary.metal", "v_Negativebfloat16bfloat16",
       unaryExact<Bfloat, Bfloat>(false, rounding<Bfloat, negated>)},
      {"unary.metal", "vn_Squarefloat16float16", unaryExact<Half, Half>(true, rounding<Half, squared>)},
      {"unary.metal", "v_Signfloat32float32", unaryExact<float, float>(false, rounding<float, sign>)},
      {"unary.metal", "vn_Absint32int32", unaryExact<int32_t, int32_t>(true, magnitude)},
      {"unary.metal", "vn_BitwiseInvertuint8uint8", unaryExact<uint8_t, uint8_t>(true, inverted<uint8_t>)},
      {"unary.metal", "v_BitwiseInvertint64int64", unaryExact<int64_t, int64_t>(false, inverted<int64_t>)},
      {"unary.metal", "gn1_Absfloat32float32", absStrided},
      {"unary.metal", "v_FromFP8uint8float32", fromFp8},
      {"unary.metal", "v_ToFP8float32uint8", toFp8}}));

// --- binary -----------------------------------------------------------------------------------------------

enum class Operands { VectorVector, ScalarVector, VectorScalar };

template <class T, class U> Judge binary(Operands operands, bool wide, U (*reference)(T, T)) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      auto a = kIsFloat<T> ? uniform<T>(n, n, -9, 9) : anyBits<T>(n, n);
      auto b = kIsFloat<T> ? uniform<T>(n, n + 1, -9, 9) : anyBits<T>(n, n + 1);
      for (uint32_t i = 0; i < n; i += 3)
        b[i] = a[i]; // some that are equal
      std::vector<U> expected;
      for (uint32_t i = 0; i < n; ++i)
        expected.push_back(reference(a[operands == Operands::ScalarVector ? 0 : i],
                                     b[operands == Operands::VectorScalar ? 0 : i]));
      run.output<U>(2, n).input(0, a).input(1, b).bytes(3, n);
      ASSERT_TRUE(dispatch<T>(run, wide, n));
      EXPECT_TRUE(same(expected, run.read<U>(2)));
    }
  };
}

template <class T> T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return as<T>(value(a) + value(b));
}
template <class T> T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return as<T>(value(a) * value(b));
}
template <class T> T over(T a, T b) {
  return as<T>(value(a) / value(b));
}
template <class T> uint8_t less(T a, T b) {
  return a < b;
} // bool, a byte in memory
template <class T> T larger(T a, T b) {
  return value(a) > value(b) ? a : b;
}
template <class T> T either(T a, T b) {
  return a | b;
}
// The sign of the divisor, as in Python; of what overflows or divides by zero there is none here.
int32_t remainder(int32_t a, int32_t b) {
  const int64_t r = int64_t(a) % b;
  return int32_t(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}

Judge binaryNear(Real (*reference)(Real, Real), double low, double high) {
  return [=](KernelRun &run) {
    for (const uint32_t n : kCounts) {
      const auto a = uniform<float>(n, n, low, high), b = uniform<float>(n, n + 1, low, high);
      Reals expected;
      for (uint32_t i = 0; i < n; ++i)
        expected.push_back(reference(a[i], b[i]));
      run.input(0, a).input(1, b).output<float>(2, n).bytes(3, n);
      ASSERT_TRUE(dispatch<float>(run, false, n));
      EXPECT_TRUE(near(expected, run.read<float>(2)));
    }
  };
}
Real power(Real a, Real b) {
  return rounded(std::pow(a.value, b.value), 0, 16 * kUlp);
}
Real arcTangent(Real a, Real b) {
  return rounded(std::atan2(a.value, b.value), 0, 6 * kUlp);
}
Real logAddExp(Real a, Real b) {
  const Real high = a.value > b.value ? a : b, low = a.value > b.value ? b : a;
  return high + log(Real(1) + exp(low - high));
}

void addStrided(KernelRun &run) {
  const auto a = uniform<float>(Strided::extent, 3), b = uniform<float>(Strided::size, 4);
  std::vector<float> expected = gathered(a);
  for (uint32_t i = 0; i < Strided::size; ++i)
    expected[i] += b[i];
  run.input(0, a).input(1, b).output<float>(2, Strided::size);
  run.input(3, kStrides).input(4, std::vector<int64_t>{20, 5, 1});
  ASSERT_TRUE(run.dispatchThreads({5, 4, 3}, {4, 4, 2}));
  EXPECT_TRUE(same(expected, run.read<float>(2)));
}

ASSAY_ENTRY_POINTS(
    Binary, Mlx,
    ({{"binary.metal", "vvn_Addfloat16", binary<Half, Half>(Operands::VectorVector, true, plus)},
      {"binary.metal", "vvn_Addint32", binary<int32_t, int32_t>(Operands::VectorVector, true, plus)},
      {"binary.metal", "svn_Addfloat32", binary<float, float>(Operands::ScalarVector, true, plus)},
      {"binary.metal", "vsn_Multiplybfloat16", binary<Bfloat, Bfloat>(Operands::VectorScalar, true, times)},
      {"binary.metal", "vvn_Multiplyuint8", binary<uint8_t, uint8_t>(Operands::VectorVector, true, times)},
      {"binary.metal", "vvn_Dividefloat32", binary<float, float>(Operands::VectorVector, true, over)},
      {"binary.metal", "vvn_Lessfloat32", binary<float, uint8_t>(Operands::VectorVector, true, less)},
      {"binary.metal", "vv_Lessint64", binary<int64_t, uint8_t>(Operands::VectorVector, false, less)},
      {"binary.metal", "vvn_Maximumfloat32", binary<float, float>(Operands::VectorVector, true, larger)},
      {"binary.metal", "vvn_BitwiseOruint16",
       binary<uint16_t, uint16_t>(Operands::VectorVector, true, either)},
      {"binary.metal", "vvn_Remainderint32",
       binary<int32_t, int32_t>(Operands::VectorVector, true, remainder)},
      {"binary.metal", "vv_Powerfloat32", binaryNear(power, 0.1, 5)},
      {"binary.metal", "vv_ArcTan2float32", binaryNear(arcTangent, -3, 3)},
      {"binary.metal", "vv_LogAddExpfloat32", binaryNear(logAddExp, -9, 9)},
      {"binary.metal", "g3_Addfloat32", addStrided}}));

// --- select, ranges, copies --------------------------------------------------------------------------------

template <class T> void select(KernelRun &run) {
  for (const uint32_t n : kCounts) {
    const auto a = anyBits<T>(n, 5), b = anyBits<T>(n, 6);
    const auto condition = below(2, n, 7);
    std::vector<T> expected;
    for (uint32_t i = 0; i < n; ++i)
      expected.push_back(condition[i] ? a[i] : b[i]);
    run.output<T>(3, n).input(0, std::vector<uint8_t>(condition.begin(), condition.end()));
    run.input(1, a).input(2, b).bytes(4, n);
    ASSERT_TRUE(dispatch<T>(run, true, n));
    EXPECT_TRUE(same(expected, run.read<T>(3)));
  }
}

template <class T> void arange(KernelRun &run) { // exact: small multiples of 1/4
  const T start = as<T>(3), step = as<T>(kIsFloat<T> ? -0.25 : 2);
  std::vector<T> expected;
  for (uint32_t i = 0; i < 100; ++i)
    expected.push_back(as<T>(value(start) + i * value(step)));
  run.output<T>(2, expected.size()).bytes(0, start).bytes(1, step);
  ASSERT_TRUE(run.dispatchThreads({expected.size()}, {expected.size()}));
  EXPECT_TRUE(same(expected, run.read<T>(2)));
}

template <class From, class To> void copyCast(KernelRun &run) {
  for (const uint32_t n : kCounts) {
    const auto x = std::is_same_v<From, To> ? anyBits<From>(n, 8) : uniform<From>(n, 8, -100, 100);
    std::vector<To> expected;
    for (const From v : x)
      if constexpr (std::is_same_v<From, To>)
        expected.push_back(v);
      else
        expected.push_back(as<To>(kIsFloat<To> ? value(v) : std::trunc(value(v))));
    run.output<To>(1, n).input(0, x).bytes(2, n);
    ASSERT_TRUE(dispatch<To>(run, true, n));
    EXPECT_TRUE(same(expected, run.read<To>(1)));
  }
}

void copyToBool(KernelRun &run) {
  auto x = uniform<Bfloat>(100, 13);
  for (size_t i = 0; i < x.size(); i += 3)
    x[i] = as<Bfloat>(i % 2 ? 0.0 : -0.0);
  std::vector<uint8_t> expected;
  for (const Bfloat v : x)
    expected.push_back(value(v) != 0);
  run.input(0, x).output<uint8_t>(1, x.size()).bytes(2, uint32_t(x.size()));
  ASSERT_TRUE(dispatch<uint8_t>(run, true, uint32_t(x.size())));
  EXPECT_TRUE(same(expected, run.read<uint8_t>(1)));
}

void copyScalar(KernelRun &run) {
  const float x = -1.625f;
  run.input(0, std::vector<float>{x}).output<float>(1, 7).bytes(2, 7u);
  ASSERT_TRUE(run.dispatchThreads({4}, {4}));
  EXPECT_TRUE(same(std::vector<float>(7, x), run.read<float>(1)));
}

template <class T> void copyStrided(KernelRun &run) {
  const auto x = anyBits<T>(Strided::extent, 9);
  run.output<T>(1, Strided::size).input(0, x).input(3, kStrides);
  ASSERT_TRUE(run.dispatchThreads({5, 4, 3}, {4, 4, 2}));
  EXPECT_TRUE(same(gathered(x), run.read<T>(1)));
}

// Four dimensions, two elements a thread: [2, 3, 4, 5] with the axes reversed in memory.
void copyManyDimensions(KernelRun &run) {
  const std::vector<int32_t> shape{2, 3, 4, 5};
  const std::vector<int64_t> strides{1, 2, 6, 24};
  const auto x = anyBits<Half>(120, 10);
  std::vector<Half> expected;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c)
        for (int d = 0; d < 5; ++d)
          expected.push_back(x[a + 2 * b + 6 * c + 24 * d]);
  run.input(0, x).output<Half>(1, 120).input(2, shape).input(3, strides).bytes(5, int32_t(4));
  ASSERT_TRUE(run.dispatchThreads({3, 4, 6}, {2, 4, 4}));
  EXPECT_TRUE(same(expected, run.read<Half>(1)));
}

// From strides to strides: what lies between the elements of the destination stays.
void copyBothStrided(KernelRun &run) {
  const auto x = anyBits<float>(20, 11), before = anyBits<float>(60, 12);
  const std::vector<int64_t> from{1, 4}, to{12, 2}; // of [4, 5]
  auto expected = before;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 5; ++b)
      expected[a * to[0] + b * to[1]] = x[a * from[0] + b * from[1]];
  run.input(0, x).inout(1, before).input(3, from).input(4, to);
  ASSERT_TRUE(run.dispatchThreads({5, 4}, {4, 4}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

ASSAY_ENTRY_POINTS(SelectRangeCopy, Mlx,
                   ({{"ternary.metal", "vn_Selectfloat16", select<Half>},
                     {"ternary.metal", "v_Selectint64", select<int64_t>},
                     {"arange.metal", "arangefloat32", arange<float>},
                     {"arange.metal", "arangebfloat16", arange<Bfloat>},
                     {"arange.metal", "arangeint16", arange<int16_t>},
                     {"copy.metal", "vn_copyfloat32float16", copyCast<float, Half>},
                     {"copy.metal", "vn_copyfloat32int32", copyCast<float, int32_t>},
                     {"copy.metal", "vn_copyint32bfloat16", copyCast<int32_t, Bfloat>},
                     {"copy.metal", "vn_copybfloat16bool_", copyToBool},
                     {"copy.metal", "vn_copyfloat16float16", copyCast<Half, Half>},
                     {"copy.metal", "sn_copyfloat32float32", copyScalar},
                     {"copy.metal", "g3_copyfloat32float32", copyStrided<float>},
                     {"copy.metal", "gn2_copyfloat16float16", copyManyDimensions},
                     {"copy.metal", "gg2_copyfloat32float32", copyBothStrided}}));

} // namespace
} // namespace assay::projects
