// mlx-native: what works along the rows of a matrix: sums, scans, sorts, selections, softmax, norms.
// One threadgroup a row, of min(256, next power of two) threads, with a float of threadgroup memory each.
// source: src/ops/{row_sum,argmax,argsort,top_k,cumsum,softmax,softmax_backward,scale_mask_softmax,
// softmax_sample}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

struct Shape {
  uint32_t rows, columns;
};
constexpr Shape kShapes[] = {{1, 1}, {3, 7}, {2, 64}, {2, 100}, {1, 700}};

uint32_t rowThreads(uint32_t columns) {
  return std::min(256u, nextPowerOfTwo(columns));
}

::testing::AssertionResult dispatchRows(KernelRun &run, Shape shape) {
  const uint32_t threads = rowThreads(shape.columns);
  run.threadgroupMemory(0, std::max(16u, threads * 4));
  return run.dispatchThreadgroups({shape.rows}, {threads});
}

std::vector<float> columnsOnly(uint32_t columns) {
  return {float(columns), 0};
}

// --- reductions -------------------------------------------------------------------------------------------

void rowSum(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<float>(s.rows * s.columns, 1);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r)
      expected.push_back(sum(row(reals(x), r, s.columns)));
    run.input(0, x).output<float>(1, s.rows).input(2, columnsOnly(s.columns));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<float>(1)));
  }
}

void rowSumBackward(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto gradient = uniform<float>(s.rows, 2);
    std::vector<float> expected;
    for (const float g : gradient)
      expected.insert(expected.end(), s.columns, g);
    run.input(0, gradient).output<float>(1, expected.size()).input(2, columnsOnly(s.columns));
    ASSERT_TRUE(run.dispatchThreadgroups({s.rows}, {rowThreads(s.columns)}));
    EXPECT_TRUE(same(expected, run.read<float>(1)));
  }
}

void argmax(KernelRun &run) {
  for (const uint32_t n : {1u, 33u, 1000u, 3000u}) {
    const auto x = distinct<float>(n, n);
    const auto largest = std::max_element(x.begin(), x.end());
    const uint32_t threads = std::min(1024u, nextPowerOfTwo(n));
    run.input(0, x).output<uint32_t>(1, 1).output<float>(2, 1).input(3, std::vector<uint32_t>{n});
    run.threadgroupMemory(0, std::max(16u, 4 * threads)).threadgroupMemory(1, std::max(16u, 4 * threads));
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {threads}));
    EXPECT_TRUE(same({uint32_t(largest - x.begin())}, run.read<uint32_t>(1)));
    EXPECT_TRUE(same({*largest}, run.read<float>(2)));
  }
}

// The k largest, in descending order as its selection loop finds them.
void topK(KernelRun &run) {
  for (const auto &[n, k] : {std::pair{40u, 5u}, {1000u, 64u}}) {
    const auto x = distinct<float>(n, n);
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return x[a] > x[b]; });
    order.resize(k);
    std::vector<float> largest;
    for (const uint32_t i : order)
      largest.push_back(x[i]);
    run.input(0, x).output<uint32_t>(1, k).output<float>(2, k).input(3, std::vector<uint32_t>{n, k});
    run.threadgroupMemory(0, 32 * k * 4).threadgroupMemory(1, 32 * k * 4);
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
    EXPECT_TRUE(same(order, run.read<uint32_t>(1)));
    EXPECT_TRUE(same(largest, run.read<float>(2)));
  }
}

ASSAY_ENTRY_POINTS(Reduction, MlxNative,
                   ({{"row_sum.metal", "row_sum_f32", rowSum},
                     {"row_sum.metal", "row_sum_backward_f32", rowSumBackward},
                     {"argmax.metal", "argmax_f32", argmax},
                     {"top_k.metal", "top_k_f32", topK}}));

// --- scans and sorts --------------------------------------------------------------------------------------

template <class T> void cumsum(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.rows * s.columns, 3);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r) {
      Reals prefix;
      for (const Real &v : row(reals(x), r, s.columns)) {
        prefix.push_back(v);
        expected.push_back(sum(prefix));
      }
    }
    run.output<T>(1, x.size()).input(0, x);
    run.input(2, std::vector<uint32_t>{s.columns, rowThreads(s.columns)});
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

struct ArgsortSizes {
  uint32_t rowLength, batch;
};

void argsortDescending(KernelRun &run) {
  for (const Shape s : {Shape{1, 1}, {3, 7}, {2, 128}, {3, 200}}) {
    std::vector<float> x;
    std::vector<uint32_t> expected;
    for (uint32_t r = 0; r < s.rows; ++r) {
      const auto values = distinct<float>(s.columns, r + 5);
      std::vector<uint32_t> order(s.columns);
      std::iota(order.begin(), order.end(), 0u);
      std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] > values[b]; });
      x.insert(x.end(), values.begin(), values.end());
      expected.insert(expected.end(), order.begin(), order.end());
    }
    run.input(0, x).output<uint32_t>(1, x.size()).bytes(2, ArgsortSizes{s.columns, s.rows});
    ASSERT_TRUE(run.dispatchThreadgroups({s.rows}, {rowThreads(s.columns)}));
    EXPECT_TRUE(same(expected, run.read<uint32_t>(1)));
  }
}

ASSAY_ENTRY_POINTS(ScanSort, MlxNative,
                   ({{"cumsum.metal", "cumsum_f32", cumsum<float>},
                     {"cumsum.metal", "cumsum_bf16", cumsum<Bfloat>},
                     {"argsort.metal", "argsort_desc_f32", argsortDescending}}));

// --- softmax ----------------------------------------------------------------------------------------------

template <class T> void softmaxRows(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto x = uniform<T>(s.rows * s.columns, 6, -9, 9);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r)
      append(expected, softmax<T>(row(reals(x), r, s.columns)));
    run.output<T>(1, x.size()).input(0, x).input(2, columnsOnly(s.columns));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

void softmaxBackward(KernelRun &run) {
  for (const Shape s : kShapes) {
    const auto y = uniform<float>(s.rows * s.columns, 7, 0, 1), dy = uniform<float>(y.size(), 8);
    Reals expected;
    for (uint32_t r = 0; r < s.rows; ++r) {
      const Reals yr = row(reals(y), r, s.columns), dyr = row(reals(dy), r, s.columns);
      const Real along = dot(yr, dyr);
      for (uint32_t i = 0; i < s.columns; ++i)
        expected.push_back(yr[i] * (dyr[i] - along));
    }
    run.input(0, y).input(1, dy).output<float>(2, y.size()).input(3, columnsOnly(s.columns));
    ASSERT_TRUE(dispatchRows(run, s));
    EXPECT_TRUE(near(expected, run.read<float>(2)));
  }
}

struct ScaleMaskSoftmax {
  uint32_t columns, queries;
  float scale;
  uint32_t padding;
};

// A mask of -infinity hides a key; a row without any key left is all zeros.
void scaleMaskSoftmax(KernelRun &run) {
  const float scale = 0.125f;
  const uint32_t heads = 2, queries = 3;
  for (const uint32_t keys : {5u, 64u, 300u})
    for (const uint32_t threads : {32u, 256u}) {
      const auto x = uniform<float>(heads * queries * keys, 9, -40, 40);
      std::vector<Bfloat> mask(queries * keys, as<Bfloat>(0));
      for (uint32_t q = 0; q < queries; ++q)
        for (uint32_t k = keys / 2 + q; k < keys; ++k)
          mask[q * keys + k] = as<Bfloat>(-INFINITY);
      Reals expected;
      for (uint32_t r = 0; r < heads * queries; ++r) {
        Reals scores = row(reals(x), r, keys);
        for (uint32_t k = 0; k < keys; ++k) {
          const double hidden = value(mask[r % queries * keys + k]);
          scores[k] = hidden == 0 ? scores[k] * Real(scale) + Real(0) : Real(hidden);
        }
        append(expected, softmax(scores));
      }
      run.input(0, x).output<float>(1, x.size()).input(2, mask);
      run.bytes(3, ScaleMaskSoftmax{keys, queries, scale, 0}).threadgroupMemory(0, 32 * 4);
      ASSERT_TRUE(run.dispatchThreadgroups({heads * queries}, {threads}));
      EXPECT_TRUE(near(expected, run.read<float>(1)));
    }
}

// The first token at which the summed probability reaches the random number. The numbers are chosen midway
// inside a token's share, so that no rounding decides.
void softmaxSample(KernelRun &run) {
  const uint32_t n = 100, threads = 128;
  const float temperature = 0.7f;
  const auto logits = uniform<float>(n, 10, -3, 3);
  Reals scaled;
  for (const float x : logits)
    scaled.push_back(Real(x) * (Real(1) / Real(temperature)));
  const Reals p = softmax(scaled);
  double before = 0;
  for (uint32_t token = 0; token < n; before += p[token++].value) {
    if (token % 13 != 0)
      continue;
    const float random = float(before + p[token].value / 2);
    run.input(0, logits).output<float>(1, n).output<uint32_t>(2, 1).output<float>(3, 1);
    run.input(4, std::vector<float>{float(n), temperature, random}).threadgroupMemory(0, threads * 4);
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {threads}));
    EXPECT_TRUE(same({token}, run.read<uint32_t>(2))) << random;
    EXPECT_TRUE(near(p, run.read<float>(1)));
    EXPECT_TRUE(near({log(p[token])}, run.read<float>(3)));
  }
}

ASSAY_ENTRY_POINTS(Softmax, MlxNative,
                   ({{"softmax.metal", "softmax_f32", softmaxRows<float>},
                     {"softmax.metal", "softmax_f16", softmaxRows<Half>},
                     {"softmax.metal", "softmax_bf16", softmaxRows<Bfloat>},
                     {"softmax_backward.metal", "softmax_backward_f32", softmaxBackward},
                     {"scale_mask_softmax.metal", "scale_mask_softmax_f32", scaleMaskSoftmax},
                     {"softmax_sample.metal", "softmax_sample_f32", softmaxSample}}));

} // namespace
} // namespace assay::projects
