// mlx-native: what moves elements and computes nothing, or no more than one rounding: copies, transposes,
// slices, caches, gathers, embedding tables. All exact, so inputs are any bits, NaNs and subnormals included.
// source: src/ops/{copy,transpose,elementwise,slice_concat_2d,qkv_split,repeat_tiled,kv_cache_copy,gather,
// embedding,ssm_conv}.rs
#include "entry_point.h"

namespace assay::projects {
namespace {

/// Binds what every mover has: 0 source, 1 destination.
template <class From, class To>
void moves(KernelRun &run, const std::vector<From> &source, const std::vector<To> &expected, Size threads,
           Size group) {
  run.output<To>(1, expected.size()).input(0, source);
  ASSERT_TRUE(run.dispatchThreads(threads, group));
  EXPECT_TRUE(same(expected, run.read<To>(1)));
}

struct Dims3 {
  uint32_t a, b, c;
  size_t size() const { return size_t(a) * b * c; }
};
constexpr Dims3 kDims[] = {{1, 1, 1}, {3, 5, 7}, {2, 16, 33}};

enum class Order { BAC, ACB };

// Rounds where the types differ; those inputs are numbers.
template <class From, class To, Order kOrder> void permute(KernelRun &run) {
  for (const Dims3 d : kDims) {
    const auto x = std::is_same_v<From, To> ? anyBits<From>(d.size(), 1) : uniform<From>(d.size(), 1);
    std::vector<To> expected(d.size());
    for (uint32_t a = 0; a < d.a; ++a)
      for (uint32_t b = 0; b < d.b; ++b)
        for (uint32_t c = 0; c < d.c; ++c) {
          To &to = expected[kOrder == Order::BAC ? (b * d.a + a) * d.c + c : (a * d.c + c) * d.b + b];
          if constexpr (std::is_same_v<From, To>)
            to = x[(a * d.b + b) * d.c + c];
          else
            to = as<To>(value(x[(a * d.b + b) * d.c + c]));
        }
    run.bytes(2, d);
    moves(run, x, expected, kOrder == Order::BAC ? Size(d.c, d.b, d.a) : Size(d.b, d.c, d.a), {8, 4, 1});
  }
}

struct Dims2 {
  uint32_t rows, columns;
};

template <class T> void transpose(KernelRun &run) {
  for (const Dims2 d : {Dims2{1, 1}, {5, 3}, {17, 40}}) {
    const auto x = anyBits<T>(d.rows * d.columns, 2);
    std::vector<T> expected(x.size());
    for (uint32_t r = 0; r < d.rows; ++r)
      for (uint32_t c = 0; c < d.columns; ++c)
        expected[c * d.rows + r] = x[r * d.columns + c];
    run.bytes(2, d);
    moves(run, x, expected, {d.columns, d.rows}, {16, 16});
  }
}

struct Strided {
  uint32_t rows, columns, rowStride, columnStride;
};

void stridedCopy(KernelRun &run) {
  for (const Strided s : {Strided{3, 5, 5, 1}, {4, 6, 1, 4}, {2, 9, 40, 3}}) {
    const auto x = anyBits<float>(s.rows * s.rowStride + s.columns * s.columnStride, 3);
    std::vector<float> expected;
    for (uint32_t r = 0; r < s.rows; ++r)
      for (uint32_t c = 0; c < s.columns; ++c)
        expected.push_back(x[r * s.rowStride + c * s.columnStride]);
    run.bytes(2, s);
    moves(run, x, expected, {s.columns, s.rows}, {4, 1});
  }
}

struct Offsets {
  uint32_t source, destination, count;
};

void offsetCopy(KernelRun &run) {
  const Offsets o{13, 7, 50};
  const auto source = anyBits<float>(70, 4), before = anyBits<float>(64, 5);
  auto expected = before;
  std::copy_n(source.begin() + o.source, o.count, expected.begin() + o.destination);
  run.input(0, source).inout(1, before).bytes(2, o);
  ASSERT_TRUE(run.dispatchThreads({64}, {32}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

void sliceColumns(KernelRun &run) {
  const uint32_t rows = 4, in = 11, out = 5, start = 3;
  const auto x = anyBits<float>(rows * in, 6);
  std::vector<float> expected;
  for (uint32_t r = 0; r < rows; ++r)
    expected.insert(expected.end(), x.begin() + r * in + start, x.begin() + r * in + start + out);
  run.input(2, std::vector<uint32_t>{in, out, start});
  moves(run, x, expected, {out, rows}, {4, 4});
}

void intoColumns(KernelRun &run) {
  const uint32_t rows = 4, in = 5, out = 11, start = 3;
  const auto x = anyBits<float>(rows * in, 7), before = anyBits<float>(rows * out, 8);
  auto expected = before;
  for (uint32_t r = 0; r < rows; ++r)
    std::copy_n(x.begin() + r * in, in, expected.begin() + r * out + start);
  run.input(0, x).inout(1, before).input(2, std::vector<uint32_t>{in, out, start});
  ASSERT_TRUE(run.dispatchThreads({in, rows}, {4, 4}));
  EXPECT_TRUE(same(expected, run.read<float>(1)));
}

struct QkvSizes {
  uint32_t tokens, q, k, v, all;
};

void qkvSplit(KernelRun &run) {
  const QkvSizes s{3, 8, 4, 5, 17};
  const auto x = anyBits<float>(s.tokens * s.all, 9);
  std::vector<float> q, k, v;
  for (uint32_t t = 0; t < s.tokens; ++t) {
    const auto first = x.begin() + t * s.all;
    q.insert(q.end(), first, first + s.q);
    k.insert(k.end(), first + s.q, first + s.q + s.k);
    v.insert(v.end(), first + s.q + s.k, first + s.all);
  }
  run.input(0, x)
      .output<float>(1, q.size())
      .output<float>(2, k.size())
      .output<float>(3, v.size())
      .bytes(4, s);
  ASSERT_TRUE(run.dispatchThreads({s.all, s.tokens}, {s.all, 1}));
  EXPECT_TRUE(same(q, run.read<float>(1)));
  EXPECT_TRUE(same(k, run.read<float>(2)));
  EXPECT_TRUE(same(v, run.read<float>(3)));
}

struct Repeat {
  uint32_t tokens, from, to, dim;
};

void repeatTiled(KernelRun &run) {
  const Repeat s{3, 2, 6, 9};
  const auto x = anyBits<float>(s.tokens * s.from * s.dim, 10);
  std::vector<float> expected;
  for (uint32_t t = 0; t < s.tokens; ++t)
    for (uint32_t h = 0; h < s.to; ++h)
      for (uint32_t i = 0; i < s.dim; ++i)
        expected.push_back(x[(t * s.from + h % s.from) * s.dim + i]);
  run.bytes(2, s);
  moves(run, x, expected, {s.dim, s.to, s.tokens}, {4, 1, 1});
}

ASSAY_ENTRY_POINTS(Copy, MlxNative,
                   ({{"copy.metal", "strided_copy_f32", stridedCopy},
                     {"copy.metal", "offset_copy_f32", offsetCopy},
                     {"elementwise.metal", "permute_021_f32", permute<float, float, Order::BAC>},
                     {"elementwise.metal", "permute_021_bf16", permute<Bfloat, Bfloat, Order::BAC>},
                     {"elementwise.metal", "permute_021_bf16_to_f32", permute<Bfloat, float, Order::BAC>},
                     {"elementwise.metal", "transpose_last2_f16", permute<Half, Half, Order::ACB>},
                     {"elementwise.metal", "transpose_last2_bf16", permute<Bfloat, Bfloat, Order::ACB>},
                     {"elementwise.metal", "transpose_2d_f32", transpose<float>},
                     {"elementwise.metal", "transpose_2d_f16", transpose<Half>},
                     {"slice_concat_2d.metal", "slice_2d_cols_f32", sliceColumns},
                     {"slice_concat_2d.metal", "copy_2d_cols_into_f32", intoColumns},
                     {"qkv_split.metal", "qkv_split_f32", qkvSplit},
                     {"repeat_tiled.metal", "repeat_tiled_f32", repeatTiled}}));

// --- caches: a ring of `capacity` positions, which keeps what is not written -------------------------------

template <class T> void cacheCopy(KernelRun &run) {
  const uint32_t row = 10, tokens = 3, capacity = 4;
  for (const auto &[position, ring] : {std::pair{1u, 0u}, {3u, 1u}}) {
    const auto source = anyBits<T>(tokens * row, 11), before = anyBits<T>(capacity * row, 12);
    auto expected = before;
    for (uint32_t t = 0; t < tokens; ++t)
      std::copy_n(source.begin() + t * row, row, expected.begin() + (position + t) % capacity * row);
    run.input(0, source).inout(1, before).bytes(2, position).bytes(3, row).bytes(4, tokens);
    run.bytes(5, capacity).bytes(6, ring);
    ASSERT_TRUE(run.dispatchThreads({32}, {32}));
    EXPECT_TRUE(same(expected, run.read<T>(1)));
  }
}

constexpr uint32_t kHeads = 3, kDim = 10, kCapacity = 5;

template <class From, class To> std::vector<From> cacheSource(size_t count, uint64_t seed) {
  return std::is_same_v<From, To> ? anyBits<From>(count, seed) : uniform<From>(count, seed, -1000, 1000);
}

/// Writes tokens [first, first + count) of [token, head, i] to [head, (position + n) % capacity, i].
template <class From, class To>
std::vector<To> cached(const std::vector<From> &source, std::vector<To> cache, uint32_t first, uint32_t count,
                       uint32_t position) {
  for (uint32_t t = 0; t < count; ++t)
    for (uint32_t h = 0; h < kHeads; ++h)
      for (uint32_t i = 0; i < kDim; ++i) {
        To &to = cache[(h * kCapacity + (position + t) % kCapacity) * kDim + i];
        const From &from = source[((first + t) * kHeads + h) * kDim + i];
        if constexpr (std::is_same_v<From, To>)
          to = from;
        else
          to = as<To>(value(from));
      }
  return cache;
}

template <class To> void cacheBatch(KernelRun &run) {
  const auto source = cacheSource<float, To>(kHeads * kDim, 13);
  const auto before = anyBits<To>(kHeads * kCapacity * kDim, 14);
  const uint32_t position = 3;
  run.input(0, source)
      .inout(1, before)
      .bytes(2, kHeads)
      .bytes(3, kDim)
      .bytes(4, kCapacity)
      .bytes(5, position);
  ASSERT_TRUE(run.dispatchThreads({kDim, kHeads}, {kDim, 1}));
  EXPECT_TRUE(same(cached(source, before, 0, 1, position), run.read<To>(1)));
}

template <class From, class To> void cacheSequence(KernelRun &run) {
  const uint32_t tokens = 4, first = 2, position = 3; // wraps after two
  const auto source = cacheSource<From, To>((first + tokens) * kHeads * kDim, 15);
  const auto before = anyBits<To>(kHeads * kCapacity * kDim, 16);
  run.input(0, source).inout(1, before).bytes(2, kHeads).bytes(3, kDim).bytes(4, kCapacity);
  run.bytes(5, position).bytes(6, tokens).bytes(7, first);
  ASSERT_TRUE(run.dispatchThreads({kDim, kHeads, tokens}, {4, 1, 1}));
  EXPECT_TRUE(same(cached(source, before, first, tokens, position), run.read<To>(1)));
}

template <class To> void cacheDual(KernelRun &run) {
  const uint32_t tokens = 4, first = 1, position = 2;
  const auto k = cacheSource<float, To>((first + tokens) * kHeads * kDim, 17);
  const auto v = cacheSource<float, To>(k.size(), 18);
  const auto before = anyBits<To>(kHeads * kCapacity * kDim, 19);
  run.input(0, k).input(1, v).inout(2, before).inout(3, before).bytes(4, kHeads).bytes(5, kDim);
  run.bytes(6, kCapacity).bytes(7, position).bytes(8, tokens).bytes(9, first);
  ASSERT_TRUE(run.dispatchThreads({kDim, kHeads, tokens}, {4, 1, 1}));
  EXPECT_TRUE(same(cached(k, before, first, tokens, position), run.read<To>(2)));
  EXPECT_TRUE(same(cached(v, before, first, tokens, position), run.read<To>(3)));
}

ASSAY_ENTRY_POINTS(Cache, MlxNative,
                   ({{"kv_cache_copy.metal", "kv_cache_copy", cacheCopy<Half>},
                     {"kv_cache_copy.metal", "kv_cache_copy_f32", cacheCopy<float>},
                     {"kv_cache_copy.metal", "kv_cache_copy_batch_f32", cacheBatch<float>},
                     {"kv_cache_copy.metal", "kv_cache_copy_batch_f32_to_f16", cacheBatch<Half>},
                     {"kv_cache_copy.metal", "kv_cache_copy_seq_f32", cacheSequence<float, float>},
                     {"kv_cache_copy.metal", "kv_cache_copy_seq_f32_to_f16", cacheSequence<float, Half>},
                     {"kv_cache_copy.metal", "kv_cache_copy_seq_bf16", cacheSequence<Bfloat, float>},
                     {"kv_cache_copy.metal", "kv_cache_copy_seq_f32_kv_dual", cacheDual<float>},
                     {"kv_cache_copy.metal", "kv_cache_copy_seq_f32_to_f16_kv_dual", cacheDual<Half>}}));

// --- gathers ----------------------------------------------------------------------------------------------

struct Gather {
  uint32_t width, indices, rows;
};

void gather(KernelRun &run) {
  const Gather g{9, 6, 20};
  const auto table = anyBits<float>(g.rows * g.width, 20);
  auto indices = below(g.rows, g.indices, 21);
  indices[2] = 1000, indices[4] = g.rows; // past the end: the last row
  std::vector<float> expected;
  for (const uint32_t i : indices)
    for (uint32_t c = 0; c < g.width; ++c)
      expected.push_back(table[std::min(i, g.rows - 1) * g.width + c]);
  run.input(0, table).input(1, indices).output<float>(2, expected.size()).bytes(3, g);
  ASSERT_TRUE(run.dispatchThreads({g.width, g.indices}, {g.width, 1}));
  EXPECT_TRUE(same(expected, run.read<float>(2)));
}

struct ScaledRow {
  float scale;
  uint32_t width, token;
};

void gatherScale(KernelRun &run) {
  const ScaledRow g{0.75f, 33, 4};
  const auto table = uniform<float>(7 * g.width, 22);
  std::vector<float> expected;
  for (uint32_t i = 0; i < g.width; ++i)
    expected.push_back(table[g.token * g.width + i] * g.scale);
  run.bytes(2, g);
  moves(run, table, expected, {64}, {64});
}

struct ScaledRows {
  float scale;
  uint32_t width, tokens;
};

void gatherScaleBatch(KernelRun &run) {
  const ScaledRows g{0.3f, 33, 5};
  const auto table = uniform<float>(7 * g.width, 23);
  const auto tokens = below(7, g.tokens, 24);
  std::vector<float> expected;
  for (const uint32_t t : tokens)
    for (uint32_t i = 0; i < g.width; ++i)
      expected.push_back(table[t * g.width + i] * g.scale);
  run.input(0, table).input(1, tokens).output<float>(2, expected.size()).bytes(3, g);
  ASSERT_TRUE(run.dispatchThreads({g.width, g.tokens}, {16, 1}));
  EXPECT_TRUE(same(expected, run.read<float>(2)));
}

struct Embedding {
  uint32_t dim, groupSize, rowStride, groups;
};

// q * scale + bias in one expression: fused, so one rounding.
template <uint32_t kBits> void embedding(KernelRun &run) {
  const uint32_t rows = 9, dim = 64, group = 32, groups = dim / group, bytes = dim * kBits / 8;
  const auto packed = anyBits<uint8_t>(rows * bytes, 25);
  const auto scales = uniform<Bfloat>(rows * groups, 26), biases = uniform<Bfloat>(rows * groups, 27);
  const auto tokens = below(rows, 4, 28);
  std::vector<float> expected;
  for (const uint32_t t : tokens)
    for (uint32_t i = 0; i < dim; ++i) {
      uint32_t q = 0; // little-endian bits [i * kBits, ...) of the row
      for (uint32_t b = 0; b < kBits; ++b) {
        const uint32_t at = i * kBits + b;
        q |= (packed[t * bytes + at / 8] >> at % 8 & 1) << b;
      }
      const uint32_t g = t * groups + i / group;
      expected.push_back(float(q * value(scales[g]) + value(biases[g])));
    }
  run.input(0, packed).input(1, scales).input(2, biases).input(3, tokens).output<float>(4, expected.size());
  run.bytes(5, Embedding{dim, group, kBits == 4 ? bytes / 4 : bytes, groups}); // words, or bytes
  ASSERT_TRUE(run.dispatchThreads({dim, tokens.size()}, {32, 1}));
  EXPECT_TRUE(same(expected, run.read<float>(4)));
}

ASSAY_ENTRY_POINTS(Gather, MlxNative,
                   ({{"gather.metal", "gather_f32", gather},
                     {"elementwise.metal", "embedding_gather_scale_f32", gatherScale},
                     {"elementwise.metal", "embedding_gather_scale_batch_f32", gatherScaleBatch},
                     {"embedding.metal", "embedding_gather_4bit", embedding<4>},
                     {"embedding.metal", "embedding_gather_6bit", embedding<6>}}));

} // namespace
} // namespace assay::projects
