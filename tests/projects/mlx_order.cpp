// MLX: scans, sorts, searches, and random bits. Integers and orders are exact.
// source: mlx/backend/metal/{scan,sort,primitives}.cpp
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

using Judge = std::function<void(KernelRun &)>;

// --- scans: a contiguous row, or the middle axis of [a, n, s] ---------------------------------------------

enum class Op { Sum, Prod, Max, Min, LogAddExp };
struct Scan {
  Op op;
  bool inclusive = true, reverse = false, strided = false;
};

template <class T> T neutral(Op op) {
  if (op == Op::Sum || op == Op::Prod)
    return as<T>(op == Op::Prod);
  if constexpr (kIsFloat<T>)
    return as<T>(op == Op::Min ? INFINITY : -INFINITY);
  else
    return op == Op::Min ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
}

template <class T> T combined(Op op, T a, T b) { // exact
  if constexpr (std::is_integral_v<T>)
    if (op == Op::Sum || op == Op::Prod)
      return op == Op::Sum ? T(uint64_t(a) + uint64_t(b)) : T(uint64_t(a) * uint64_t(b));
  return (op == Op::Max) == (value(a) > value(b)) ? a : b;
}

Real combinedNear(Op op, const Reals &prefix) {
  if (op == Op::Sum)
    return sum(prefix);
  Real total;
  const Reals weights = exponentials(prefix, total);
  Real largest = prefix[0];
  for (const Real &x : prefix)
    largest = max(largest, x);
  // Each of n partial results was rounded: an error of the argument is one of the result, absolute.
  const Real result = largest + log(total);
  return {result.value, result.error + double(prefix.size()) * 8 * kUlp * (1 + std::fabs(largest.value))};
}

template <class T> Judge scan(Scan scan) {
  return [=](KernelRun &run) {
    for (const auto &[a, n, s] : {std::tuple{3, 1, 1}, {2, 100, 1}, {2, 130, 1}, {1, 700, 1}, {2, 50, 40}}) {
      if (scan.strided != (s > 1))
        continue;
      const bool exact = std::is_integral_v<T> || scan.op == Op::Max || scan.op == Op::Min;
      std::vector<T> x = kIsFloat<T> ? uniform<T>(a * n * s, n) : anyBits<T>(a * n * s, n);
      std::vector<T> expected(x.size());
      Reals expectedNear(x.size());
      for (int i = 0; i < a; ++i)
        for (int k = 0; k < s; ++k) {
          T running = neutral<T>(scan.op);
          Reals prefix;
          for (int step = 0; step < n; ++step) {
            const size_t at = (size_t(i) * n + (scan.reverse ? n - 1 - step : step)) * s + k;
            if (!scan.inclusive) {
              expected[at] = running;
              expectedNear[at] = prefix.empty() ? Real(value(running)) : Real();
              if (!prefix.empty() && !exact)
                expectedNear[at] = combinedNear(scan.op, prefix);
            }
            if (exact)
              running = combined(scan.op, running, x[at]);
            prefix.push_back(Real(value(x[at])));
            if (scan.inclusive) {
              expected[at] = running;
              if (!exact)
                expectedNear[at] = combinedNear(scan.op, prefix);
            }
          }
        }
      const uint32_t reads = sizeof(T) <= 4 ? 4 : 2;
      run.output<T>(1, x.size()).input(0, x).bytes(2, uint64_t(n));
      if (scan.strided) {
        const uint64_t blocks = (s + 31) / 32, threads = 32 / reads * 32;
        run.bytes(3, uint64_t(s)).bytes(4, blocks);
        ASSERT_TRUE(run.dispatchThreads({threads, a * blocks}, {threads, 1}));
      } else {
        const uint64_t threads = (n + reads * 32 - 1) / (reads * 32) * 32;
        ASSERT_TRUE(run.dispatchThreads({threads, uint64_t(a)}, {threads, 1}));
      }
      if (exact) {
        EXPECT_TRUE(same(expected, run.read<T>(1)));
      } else if constexpr (kIsFloat<T>) {
        EXPECT_TRUE(near(expectedNear, run.read<T>(1)));
      }
    }
  };
}

ASSAY_ENTRY_POINTS(
    Scan, Mlx,
    ({{"scan.metal", "contig_scan_inclusive_sum_float32_float32", scan<float>({Op::Sum})},
      {"scan.metal", "contig_scan_exclusive_sum_int32_int32", scan<int32_t>({Op::Sum, false})},
      {"scan.metal", "contig_scan_reverse_inclusive_sum_uint8_uint8", scan<uint8_t>({Op::Sum, true, true})},
      {"scan.metal", "contig_scan_inclusive_sum_int64_int64", scan<int64_t>({Op::Sum})},
      {"scan.metal", "contig_scan_reverse_exclusive_prod_uint32_uint32",
       scan<uint32_t>({Op::Prod, false, true})},
      {"scan.metal", "contig_scan_inclusive_max_float16_float16", scan<Half>({Op::Max})},
      {"scan.metal", "contig_scan_exclusive_min_bfloat16_bfloat16", scan<Bfloat>({Op::Min, false})},
      {"scan.metal", "contig_scan_inclusive_logaddexp_float32_float32", scan<float>({Op::LogAddExp})},
      {"scan.metal", "strided_scan_inclusive_sum_float32_float32", scan<float>({Op::Sum, true, false, true})},
      {"scan.metal", "strided_scan_exclusive_prod_int32_int32",
       scan<int32_t>({Op::Prod, false, false, true})},
      {"scan.metal", "strided_scan_reverse_inclusive_max_int16_int16",
       scan<int16_t>({Op::Max, true, true, true})}}));

// --- sorts: ascending, NaN last, equals in their order -----------------------------------------------------

template <class T> std::vector<uint32_t> order(const std::vector<T> &x) {
  std::vector<uint32_t> out(x.size());
  std::iota(out.begin(), out.end(), 0u);
  std::stable_sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    const double va = value(x[a]), vb = value(x[b]);
    return std::isnan(vb) ? !std::isnan(va) : va < vb;
  });
  return out;
}

template <class T> std::vector<T> sortData(size_t count, uint64_t seed) {
  if constexpr (kIsFloat<T>) {
    auto x = uniform<T>(count, seed, -100, 100);
    for (size_t i = 0; i < count; i += 5)
      x[i] = x[0]; // ties
    for (size_t i = 3; i < count; i += 17)
      x[i] = as<T>(std::numeric_limits<double>::quiet_NaN());
    return x;
  } else {
    return anyBits<T>(count, seed);
  }
}

// One threadgroup of `threads` sorts a row of up to four times as many elements.
template <class T, bool kArguments> Judge sortRows(uint32_t threads) {
  return [=](KernelRun &run) {
    for (const uint32_t n : {1u, threads - 1, 4 * threads - 3, 4 * threads}) {
      const uint32_t rows = 2;
      const auto x = sortData<T>(rows * n, n);
      std::vector<T> sorted;
      std::vector<uint32_t> arguments;
      for (uint32_t r = 0; r < rows; ++r) {
        const std::vector<T> in(x.begin() + r * n, x.begin() + (r + 1) * n);
        for (const uint32_t i : order(in)) {
          sorted.push_back(in[i]);
          arguments.push_back(i);
        }
      }
      run.input(0, x).bytes(2, int32_t(n)).bytes(3, int32_t(1)).bytes(4, int32_t(1));
      run.bytes(5, int32_t(n)).bytes(6, int32_t(n));
      kArguments ? run.output<uint32_t>(1, x.size()) : run.output<T>(1, x.size());
      ASSERT_TRUE(run.dispatchThreadgroups({1, rows}, {threads}));
      if (kArguments)
        EXPECT_TRUE(same(arguments, run.read<uint32_t>(1)));
      else
        EXPECT_TRUE(same(sorted, run.read<T>(1)));
    }
  };
}

// Columns of [n, s], through shapes and strides.
void argsortColumns(KernelRun &run) {
  const int32_t n = 100, s = 3;
  const auto x = sortData<float>(n * s, 5);
  std::vector<uint32_t> expected(x.size());
  for (int c = 0; c < s; ++c) {
    std::vector<float> column;
    for (int i = 0; i < n; ++i)
      column.push_back(x[i * s + c]);
    const auto sorted = order(column);
    for (int i = 0; i < n; ++i)
      expected[i * s + c] = sorted[i];
  }
  run.input(0, x).output<uint32_t>(1, x.size()).bytes(2, n).bytes(3, s).bytes(4, s).bytes(5, int32_t(1));
  run.input(6, std::vector<int32_t>{s}).input(7, std::vector<int64_t>{1}).input(8, std::vector<int64_t>{1});
  ASSERT_TRUE(run.dispatchThreadgroups({1, uint64_t(s)}, {32}));
  EXPECT_TRUE(same(expected, run.read<uint32_t>(1)));
}

// A long row in blocks of 2,048: each block sorted, with its indices.
constexpr int32_t kBlock = 2048, kLong = 5000, kBlocks = 3;

void sortBlocks(KernelRun &run) {
  const auto x = sortData<float>(kLong, 6);
  std::vector<float> sorted;
  std::vector<uint32_t> indices;
  for (int32_t first = 0; first < kLong; first += kBlock) {
    const std::vector<float> block(x.begin() + first, x.begin() + std::min(first + kBlock, kLong));
    for (const uint32_t i : order(block)) {
      sorted.push_back(block[i]);
      indices.push_back(first + i);
    }
  }
  run.input(0, x).output<float>(1, kLong).output<uint32_t>(2, kLong).bytes(3, kLong).bytes(4, int32_t(1));
  run.bytes(5, int32_t(0)).input(6, std::vector<int32_t>{0}).input(7, std::vector<int64_t>{1});
  ASSERT_TRUE(run.dispatchThreadgroups({kBlocks, 1}, {512}));
  EXPECT_TRUE(same(sorted, run.read<float>(1)));
  EXPECT_TRUE(same(indices, run.read<uint32_t>(2)));
}

// Sorted blocks of distinct numbers, and the whole; tiles of two blocks are to be merged.
struct Blocks {
  std::vector<float> values;
  std::vector<uint32_t> indices;
  Blocks() : values(distinct<float>(kLong, 7)) {
    std::vector<float> in = values;
    for (int32_t first = 0; first < kLong; first += kBlock) {
      const std::vector<float> block(in.begin() + first, in.begin() + std::min(first + kBlock, kLong));
      const auto sorted = order(block);
      for (size_t i = 0; i < sorted.size(); ++i) {
        values[first + i] = block[sorted[i]];
        indices.push_back(first + sorted[i]);
      }
    }
  }
};
constexpr int32_t kTiles = 2;

/// Where block i of the merged pair begins in the pair's first block: so many of the smallest are from it.
std::vector<uint32_t> partitions(const Blocks &b) {
  std::vector<uint32_t> out;
  for (int32_t i = 0; i <= kBlocks; ++i) {
    const int32_t first = i / kTiles * kTiles * kBlock, begin = std::min(kLong, first);
    const int32_t middle = std::min(kLong, first + kBlock), end = std::min(kLong, first + 2 * kBlock);
    std::vector<std::pair<float, bool>> merged;
    for (int32_t k = begin; k < end; ++k)
      merged.push_back({b.values[k], k < middle});
    std::sort(merged.begin(), merged.end());
    uint32_t fromFirst = 0;
    for (int32_t k = 0; k < std::min(end - begin, i % kTiles * kBlock); ++k)
      fromFirst += merged[k].second;
    out.push_back(begin + fromFirst);
  }
  return out;
}

void sortPartition(KernelRun &run) {
  const Blocks b;
  run.output<uint32_t>(0, kBlocks + 1).input(1, b.values).input(2, b.indices);
  run.bytes(3, kLong).bytes(4, kTiles).bytes(5, kBlocks);
  ASSERT_TRUE(run.dispatchThreadgroups({1, 1}, {kBlocks + 1}));
  EXPECT_TRUE(same(partitions(b), run.read<uint32_t>(0)));
}

void sortMerge(KernelRun &run) {
  const Blocks b;
  std::vector<float> merged;
  std::vector<uint32_t> indices;
  for (int32_t first = 0; first < kLong; first += kTiles * kBlock) {
    const int32_t end = std::min(kLong, first + kTiles * kBlock);
    const std::vector<float> tile(b.values.begin() + first, b.values.begin() + end);
    for (const uint32_t i : order(tile)) {
      merged.push_back(tile[i]);
      indices.push_back(b.indices[first + i]);
    }
  }
  run.input(0, partitions(b)).input(1, b.values).input(2, b.indices);
  run.output<float>(3, kLong).output<uint32_t>(4, kLong).bytes(5, kLong).bytes(6, kTiles).bytes(7, kBlocks);
  ASSERT_TRUE(run.dispatchThreadgroups({kBlocks, 1}, {512}));
  EXPECT_TRUE(same(merged, run.read<float>(3)));
  EXPECT_TRUE(same(indices, run.read<uint32_t>(4)));
}

template <class T, bool kRight> void search(KernelRun &run) {
  for (const uint32_t n : {1u, 2u, 100u}) {
    auto sorted = uniform<T>(n, n, -5, 5);
    for (size_t i = 0; i + 1 < n; i += 3)
      sorted[i + 1] = sorted[i];
    std::sort(sorted.begin(), sorted.end(), [](T a, T b) { return value(a) < value(b); });
    auto wanted = uniform<T>(40, 8, -6, 6);
    wanted[3] = sorted[0], wanted[4] = sorted[n - 1], wanted[5] = sorted[n / 2];
    std::vector<uint32_t> expected;
    for (const T w : wanted) {
      uint32_t below = 0;
      for (const T v : sorted)
        below += kRight ? value(v) <= value(w) : value(v) < value(w);
      expected.push_back(below);
    }
    run.output<uint32_t>(2, wanted.size()).input(0, sorted).input(1, wanted).bytes(3, n).bytes(4, int64_t(1));
    ASSERT_TRUE(run.dispatchThreads({10, 4}, {8, 4}));
    EXPECT_TRUE(same(expected, run.read<uint32_t>(2)));
  }
}

#define SORT(kernel, ...) {"sort.metal", kernel, __VA_ARGS__}

ASSAY_ENTRY_POINTS(Sort, Mlx,
                   ({SORT("c_block_sort_float32_float32_bn32_tn4", sortRows<float, false>(32)),
                     SORT("c_block_sort_float16_float16_bn64_tn4", sortRows<Half, false>(64)),
                     SORT("c_block_sort_int8_int8_bn128_tn4", sortRows<int8_t, false>(128)),
                     SORT("c_block_sort_uint64_uint64_bn32_tn4", sortRows<uint64_t, false>(32)),
                     SORT("carg_block_sort_float32_uint32_bn128_tn4", sortRows<float, true>(128)),
                     SORT("carg_block_sort_bfloat16_uint32_bn32_tn4", sortRows<Bfloat, true>(32)),
                     SORT("carg_block_sort_int32_uint32_bn64_tn4", sortRows<int32_t, true>(64)),
                     SORT("ncarg_block_sort_float32_uint32_bn32_tn4", argsortColumns),
                     SORT("sort_mbsort_float32_uint32_bn512_tn4", sortBlocks),
                     SORT("partition_mbsort_float32_uint32_bn512_tn4", sortPartition),
                     SORT("merge_mbsort_float32_uint32_bn512_tn4", sortMerge),
                     {"searchsorted.metal", "searchsorted_float32_left", search<float, false>},
                     {"searchsorted.metal", "searchsorted_float16_right", search<Half, true>}}));

// --- random bits: Threefry-2x32 of 20 rounds ---------------------------------------------------------------
// source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"

std::pair<uint32_t, uint32_t> threefry(uint32_t key0, uint32_t key1, uint32_t x0, uint32_t x1) {
  static constexpr int kRotation[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t key[3] = {key0, key1, 0x1bd11bda ^ key0 ^ key1};
  x0 += key[0], x1 += key[1];
  for (int round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = std::rotl(x1, kRotation[round % 8]) ^ x0;
    if (round % 4 == 3) {
      const int injected = round / 4 + 1;
      x0 += key[injected % 3];
      x1 += key[(injected + 1) % 3] + injected;
    }
  }
  return {x0, x1};
}

/// Counter i gives word i and word i + half of a key's output; an odd count hashes its last with 0.
std::vector<uint8_t> randomBytes(uint32_t key0, uint32_t key1, uint32_t bytes) {
  const uint32_t words = (bytes + 3) / 4, half = (words + 1) / 2;
  std::vector<uint32_t> out(2 * half);
  for (uint32_t i = 0; i < half; ++i) {
    const bool last = words % 2 && i + 1 == half;
    std::tie(out[i], out[i + half]) = threefry(key0, key1, i, last ? 0 : i + half);
  }
  const auto *first = reinterpret_cast<const uint8_t *>(out.data());
  return {first, first + bytes};
}

template <bool kStrided> void random(KernelRun &run) {
  EXPECT_EQ(threefry(0, 0, 0, 0), std::pair(0x6b200159u, 0x99ba4efeu)); // a published answer
  for (const uint32_t bytes : {4u, 8u, 12u, 40u, 22u}) {
    const uint32_t keys = 3, words = (bytes + 3) / 4;
    const auto key = anyBits<uint32_t>(2 * keys, bytes);
    std::vector<uint8_t> expected;
    for (uint32_t k = 0; k < keys; ++k) { // strided: all first words, then all second ones
      const auto out = kStrided ? randomBytes(key[k], key[k + keys], bytes)
                                : randomBytes(key[2 * k], key[2 * k + 1], bytes);
      expected.insert(expected.end(), out.begin(), out.end());
    }
    run.input(0, key)
        .output<uint8_t>(1, expected.size())
        .bytes(2, uint8_t(words % 2))
        .bytes(3, uint64_t(bytes));
    if (kStrided)
      run.bytes(4, int32_t(2)).input(5, std::vector<int32_t>{3, 2}).input(6, std::vector<int64_t>{1, 3});
    ASSERT_TRUE(run.dispatchThreads({keys, (words + 1) / 2}, {2, 1}));
    EXPECT_TRUE(same(expected, run.read<uint8_t>(1)));
  }
}

ASSAY_ENTRY_POINTS(Random, Mlx,
                   ({{"random.metal", "rbitsc", random<false>}, {"random.metal", "rbits", random<true>}}));

} // namespace
} // namespace assay::projects
