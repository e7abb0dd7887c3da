// MLX: reductions over everything, over rows and over columns, of every kind of operation,
// and arg-reductions.
// source: mlx/backend/metal/{reduce,primitives}.cpp;
// a reduction's shape travels as sizes and strides in elements
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

enum class Op { Sum, Prod, Min, Max, And, Or };

/// Integers that T holds, small enough to multiply; or numbers.
template <class T> std::vector<T> data(Op op, size_t count, uint64_t seed) {
  if constexpr (kIsFloat<T>)
    return uniform<T>(count, seed, op == Op::Prod ? 0.9 : -1, op == Op::Prod ? 1.1 : 1);
  auto x = anyBits<T>(count, seed);
  if (op == Op::And || op == Op::Or) // mostly what does not decide
    for (size_t i = 0; i < count; ++i)
      x[i] = T((op == Op::And) == (i % 97 != 3));
  return x;
}

template <class T> T smaller(T a, T b) {
  return value(a) < value(b) ? a : b;
}
template <class T> T larger(T a, T b) {
  return value(a) < value(b) ? b : a;
}

/// In the type U, wrapping: what integers do in any order.
template <class T, class U> U folded(Op op, const std::vector<T> &x) {
  U result = op == Op::Prod || op == Op::And ? as<U>(1) : op == Op::Sum || op == Op::Or ? as<U>(0) : U(x[0]);
  for (const T &v : x)
    switch (op) {
    case Op::Min: result = smaller(result, U(v)); break;
    case Op::Max: result = larger(result, U(v)); break;
    default:
      if constexpr (std::is_integral_v<U>)
        result = op == Op::Sum    ? U(uint64_t(result) + uint64_t(U(v)))
                 : op == Op::Prod ? U(uint64_t(result) * uint64_t(U(v)))
                 : op == Op::And  ? U(result && v)
                                  : U(result || v);
    }
  return result;
}

/// Float products: as many roundings as factors.
inline Real product(const Reals &x) {
  double p = 1;
  for (const Real &v : x)
    p *= v.value;
  return rounded(p, 0, double(x.size()) * kUnit<float>);
}

template <class T, class U>
void expectReduced(Op op, const std::vector<std::vector<T>> &groups, const std::vector<U> &actual) {
  if constexpr (std::is_same_v<U, float>)
    if (op == Op::Sum || op == Op::Prod) {
      Reals expected;
      for (const auto &group : groups)
        expected.push_back(op == Op::Sum ? sum(reals(group)) : product(reals(group)));
      EXPECT_TRUE(near(expected, actual));
      return;
    }
  std::vector<U> expected;
  for (const auto &group : groups)
    expected.push_back(folded<T, U>(op, group));
  EXPECT_TRUE(same(expected, actual));
}

// --- everything -------------------------------------------------------------------------------------------

template <class T, class U> Judge all(Op op) {
  return [=](KernelRun &run) {
    for (const uint64_t n : {1, 5, 128, 700, 4096}) {
      const auto x = data<T>(op, n, n);
      const uint64_t threads = ((n + 3) / 4 + 31) / 32 * 32;
      run.output<U>(1, 1).input(0, x).bytes(2, n).bytes(3, n);
      ASSERT_TRUE(run.dispatchThreads({threads}, {threads}));
      expectReduced<T, U>(op, {x}, run.read<U>(1));
    }
  };
}

// The first of two passes: a partial result for each row of 200, the last of them shorter.
void allFirstPass(KernelRun &run) {
  const uint64_t n = 930, rowSize = 200, rows = 5;
  const auto x = data<float>(Op::Sum, n, 1);
  std::vector<std::vector<float>> groups;
  for (uint64_t r = 0; r < rows; ++r)
    groups.emplace_back(x.begin() + r * rowSize, x.begin() + std::min((r + 1) * rowSize, n));
  run.input(0, x).output<float>(1, rows).bytes(2, n).bytes(3, rowSize);
  ASSERT_TRUE(run.dispatchThreads({64, rows}, {64, 1}));
  expectReduced<float, float>(Op::Sum, groups, run.read<float>(1));
}

void allFloats(KernelRun &run) {
  all<float, float>(Op::Sum)(run);
  allFirstPass(run);
}

// --- rows -------------------------------------------------------------------------------------------------

// A threadgroup makes four rows; the last one goes back so that it has four.
template <class T, class U> Judge rowsSimple(Op op) {
  return [=](KernelRun &run) {
    for (const auto &[rows, size] : {std::pair{4u, 100u}, {7u, 33u}, {33u, 600u}}) {
      const auto x = data<T>(op, rows * size, size);
      std::vector<std::vector<T>> groups;
      for (uint32_t r = 0; r < rows; ++r)
        groups.emplace_back(x.begin() + r * size, x.begin() + (r + 1) * size);
      const uint32_t threads = size <= 512 ? 32 : 128;
      run.output<U>(1, rows).input(0, x).bytes(2, uint64_t(size)).bytes(3, uint64_t(rows));
      ASSERT_TRUE(run.dispatchThreads({threads, (rows + 3) / 4}, {threads, 1}));
      expectReduced<T, U>(op, groups, run.read<U>(1));
    }
  };
}

// [a, b, c] over a and c: `a` rows of c elements for each of b outputs.
template <class T, class U> Judge rowsAndMore(Op op, bool small) {
  return [=](KernelRun &run) {
    for (const auto &[a, b, c] : {std::tuple{1, 5, 3}, {3, 4, 30}, {40, 6, 7}, {5, 3, 700}}) {
      if (small && c > 64)
        continue;
      const auto x = data<T>(op, a * b * c, c);
      std::vector<std::vector<T>> groups(b);
      for (int i = 0; i < a; ++i)
        for (int j = 0; j < b; ++j)
          groups[j].insert(groups[j].end(), x.begin() + (i * b + j) * c, x.begin() + (i * b + j + 1) * c);
      run.output<U>(1, b).input(0, x).bytes(2, int64_t(c)).bytes(3, int64_t(a));
      run.input(4, std::vector<int32_t>{b}).input(5, std::vector<int64_t>{c}).bytes(6, int32_t(1));
      run.input(7, std::vector<int32_t>{a}).input(8, std::vector<int64_t>{b * c}).bytes(9, int32_t(1));
      const bool oneThread = (a < 32 && c <= 8) || a <= 8;
      const uint64_t threads = small ? 32 : c <= 512 ? 32 : 128;
      ASSERT_TRUE(small && oneThread ? run.dispatchThreads({uint64_t(b)}, {uint64_t(b)})
                                     : run.dispatchThreads({threads, uint64_t(b)}, {threads, 1}));
      expectReduced<T, U>(op, groups, run.read<U>(1));
    }
  };
}

// --- columns: [a, r, s] over r -----------------------------------------------------------------------------

struct Columns {
  int a, r, s;
};

template <class T> std::vector<T> bindColumns(KernelRun &run, Op op, Columns c) {
  const auto x = data<T>(op, c.a * c.r * c.s, c.s);
  run.input(0, x).bytes(2, uint64_t(c.r)).bytes(3, int64_t(c.s));
  run.input(4, std::vector<int32_t>{c.a})
      .input(5, std::vector<int64_t>{int64_t(c.r) * c.s})
      .bytes(6, int32_t(1));
  run.input(7, std::vector<int32_t>{c.r}).input(8, std::vector<int64_t>{c.s}).bytes(9, int32_t(1));
  run.bytes(10, uint64_t(1));
  return x;
}

/// The rows first, first + step, ... below `limit` of each column.
template <class T>
std::vector<std::vector<T>> columnGroups(const std::vector<T> &x, Columns c,
                                         const std::function<bool(int row)> &taken = {}) {
  std::vector<std::vector<T>> groups(c.a * c.s);
  for (int i = 0; i < c.a; ++i)
    for (int r = 0; r < c.r; ++r)
      for (int j = 0; j < c.s; ++j)
        if (!taken || taken(r))
          groups[i * c.s + j].push_back(x[(i * c.r + r) * c.s + j]);
  return groups;
}

template <class T, class U> Judge columnsSmall(Op op) {
  return [=](KernelRun &run) {
    for (const Columns c : {Columns{1, 2, 1}, {2, 5, 7}, {3, 30, 150}}) {
      const auto x = bindColumns<T>(run, op, c);
      run.output<U>(1, c.a * c.s);
      const uint64_t blocks = (c.s + 3) / 4, wide = std::min<uint64_t>(blocks, 32);
      ASSERT_TRUE(run.dispatchThreadgroups({(blocks + wide - 1) / wide, uint64_t(c.a)},
                                           {wide, std::min<uint64_t>(8, c.r)}));
      expectReduced<T, U>(op, columnGroups(x, c), run.read<U>(1));
    }
  };
}

template <class T, class U> Judge columnsLooped(Op op) {
  return [=](KernelRun &run) {
    for (const Columns c : {Columns{2, 40, 5}, {1, 100, 70}}) {
      const auto x = bindColumns<T>(run, op, c);
      run.output<U>(1, c.a * c.s);
      ASSERT_TRUE(run.dispatchThreads({256 * ((uint64_t(c.s) + 31) / 32), uint64_t(c.a)}, {256, 1}));
      expectReduced<T, U>(op, columnGroups(x, c), run.read<U>(1));
    }
  };
}

// A first pass into `blocks` partial results for each output.
void columnsLong(KernelRun &run) {
  const Columns c{1, 1100, 3};
  const int blocks = 32, tall = 32;
  const auto x = bindColumns<float>(run, Op::Sum, c);
  run.output<float>(1, blocks * c.s).bytes(11, uint64_t(c.s));
  ASSERT_TRUE(run.dispatchThreadgroups({1, 1, blocks}, {uint64_t(c.s), tall}));
  std::vector<std::vector<float>> groups;
  for (int b = 0; b < blocks; ++b) {
    const auto part = columnGroups(x, c, [&](int row) { return row / tall % blocks == b; });
    groups.insert(groups.end(), part.begin(), part.end());
  }
  expectReduced<float, float>(Op::Sum, groups, run.read<float>(1));
}

void columnsTwoPass(KernelRun &run) {
  const Columns c{2, 1500, 33};
  const int blocks = 32, tall = 32;
  const auto x = bindColumns<float>(run, Op::Sum, c);
  run.output<float>(1, blocks * c.a * c.s).bytes(11, uint64_t(c.a));
  ASSERT_TRUE(run.dispatchThreads({256 * 2, uint64_t(c.a) * blocks}, {256, 1}));
  std::vector<std::vector<float>> groups;
  for (int b = 0; b < blocks; ++b) {
    const auto part = columnGroups(x, c, [&](int row) { return row / tall % blocks == b; });
    groups.insert(groups.end(), part.begin(), part.end());
  }
  expectReduced<float, float>(Op::Sum, groups, run.read<float>(1));
}

template <class T> Judge initial(T expected) {
  return [=](KernelRun &run) {
    run.output<T>(0, 10);
    ASSERT_TRUE(run.dispatchThreads({10}, {10}));
    EXPECT_TRUE(same(std::vector<T>(10, expected), run.read<T>(0)));
  };
}

#define REDUCE(kernel, ...) {"reduce.metal", kernel, __VA_ARGS__}

ASSAY_ENTRY_POINTS(
    Reduce, Mlx,
    ({REDUCE("all_reduce_sumfloat32", allFloats),
      REDUCE("all_reduce_sumuint8", all<uint8_t, int32_t>(Op::Sum)),
      REDUCE("all_reduce_sumint64", all<int64_t, int64_t>(Op::Sum)),
      REDUCE("all_reduce_prodint32", all<int32_t, int32_t>(Op::Prod)),
      REDUCE("all_reduce_prodfloat32", all<float, float>(Op::Prod)),
      REDUCE("all_reduce_maxfloat16", all<Half, Half>(Op::Max)),
      REDUCE("all_reduce_minbfloat16", all<Bfloat, Bfloat>(Op::Min)),
      REDUCE("all_reduce_minint8", all<int8_t, int8_t>(Op::Min)),
      REDUCE("all_reduce_maxuint64", all<uint64_t, uint64_t>(Op::Max)),
      REDUCE("all_reduce_andbool_", all<uint8_t, uint8_t>(Op::And)),
      REDUCE("row_reduce_simple_sumfloat32", rowsSimple<float, float>(Op::Sum)),
      REDUCE("row_reduce_simple_maxint16", rowsSimple<int16_t, int16_t>(Op::Max)),
      REDUCE("row_reduce_looped_1_reduce_sumfloat32", rowsAndMore<float, float>(Op::Sum, false)),
      REDUCE("row_reduce_looped_1_reduce_minint64", rowsAndMore<int64_t, int64_t>(Op::Min, false)),
      REDUCE("row_reduce_small_1_reduce_sumfloat32", rowsAndMore<float, float>(Op::Sum, true)),
      REDUCE("row_reduce_small_1_reduce_orbool_", rowsAndMore<uint8_t, uint8_t>(Op::Or, true)),
      REDUCE("col_reduce_small_1_reduce_sumint32", columnsSmall<int32_t, int32_t>(Op::Sum)),
      REDUCE("col_reduce_small_1_reduce_maxfloat32", columnsSmall<float, float>(Op::Max)),
      REDUCE("col_reduce_looped_1_32_32_reduce_sumfloat32", columnsLooped<float, float>(Op::Sum)),
      REDUCE("col_reduce_looped_1_32_32_reduce_minuint16", columnsLooped<uint16_t, uint16_t>(Op::Min)),
      REDUCE("col_reduce_longcolumn_1_reduce_sumfloat32", columnsLong),
      REDUCE("col_reduce_2pass_1_32_32_reduce_sumfloat32", columnsTwoPass),
      REDUCE("init_reduce_prodfloat32", initial<float>(1)),
      REDUCE("init_reduce_maxint16", initial<int16_t>(INT16_MIN))}));

// --- arg-reductions: [a, n, s] over n; the first of equals -------------------------------------------------

template <class T> Judge argReduce(bool largest) {
  return [=](KernelRun &run) {
    for (const auto &[a, n, s] : {std::tuple{1, 1, 1}, {2, 40, 3}, {3, 700, 1}}) {
      std::vector<T> x = kIsFloat<T> ? uniform<T>(a * n * s, n) : anyBits<T>(a * n * s, n);
      for (T &v : x)
        if constexpr (std::is_integral_v<T>)
          v = T(v % 50); // with ties
      std::vector<uint32_t> expected;
      for (int i = 0; i < a; ++i)
        for (int k = 0; k < s; ++k) {
          uint32_t best = 0;
          for (int j = 1; j < n; ++j) {
            const double v = value(x[(i * n + j) * s + k]), kept = value(x[(i * n + best) * s + k]);
            if (largest ? v > kept : v < kept)
              best = j;
          }
          expected.push_back(best);
        }
      const uint64_t threads = ((n + 3) / 4 + 31) / 32 * 32;
      run.output<uint32_t>(1, expected.size()).input(0, x).input(2, std::vector<int32_t>{a, s});
      run.input(3, std::vector<int64_t>{n * s, 1}).input(4, std::vector<int64_t>{s, 1}).bytes(5, uint64_t(2));
      run.bytes(6, int64_t(s)).bytes(7, uint64_t(n));
      ASSERT_TRUE(run.dispatchThreads({threads, uint64_t(a * s)}, {threads, 1}));
      EXPECT_TRUE(same(expected, run.read<uint32_t>(1)));
    }
  };
}

ASSAY_ENTRY_POINTS(ArgReduce, Mlx,
                   ({{"arg_reduce.metal", "argmin_float32", argReduce<float>(false)},
                     {"arg_reduce.metal", "argmax_float16", argReduce<Half>(true)},
                     {"arg_reduce.metal", "argmax_bfloat16", argReduce<Bfloat>(true)},
                     {"arg_reduce.metal", "argmax_int32", argReduce<int32_t>(true)},
                     {"arg_reduce.metal", "argmin_uint8", argReduce<uint8_t>(false)}}));

} // namespace
} // namespace assay::projects
