// The preparation of new tokens: every bit, the distance to float64, what is not written, what is refused.
#include "kernels_msl/foundry/compound_set.h"
#include "kernels_msl/foundry/kv_prep.h"

#include "decode_case.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

constexpr uint16_t kPoison = 0xA5A5;

struct PrepCase {
  const char *name;
  int batches = 1, heads = 2, kvHeads = 1, headDim = 64, m = 3;
  int rows = 0;      ///< capacity of new tensors; m if 0
  int capacity = 16; ///< of the cache
  int ropeSize = 0;  ///< 0: all of the head; -1: no rotation
  bool bfloat = false, neighbours = false;
  int gap = 0; ///< elements after each row of a cache
};
void PrintTo(const PrepCase &c, std::ostream *out) {
  *out << c.name;
}

TensorView numbers(const std::vector<uint32_t> &values, std::vector<int64_t> sizes) {
  return TensorView::contiguous(
      Device::systemDefault().newBuffer(values.data(), values.size() * sizeof(uint32_t)), DataType::UInt,
      std::move(sizes));
}

/// New queries, keys and values of a case with random positions, and both kinds of arguments.
class Prep {
public:
  explicit Prep(const PrepCase &c) : c(c), rows(c.rows ? c.rows : c.m) {
    Random random(11);
    const DataType type = c.bfloat ? DataType::BFloat : DataType::Half;
    const auto fresh = [&](int heads, int rows, uint64_t seed, std::vector<uint16_t> &values) {
      values = bitsOf(uniformFloats(size_t(c.batches) * c.m * heads * c.headDim, seed, -2, 2), c.bfloat);
      TensorView t =
          TensorView::poisoned(Device::systemDefault(), type, {c.batches, rows, heads * c.headDim});
      const size_t count = size_t(c.m) * heads * c.headDim;
      for (int b = 0; b < c.batches; ++b)
        std::copy_n(values.begin() + b * count, count, t.buffer.as<uint16_t>().begin() + b * t.stride(0));
      return t;
    };
    pack.q = fresh(c.heads, rows, 1, q);
    pack.packed = TensorView::poisoned(Device::systemDefault(), type, pack.q.sizes);
    pack.headDim = c.headDim;
    write.newK = fresh(c.kvHeads, rows, 2, k);
    write.newV = fresh(c.kvHeads, rows == c.m ? rows : rows + 2, 3, v);
    write.k = cache(type, c.gap), write.v = cache(type, c.gap / 2);
    for (int b = 0; b < c.batches; ++b)
      starts.push_back(random.below(c.capacity - c.m + 1));
    write.starts = numbers(starts, {c.batches});
    if (rows != c.m)
      pack.m = write.m = c.m;
    if (c.ropeSize >= 0) {
      const int size = c.ropeSize ? c.ropeSize : c.headDim;
      const RopeTables tables = ropeTables(Device::systemDefault(), 40, size);
      for (int i = 0; i < c.batches * c.m; ++i)
        positions.push_back(random.below(40));
      pack.rope = write.rope =
          RopeArguments{tables.cosines, tables.sines, numbers(positions, {c.batches, c.m}),
                        c.neighbours ? RopePairs::Neighbours : RopePairs::Halves};
    }
  }

  /// Rows of `heads` heads, rotated by the decode's oracle: a token is to it a batch of its own.
  template <class Profile> std::vector<uint16_t> rotated(const std::vector<uint16_t> &bits, int heads) const {
    oracle::DecodeInputs in;
    in.q = bits;
    if (write.rope) {
      const auto floats = [](const TensorView &t) {
        const auto all = t.buffer.as<const float>();
        return std::vector<float>(all.begin(), all.end());
      };
      in.rope = oracle::DecodeRope{floats(write.rope->cosines), floats(write.rope->sines), positions,
                                   int(write.rope->cosines.size(1)), c.neighbours};
    }
    return oracle::rotatedQuery<Profile>(decodeShape(c.batches * c.m, heads, 1, c.headDim, 1, c.bfloat), in);
  }

  /// The packed buffer as it must be: heads of m rows for each batch, poison after them.
  template <class Profile> std::vector<uint16_t> expectedPacked() const {
    const std::vector<uint16_t> values = rotated<Profile>(q, c.heads);
    std::vector<uint16_t> out(size_t(c.batches) * rows * c.heads * c.headDim, kPoison);
    for (int b = 0; b < c.batches; ++b)
      for (int token = 0; token < c.m; ++token)
        for (int h = 0; h < c.heads; ++h)
          for (int d = 0; d < c.headDim; ++d)
            out[size_t(b) * rows * c.heads * c.headDim + (size_t(h) * c.m + token) * c.headDim + d] =
                values[((size_t(b) * c.m + token) * c.heads + h) * c.headDim + d];
    return out;
  }
  /// A cache with the rows of new tokens; the rest, gaps included, is poison.
  std::vector<uint16_t> expectedCache(const TensorView &cache, const std::vector<uint16_t> &values) const {
    std::vector<uint16_t> out(cache.buffer.length() / 2, kPoison);
    for (int b = 0; b < c.batches; ++b)
      for (int token = 0; token < c.m; ++token)
        for (int h = 0; h < c.kvHeads; ++h)
          for (int d = 0; d < c.headDim; ++d)
            out[b * cache.stride(0) + h * cache.stride(1) + (starts[b] + token) * cache.stride(2) + d] =
                values[((size_t(b) * c.m + token) * c.kvHeads + h) * c.headDim + d];
    return out;
  }

  PrepCase c;
  int rows;
  std::vector<uint16_t> q, k, v; ///< [batch][m][heads][head_dim]
  std::vector<uint32_t> starts, positions;
  PackQueriesArguments pack;
  WriteKvArguments write;

private:
  TensorView cache(DataType type, int gap) const {
    TensorView t;
    const int64_t row = c.headDim + gap, head = row * c.capacity, batch = head * c.kvHeads;
    t.type = type, t.sizes = {c.batches, c.kvHeads, c.capacity, c.headDim};
    t.strides = {batch, head, row, 1};
    t.buffer = Device::systemDefault().newBuffer(size_t(batch) * c.batches * 2);
    t.buffer.poison();
    return t;
  }
};

std::vector<uint16_t> bitsIn(const TensorView &t) {
  const auto bits = t.buffer.as<const uint16_t>();
  return {bits.begin(), bits.end()};
}

template <class T>::testing::AssertionResult ran(const Result<T> &result) {
  return result ? ::testing::AssertionSuccess()
                : ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
}

const std::vector<PrepCase> kCases = {
    {.name = "OneToken", .m = 1},
    {.name = "SeveralTokens", .batches = 2, .heads = 6, .kvHeads = 2, .m = 5},
    {.name = "FixedCapacity", .batches = 2, .heads = 4, .kvHeads = 2, .m = 5, .rows = 8},
    {.name = "PartOfAHead", .batches = 2, .heads = 2, .headDim = 96, .ropeSize = 32},
    {.name = "Neighbours", .batches = 2, .heads = 2, .neighbours = true},
    {.name = "NeighboursOfAPart", .headDim = 80, .ropeSize = 48, .neighbours = true},
    {.name = "Bfloat", .batches = 2, .heads = 4, .kvHeads = 4, .headDim = 128, .bfloat = true},
    {.name = "CacheWithGaps", .batches = 2, .heads = 3, .kvHeads = 3, .m = 4, .gap = 8},
    {.name = "NotRotated", .batches = 2, .heads = 4, .kvHeads = 2, .m = 4, .rows = 6, .ropeSize = -1},
    {.name = "NotRotatedBfloat", .heads = 3, .headDim = 33, .ropeSize = -1, .bfloat = true},
    {.name = "SmallHead", .heads = 2, .headDim = 6, .m = 2},
};

class Preparation : public ::testing::TestWithParam<PrepCase> {};

TEST_P(Preparation, PacksQueriesHeadMajorOverTheTokensThatThereAre) {
  Prep prep(GetParam());
  for (KernelSet kernels : {kernelSet(), compoundSet(kernelSet())}) {
    prep.pack.packed.buffer.poison();
    const auto report = dispatchPackQueries(kernels, prep.pack);
    ASSERT_TRUE(ran(report));
    EXPECT_TRUE(bitsEqual(prep.expectedPacked<oracle::Apple>(), bitsIn(prep.pack.packed)));
    EXPECT_EQ(report->dispatch.threadgroups, uint64_t(prep.c.batches) * prep.c.heads * prep.c.m);
  }
}

TEST_P(Preparation, WritesKeysAndValuesWhereTheyBelong) {
  Prep prep(GetParam());
  for (KernelSet kernels : {kernelSet(), compoundSet(kernelSet())}) {
    prep.write.k.buffer.poison(), prep.write.v.buffer.poison();
    const auto report = dispatchWriteKv(kernels, prep.write);
    ASSERT_TRUE(ran(report));
    EXPECT_TRUE(
        bitsEqual(prep.expectedCache(prep.write.k, prep.rotated<oracle::Apple>(prep.k, prep.c.kvHeads)),
                  bitsIn(prep.write.k)));
    EXPECT_TRUE(bitsEqual(prep.expectedCache(prep.write.v, prep.v), bitsIn(prep.write.v)));
    EXPECT_EQ(report->dispatch.threadgroups, uint64_t(prep.c.batches) * prep.c.kvHeads * prep.c.m);
  }
}

TEST_P(Preparation, EqualsTheOracleUnderIeee) {
  Prep prep(GetParam());
  ASSERT_TRUE(ran(dispatchPackQueries(kernelSet(kIeeeNumerics), prep.pack)));
  EXPECT_TRUE(bitsEqual(prep.expectedPacked<oracle::Ieee>(), bitsIn(prep.pack.packed)));
  ASSERT_TRUE(ran(dispatchWriteKv(kernelSet(kIeeeNumerics), prep.write)));
  EXPECT_TRUE(bitsEqual(prep.expectedCache(prep.write.k, prep.rotated<oracle::Ieee>(prep.k, prep.c.kvHeads)),
                        bitsIn(prep.write.k)));
}

INSTANTIATE_TEST_SUITE_P(Cases, Preparation, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

PrepCase named(std::string_view name) {
  for (const PrepCase &c : kCases)
    if (name == c.name)
      return c;
  ADD_FAILURE() << "no case " << name;
  return {};
}

/// Straight from the definition: a' = a cos - b sin, b' = a sin + b cos with the tables' floats, in float64.
/// Bound: of each sum two products and an addition are rounded to float, so 3u / (1 - 3u) of the magnitudes
/// with u = 2^-24; then to the type, half a unit in the last place, or half of the smallest half.
TEST(PreparationAlone, IsNearTheRotationInFloat64) {
  for (const char *name : {"SeveralTokens", "PartOfAHead", "NeighboursOfAPart", "Bfloat"}) {
    SCOPED_TRACE(name);
    Prep prep(named(name));
    const PrepCase &c = prep.c;
    ASSERT_TRUE(ran(dispatchWriteKv(kernelSet(), prep.write)));
    const auto before = valuesOf(prep.k, c.bfloat), cache = valuesOf(bitsIn(prep.write.k), c.bfloat);
    const int size = c.ropeSize ? c.ropeSize : c.headDim, pairs = size / 2;
    const auto cosines = prep.write.rope->cosines.buffer.as<const float>(),
               sines = prep.write.rope->sines.buffer.as<const float>();
    const double unit = c.bfloat ? 0x1p-8 : 0x1p-11, least = c.bfloat ? 0x1p-126 : 0x1p-25;
    double largest = 0, bound = 0;
    for (int token = 0; token < c.batches * c.m; ++token)
      for (int h = 0; h < c.kvHeads; ++h)
        for (int d = 0; d < c.headDim; ++d) {
          const float *row = &before[(size_t(token) * c.kvHeads + h) * c.headDim];
          double want = row[d], may = 0;
          if (d < size) {
            const bool first = c.neighbours ? d % 2 == 0 : d < pairs;
            const int pair = c.neighbours ? d / 2 : d % pairs;
            const int other = c.neighbours ? d ^ 1 : first ? d + pairs : d - pairs;
            const double cosine = cosines[prep.positions[token] * pairs + pair],
                         sine = sines[prep.positions[token] * pairs + pair];
            want = first ? row[d] * cosine - row[other] * sine : row[other] * sine + row[d] * cosine;
            const double inFloat =
                3 * 0x1p-24 / (1 - 3 * 0x1p-24) * (std::fabs(row[d] * cosine) + std::fabs(row[other] * sine));
            may = inFloat + unit * (std::fabs(want) + inFloat) + least;
          }
          const int b = token / c.m, t = token % c.m;
          const double got = cache[b * prep.write.k.stride(0) + h * prep.write.k.stride(1) +
                                   (prep.starts[b] + t) * prep.write.k.stride(2) + d];
          ASSERT_LE(std::fabs(got - want), may) << "token " << token << ", head " << h << ", element " << d;
          largest = std::max(largest, std::fabs(got - want)), bound = std::max(bound, may);
        }
    EXPECT_GT(largest, 0);
    EXPECT_LT(bound, c.bfloat ? 0.02 : 0.002); // values reach 2.8
    RecordProperty(name, fmt::format("{:.2g} of {:.2g}", largest, bound));
  }
}

TEST(PreparationAlone, GivesTheSameBitsInAllWays) {
  Prep prep(named("SeveralTokens"));
  KernelSet &kernels = kernelSet();
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        kernels.options() = options;
        prep.write.k.buffer.poison(), prep.pack.packed.buffer.poison();
        const auto wrote = ran(dispatchWriteKv(kernels, prep.write));
        return wrote ? ran(dispatchPackQueries(kernels, prep.pack)) : wrote;
      },
      [&] {
        EXPECT_TRUE(bitsEqual(prep.expectedPacked<oracle::Apple>(), bitsIn(prep.pack.packed)));
        EXPECT_TRUE(
            bitsEqual(prep.expectedCache(prep.write.k, prep.rotated<oracle::Apple>(prep.k, prep.c.kvHeads)),
                      bitsIn(prep.write.k)));
      });
}

TEST(PreparationAlone, HasNoFindings) {
  Prep prep(named("PartOfAHead"));
  KernelSet &kernels = kernelSet();
  kernels.options().checks = CheckRules::byDefault();
  const auto packed = dispatchPackQueries(kernels, prep.pack);
  const auto wrote = dispatchWriteKv(kernels, prep.write);
  ASSERT_TRUE(ran(packed) && ran(wrote));
  for (const DispatchReport &report : {packed->dispatch, wrote->dispatch})
    for (const Finding &finding : report.findings)
      ADD_FAILURE() << renderDiagnostics(diagnosticsOf(finding));
}

/// A cache whose heads are 2^31 elements apart; pages that nobody touches cost nothing.
TEST(PreparationAlone, ReachesRowsPast32Bits) {
  Prep prep({.name = "", .heads = 2, .kvHeads = 2, .m = 2});
  for (TensorView *t : {&prep.write.k, &prep.write.v}) {
    t->strides = {int64_t(1) << 32, int64_t(1) << 31, 64, 1};
    t->buffer = Device::systemDefault().newBuffer(((size_t(1) << 31) + 16 * 64) * 2);
  }
  ASSERT_TRUE(ran(dispatchWriteKv(kernelSet(), prep.write)));
  const std::vector<uint16_t> keys = prep.rotated<oracle::Apple>(prep.k, 2);
  for (int h = 0; h < 2; ++h)
    for (int token = 0; token < 2; ++token) {
      const size_t from = (size_t(token) * 2 + h) * 64,
                   at = (size_t(h) << 31) + (prep.starts[0] + token) * 64;
      EXPECT_TRUE(
          bitsEqual(std::span(keys).subspan(from, 64),
                    std::span<const uint16_t>(prep.write.k.buffer.as<const uint16_t>()).subspan(at, 64)));
      EXPECT_TRUE(
          bitsEqual(std::span(prep.v).subspan(from, 64),
                    std::span<const uint16_t>(prep.write.v.buffer.as<const uint16_t>()).subspan(at, 64)));
    }
}

/// "message [rule]", and that nothing was written.
std::string packRefusal(const std::function<void(PackQueriesArguments &)> &spoil) {
  Prep prep({.name = "", .batches = 2, .heads = 2, .m = 3, .rows = 4});
  const TensorView packed = prep.pack.packed;
  spoil(prep.pack);
  const auto report = dispatchPackQueries(kernelSet(), prep.pack);
  if (report)
    return "accepted";
  for (const uint16_t bits : bitsIn(packed))
    if (bits != kPoison)
      return "ran before it refused";
  return report.error().message() + " [" + report.error().rule() + "]";
}
std::string writeRefusal(const std::function<void(WriteKvArguments &)> &spoil) {
  Prep prep({.name = "", .batches = 2, .heads = 2, .kvHeads = 2, .m = 3, .rows = 4});
  const TensorView k = prep.write.k, v = prep.write.v;
  spoil(prep.write);
  const auto report = dispatchWriteKv(kernelSet(), prep.write);
  if (report)
    return "accepted";
  for (const TensorView &cache : {k, v})
    for (const uint16_t bits : bitsIn(cache))
      if (bits != kPoison && &cache == &k)
        return "ran before it refused";
  return report.error().message() + " [" + report.error().rule() + "]";
}
TensorView fresh(DataType type, std::vector<int64_t> sizes) {
  return TensorView::poisoned(Device::systemDefault(), type, std::move(sizes));
}

TEST(PackUsage, RefusesWhatDoesNotFit) {
  using A = PackQueriesArguments;
  EXPECT_EQ(packRefusal([](A &) {}), "accepted");
  EXPECT_EQ(packRefusal([](A &a) { a.q = {}; }),
            "q is missing: half [any, any, any] is needed [missing-tensor]");
  EXPECT_EQ(packRefusal([](A &a) { a.q = fresh(DataType::Float, {2, 4, 128}); }),
            "q has type float, preparation takes half and bfloat [tensor-type]");
  EXPECT_EQ(packRefusal([](A &a) { a.packed = fresh(DataType::BFloat, {2, 4, 128}); }),
            "packed has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(packRefusal([](A &a) { a.headDim = 0; }),
            "head_dim is 0, preparation takes 1 to 1024 [head-dim]");
  EXPECT_EQ(packRefusal([](A &a) { a.headDim = 1025; }),
            "head_dim is 1025, preparation takes 1 to 1024 [head-dim]");
  EXPECT_EQ(packRefusal([](A &a) { a.headDim = 48; }),
            "a row of q has 128 elements, heads have 48 [shape-mismatch]");
  EXPECT_EQ(packRefusal([](A &a) { a.m = 0; }), "m is 0, q has room for 1 to 4 [row-count]");
  EXPECT_EQ(packRefusal([](A &a) { a.m = 5; }), "m is 5, q has room for 1 to 4 [row-count]");
  EXPECT_EQ(packRefusal([](A &a) { a.packed = fresh(DataType::Half, {2, 2, 128}); }),
            "m is 3, packed has room for 2 [row-count]");
  EXPECT_EQ(packRefusal([](A &a) { a.packed = fresh(DataType::Half, {1, 4, 128}); }),
            "packed is [1, 4, 128], the other arguments ask for [2, any, 128] [shape-mismatch]");
  EXPECT_EQ(packRefusal([](A &a) {
              a.packed = fresh(DataType::Half, {2, 4, 132});
              a.packed.sizes[2] = 128;
            }),
            "packed has 132 elements between rows, d_model is 128 [stride]");
  EXPECT_EQ(packRefusal([](A &a) { a.packed = a.q, a.packed.offset = 0; }),
            "packed and q share memory: bytes 0 to 2048 of packed are in both [overlap]");
}

TEST(PackUsage, RefusesRotationsThatTheTablesDoNotHave) {
  using A = PackQueriesArguments;
  EXPECT_EQ(packRefusal([](A &a) { a.rope->positions = numbers({1, 2, 3, 4, 5, 40}, {2, 3}); }),
            "batch 1, token 2, is at position 40, the tables have 40 rows [rope-position]");
  EXPECT_EQ(packRefusal([](A &a) { a.rope->positions = numbers({1, 2}, {2}); }),
            "positions has 1 axes, [2, 3] has 2 [tensor-rank]");
  EXPECT_EQ(packRefusal([](A &a) { a.rope->positions = numbers({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}); }),
            "positions is [2, 4], the other arguments ask for [2, 3] [shape-mismatch]");
  EXPECT_EQ(packRefusal([](A &a) {
              a.rope->positions = numbers({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
              a.rope->positions.sizes = {2, 3};
            }),
            "positions of batches are 4 elements apart, the kernel reads 3 [stride]");
  EXPECT_EQ(packRefusal([](A &a) { a.headDim = 32; }), "tables turn 64 elements, a head has 32 [rope-size]");
}

TEST(WriteUsage, RefusesWhatDoesNotFit) {
  using A = WriteKvArguments;
  EXPECT_EQ(writeRefusal([](A &) {}), "accepted");
  EXPECT_EQ(writeRefusal([](A &a) { a.newV = {}; }),
            "newV is missing: half [2, any, 128] is needed [missing-tensor]");
  EXPECT_EQ(writeRefusal([](A &a) { a.newK = fresh(DataType::Char, {2, 4, 128}); }),
            "newK has type char, preparation takes half and bfloat [tensor-type]");
  EXPECT_EQ(writeRefusal([](A &a) { a.v = fresh(DataType::BFloat, {2, 2, 16, 64}); }),
            "v has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(writeRefusal([](A &a) { a.newK = fresh(DataType::Half, {2, 4, 192}); }),
            "a row of newK has 192 elements, the cache has 2 heads of 64 [shape-mismatch]");
  EXPECT_EQ(writeRefusal([](A &a) { a.v = fresh(DataType::Half, {2, 2, 15, 64}); }),
            "v is [2, 2, 15, 64], the other arguments ask for [2, 2, 16, 64] [shape-mismatch]");
  EXPECT_EQ(writeRefusal([](A &a) { a.k = fresh(DataType::Half, {2, 2, 16, 2048}); }),
            "head_dim is 2048, preparation takes 1 to 1024 [head-dim]");
  EXPECT_EQ(writeRefusal([](A &a) { a.m = 0; }), "m is 0, newK has room for 1 to 4 [row-count]");
  EXPECT_EQ(writeRefusal([](A &a) { a.newV = fresh(DataType::Half, {2, 2, 128}); }),
            "m is 3, newV has 2 rows [row-count]");
  EXPECT_EQ(writeRefusal([](A &a) { a.m.reset(), a.newV = fresh(DataType::Half, {2, 5, 128}); }),
            "m is 4, newV has 5 rows [row-count]");
}

TEST(WriteUsage, RefusesRowsThatTheCacheDoesNotHave) {
  using A = WriteKvArguments;
  EXPECT_EQ(writeRefusal([](A &a) { a.starts = numbers({0, 13}, {2}); }), "accepted");
  EXPECT_EQ(writeRefusal([](A &a) { a.starts = numbers({0, 14}, {2}); }),
            "batch 1 writes rows 14 to 16, the cache has 16 [kv-capacity]");
  EXPECT_EQ(writeRefusal([](A &a) { a.starts = numbers({0xFFFFFFFF, 0}, {2}); }),
            "batch 0 writes rows 4294967295 to 4294967297, the cache has 16 [kv-capacity]");
  EXPECT_EQ(writeRefusal([](A &a) { a.starts = numbers({0}, {1}); }),
            "starts is [1], the other arguments ask for [2] [shape-mismatch]");
}

TEST(WriteUsage, RefusesMemoryThatIsShared) {
  using A = WriteKvArguments;
  EXPECT_EQ(writeRefusal([](A &a) { a.v = a.k; }),
            "k and v share memory: bytes 0 to 8192 of k are in both [overlap]");
  EXPECT_EQ(writeRefusal([](A &a) {
              a.newV = a.v;
              a.newV.sizes = {2, 4, 128}, a.newV.strides = {512, 128, 1}, a.newV.offset = 64;
            }),
            "v and newV share memory: bytes 128 to 2176 of v are in both [overlap]");
}

} // namespace
} // namespace assay::kernels::foundry
