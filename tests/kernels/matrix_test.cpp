// kernels_msl/matrix: simdgroup matrices through the compiler. Where elements lie, in lanes and in memory;
// what products give, against an oracle and against bits of Apple GPUs; what is refused.
#include "tests/kernels/oracles/matrix.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using namespace testing_support;
using oracle::Eight;

const std::string kFile = ownKernel("matrix/tiles.metal");

// ---- where elements lie ----

TEST(MatrixLayout, EachLaneHoldsTwoNeighboursAsOnAppleGpus) {
  std::vector<float> tile(64);
  for (int i = 0; i < 64; ++i)
    tile[i] = float(i);
  std::vector<float> byLane, made(3 * 64);
  for (int lane = 0; lane < 32; ++lane) {
    const auto [row, column] = oracle::placeOfLane(lane);
    byLane.insert(byLane.end(), {float(8 * row + column), float(8 * row + column + 1)});
    made[128 + 8 * row + column] = float(2 * lane);
    made[128 + 8 * row + column + 1] = float(2 * lane + 1);
  }
  for (int i = 0; i < 64; ++i) {
    made[i] = 2.5f;
    made[64 + i] = i % 9 == 0 ? -3.0f : 0.0f;
  }
  KernelRun run(kFile, "tile_elements");
  run.input(0, tile).output<float>(1, 64).output<float>(2, made.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {32}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(byLane, run.read<float>(1)));
        EXPECT_TRUE(bitsEqual(made, run.read<float>(2)));
      });
}

// As the kernel has it.
struct Place {
  uint64_t elementsPerRow, column, row;
  uint32_t transposed, padding = 0;

  // MSL: the origin is a place in memory; transposing turns round what is found there.
  size_t index(uint64_t i, uint64_t j) const {
    return transposed ? (row + j) * elementsPerRow + column + i : (row + i) * elementsPerRow + column + j;
  }
};

const Place kPlaces[] = {{8, 0, 0, 0},   {8, 0, 0, 1},  {24, 0, 0, 0}, {24, 0, 0, 1}, {24, 13, 5, 0},
                         {24, 13, 5, 1}, {17, 9, 0, 1}, {1, 2, 3, 0},  {0, 7, 0, 0}};

template <class T> void expectMoves(const char *kernel) {
  const char *const kSpaces[] = {"device", "threadgroup"};
  const uint32_t length = 24 * 13 + 24;
  std::vector<T> from(length), to(length);
  for (uint32_t i = 0; i < length; ++i) {
    from[i] = T(0x1000 + i); // any bits: moving is no arithmetic, and keeps subnormals and NaNs
    to[i] = T(0x7f00 + i);
  }
  from[0] = T(1);
  for (uint32_t fromSpace = 0; fromSpace < 2; ++fromSpace)
    for (uint32_t toSpace = 0; toSpace < 2; ++toSpace) {
      SCOPED_TRACE(std::string(kernel) + " from " + kSpaces[fromSpace] + " to " + kSpaces[toSpace]);
      KernelRun run(kFile, kernel);
      run.constant(0, fromSpace).constant(1, toSpace).input(0, from).inout(1, to);
      run.threadgroupMemory(0, (length * sizeof(T) + 15) / 16 * 16);
      run.threadgroupMemory(1, (length * sizeof(T) + 15) / 16 * 16);
      for (const Place &source : kPlaces)
        for (const Place &target : kPlaces) {
          if (target.elementsPerRow < 8)
            continue; // rows that overlap: which lane writes last is open
          std::vector<T> expected = to;
          for (uint32_t i = 0; i < 8; ++i)
            for (uint32_t j = 0; j < 8; ++j)
              expected[target.index(i, j)] = from[source.index(i, j)];
          run.bytes(2, source).bytes(3, target).bytes(4, length);
          ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
          ASSERT_TRUE(bitsEqual(expected, run.read<T>(1)))
              << "from " << source.elementsPerRow << " (" << source.column << ", " << source.row << ") "
              << source.transposed << " to " << target.elementsPerRow << " (" << target.column << ", "
              << target.row << ") " << target.transposed;
        }
    }
}

TEST(MatrixPlaces, LoadsAndStoresReachEveryMemoryWithEveryOriginStrideAndTransposition) {
  expectMoves<uint32_t>("tile_move_f32");
  expectMoves<uint16_t>("tile_move_f16");
  expectMoves<uint16_t>("tile_move_bf16");
}

TEST(MatrixPlaces, ALoadBeyondTheBufferNamesTheLoadAndTheElement) {
  const std::vector<float> from(8 * 24); // the last row of a tile at row 5 ends at element 24 * 12 + 21
  KernelRun run(kFile, "tile_move_f32");
  run.constant(0, 0u).constant(1, 0u).input(0, from).inout(1, std::vector<float>(400));
  run.threadgroupMemory(0, 2048).threadgroupMemory(1, 2048);
  run.bytes(2, Place{24, 13, 5, 0}).bytes(3, Place{8, 0, 0, 0}).bytes(4, 192u);
  const ::testing::AssertionResult result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  // Lane 6 is the first that holds row 3: row 8 of the buffer, column 13.
  // For the debugger the pointer is a variable in memory: which argument it came from is found by its
  // address.
  EXPECT_THAT(
      result.message(),
      ::testing::HasSubstr(
          testing_support::kernelsAreForTheDebugger()
              ? "tiles.metal:78:5: error: read of 4 bytes outside all memory of the kernel, at byte 820 "
                "of buffer(0), which is the nearest and has 768 bytes [out-of-bounds]"
              : "tiles.metal:78:5: error: read of 4 bytes at byte 820 of buffer(0) 'from', which has "
                "768 bytes [out-of-bounds]"));
  EXPECT_THAT(result.message(), ::testing::HasSubstr("lane 6"));
}

// ---- what products give ----

template <class T> std::vector<T> halves(size_t count, uint64_t seed) {
  std::vector<T> bits(count);
  Random random(seed);
  for (T &b : bits)
    b = T((random.bits() & 0x83ff) | (6 + random.below(16)) << 10);
  return bits;
}
std::vector<uint16_t> bfloats(size_t count, uint64_t seed) {
  std::vector<uint16_t> bits(count);
  Random random(seed);
  for (uint16_t &b : bits)
    b = uint16_t((random.bits() & 0x807f) | (116 + random.below(20)) << 7);
  return bits;
}
std::vector<float> floats(size_t count, uint64_t seed) {
  std::vector<float> values = uniformFloats(count, seed);
  Random random(seed + 1);
  for (size_t i = 0; i < count; ++i)
    values[i] *= float(1u << random.below(20)) * (i % 97 == 0 ? 0x1p-140f : 1.0f);
  return values;
}

constexpr uint32_t kTiles = 40;

/// The tiles of d, where element(row of a, column of b, element of c) gives one.
template <class D, class A, class B, class C, class Element>
std::vector<D> productOf(const std::vector<A> &a, const std::vector<B> &b, const std::vector<C> &c,
                         Element element) {
  std::vector<D> d(a.size());
  for (size_t i = 0; i < d.size(); ++i) {
    Eight<A> left;
    Eight<B> right;
    for (size_t k = 0; k < 8; ++k) {
      left[k] = a[i / 8 * 8 + k];
      right[k] = b[i / 64 * 64 + 8 * k + i % 8];
    }
    d[i] = element(left, right, c[i]);
  }
  return d;
}

template <class D, class A, class B, class C, class Element>
void expectProducts(const std::string &types, const NumericsProfile &numerics, const std::vector<A> &a,
                    const std::vector<B> &b, const std::vector<C> &c, Element element) {
  SCOPED_TRACE(types);
  const std::vector<D> expected = productOf<D>(a, b, c, element);
  KernelRun run(kFile, "tile_multiply_accumulate_" + types);
  run.numerics(numerics).input(0, a).input(1, b).input(2, c).template output<D>(3, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({kTiles}, {32}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<D>(3))); });
}

constexpr size_t kElements = 64 * kTiles;

TEST(MatrixProducts, OfFloatMatchTheOracleUnderEachProfileAndOrder) {
  const auto a = floats(kElements, 1), b = floats(kElements, 2), c = floats(kElements, 3);
  const std::pair<MatrixOrder, oracle::Order> orders[] = {
      {MatrixOrder::Ascending, oracle::Order::Ascending},
      {MatrixOrder::Descending, oracle::Order::Descending},
      {MatrixOrder::Pairwise, oracle::Order::Pairwise}};
  for (auto [policy, order] : orders) {
    NumericsProfile apple = kAppleNumerics, ieee = kIeeeNumerics;
    apple.matrix = ieee.matrix = policy;
    expectProducts<float>("f32", apple, a, b, c, [&](const Eight<float> &x, const Eight<float> &y, float z) {
      return oracle::floatChain<oracle::Apple>(x, y, z, order);
    });
    // Fused although this profile contracts nothing.
    expectProducts<float>("f32", ieee, a, b, c, [&](const Eight<float> &x, const Eight<float> &y, float z) {
      return oracle::floatChain<oracle::Ieee>(x, y, z, order);
    });
  }
}

TEST(MatrixProducts, OfHalfAndBfloatMatchTheOracle) {
  expectProducts<uint16_t>("f16", kAppleNumerics, halves<uint16_t>(kElements, 1),
                           halves<uint16_t>(kElements, 2), halves<uint16_t>(kElements, 3),
                           [](const Eight<uint16_t> &x, const Eight<uint16_t> &y, uint16_t z) {
                             return oracle::halfChain(x, y, z, oracle::Order::Ascending);
                           });
  for (const bool eachStep : {true, false}) {
    NumericsProfile numerics = kAppleNumerics;
    numerics.bfloatMatrixSteps = eachStep;
    expectProducts<uint16_t>(
        "bf16", numerics, bfloats(kElements, 1), bfloats(kElements, 2), bfloats(kElements, 3),
        [&](const Eight<uint16_t> &x, const Eight<uint16_t> &y, uint16_t z) {
          return oracle::bfloatChain<oracle::Apple>(x, y, z, oracle::Order::Ascending, eachStep);
        });
  }
}

template <class T, class Convert> Eight<float> converted(const Eight<T> &from, Convert convert) {
  Eight<float> to;
  for (int i = 0; i < 8; ++i)
    to[i] = convert(from[i]);
  return to;
}

TEST(MatrixProducts, OfMixedTypesAreComputedInFloatAndRoundedOnceAtTheEnd) {
  using Bits = Eight<uint16_t>;
  const auto chain = [](const Eight<float> &x, const Eight<float> &y, float z) {
    return oracle::floatChain<oracle::Apple>(x, y, z, oracle::Order::Ascending);
  };
  const auto h = oracle::fromHalf;
  const auto bf = oracle::fromBfloat;
  const auto a = halves<uint16_t>(kElements, 4), b = halves<uint16_t>(kElements, 5);
  const auto c = floats(kElements, 6);
  expectProducts<float>(
      "f16_f16_into_f32", kAppleNumerics, a, b, c,
      [&](const Bits &x, const Bits &y, float z) { return chain(converted(x, h), converted(y, h), z); });
  expectProducts<uint16_t>("f16_f16_f32_into_f16", kAppleNumerics, a, b, c,
                           [&](const Bits &x, const Bits &y, float z) {
                             return oracle::toHalf(chain(converted(x, h), converted(y, h), z));
                           });
  const auto d = bfloats(kElements, 7);
  expectProducts<float>(
      "f16_bf16_into_f32", kAppleNumerics, a, d, c,
      [&](const Bits &x, const Bits &y, float z) { return chain(converted(x, h), converted(y, bf), z); });
  expectProducts<uint16_t>("bf16_f32_into_f16", kAppleNumerics, d, c, b,
                           [&](const Bits &x, const Eight<float> &y, uint16_t z) {
                             return oracle::toHalf(chain(converted(x, bf), y, h(z)));
                           });
}

template <class T, class Element>
void expectMultiply(const char *kernel, const std::vector<T> &a, const std::vector<T> &b, Element element) {
  std::vector<T> expected = productOf<T>(a, b, std::vector<T>(a.size(), T(0)), element);
  expected.insert(expected.end(), expected.begin(), expected.begin() + ptrdiff_t(a.size()));
  KernelRun run(kFile, kernel);
  run.input(0, a).input(1, b).template output<T>(2, expected.size());
  ASSERT_TRUE(run.dispatchThreadgroups({kTiles}, {32}));
  EXPECT_TRUE(bitsEqual(expected, run.read<T>(2))) << kernel;
}

TEST(MatrixProducts, WithoutAnAccumulatorStartFromZero) {
  using Bits = Eight<uint16_t>;
  const auto order = oracle::Order::Ascending;
  expectMultiply("tile_multiply_f32", floats(kElements, 1), floats(kElements, 2),
                 [&](const Eight<float> &x, const Eight<float> &y, float z) {
                   return oracle::floatChain<oracle::Apple>(x, y, z, order);
                 });
  expectMultiply("tile_multiply_f16", halves<uint16_t>(kElements, 1), halves<uint16_t>(kElements, 2),
                 [&](const Bits &x, const Bits &y, uint16_t z) { return oracle::halfChain(x, y, z, order); });
  expectMultiply("tile_multiply_bf16", bfloats(kElements, 1), bfloats(kElements, 2),
                 [&](const Bits &x, const Bits &y, uint16_t z) {
                   return oracle::bfloatChain<oracle::Apple>(x, y, z, order, true);
                 });
}

// ---- bits of Apple GPUs ----

struct Dot {
  const char *id;
  std::vector<uint32_t> left, right;
  uint32_t result;
};
struct Element {
  const char *id;
  bool halfResult;
  std::vector<uint16_t> left, right;
  uint32_t start, result;
};
struct Workload {
  const char *name;
  uint64_t columns;
};
struct StripSample {
  Workload workload;
  uint64_t row, column;
  uint32_t result;
};

constexpr Workload w_prefill_mlp_in{"w_prefill_mlp_in", 1024}, w_prefill_mlp_out{"w_prefill_mlp_out", 3072},
    w_prefill_o{"w_prefill_o", 2048};
constexpr bool F32 = false, F16 = true;

#define ASSAY_LIST(...) {__VA_ARGS__}
#define ASSAY_MATRIX_DOT(id, left, right, result) {id, ASSAY_LIST left, ASSAY_LIST right, result},
#define ASSAY_MATRIX_ELEMENT(...)
#define ASSAY_MATRIX_STRIP(...)
const std::vector<Dot> kDots = {
#include "matrix_vectors.def"
};
#undef ASSAY_MATRIX_DOT
#undef ASSAY_MATRIX_ELEMENT
#define ASSAY_MATRIX_DOT(...)
#define ASSAY_MATRIX_ELEMENT(id, type, left, right, start, result)                                           \
  {id, type, ASSAY_LIST left, ASSAY_LIST right, start, result},
const std::vector<Element> kElementVectors = {
#include "matrix_vectors.def"
};
#undef ASSAY_MATRIX_ELEMENT
#undef ASSAY_MATRIX_STRIP
#define ASSAY_MATRIX_ELEMENT(...)
#define ASSAY_MATRIX_STRIP(workload, row, column, result) {workload, row, column, result},
const std::vector<StripSample> kStrips = {
#include "matrix_vectors.def"
};
#undef ASSAY_MATRIX_DOT
#undef ASSAY_MATRIX_ELEMENT
#undef ASSAY_MATRIX_STRIP

TEST(MatrixVectors, DotsOfSixteenAsTwoChainedProducts) {
  ASSERT_EQ(kDots.size(), 7u);
  for (const Dot &dot : kDots) {
    std::vector<uint32_t> a, b; // eight equal rows of each
    for (int row = 0; row < 8; ++row) {
      a.insert(a.end(), dot.left.begin(), dot.left.end());
      b.insert(b.end(), dot.right.begin(), dot.right.end());
    }
    KernelRun run(kFile, "strip_products");
    run.input(0, a).input(1, b).output<uint32_t>(2, 64).bytes(3, 16u);
    ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
    EXPECT_TRUE(bitsEqual(std::vector<uint32_t>(64, dot.result), run.read<uint32_t>(2))) << dot.id;
  }
}

TEST(MatrixVectors, ElementsOfHalfByHalf) {
  ASSERT_EQ(kElementVectors.size(), 34u);
  for (const Element &element : kElementVectors) {
    std::vector<uint16_t> a, b; // equal rows of a, equal columns of b
    for (int i = 0; i < 8; ++i) {
      a.insert(a.end(), element.left.begin(), element.left.end());
      b.insert(b.end(), 8, element.right[i]);
    }
    const auto expect = [&](auto zero, const char *kernel) {
      using T = decltype(zero);
      KernelRun run(kFile, kernel);
      run.input(0, a).input(1, b).input(2, std::vector<T>(64, T(element.start))).template output<T>(3, 64);
      ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
      EXPECT_TRUE(bitsEqual(std::vector<T>(64, T(element.result)), run.template read<T>(3))) << element.id;
    };
    if (element.halfResult)
      expect(uint16_t(0), "tile_multiply_accumulate_f16");
    else
      expect(uint32_t(0), "tile_multiply_accumulate_f16_f16_into_f32");
  }
}

// The generator of the source: element i of a matrix.
float workloadValue(uint64_t seed, uint64_t i) {
  const uint64_t r = Random(seed + i * 0x2545F4914F6CDD1D).bits() >> 40;
  return float(int32_t(r) - 8388608) * 0x1p-24f;
}

TEST(MatrixVectors, SamplesOfWholeMatrixProducts) {
  ASSERT_EQ(kStrips.size(), 72u);
  constexpr uint64_t kSeedA = 0x5445524D, kSeedB = kSeedA ^ 0xA5A5A5A5A5A5A5A5;
  for (const Workload &workload : {w_prefill_mlp_in, w_prefill_mlp_out, w_prefill_o}) {
    std::vector<StripSample> samples;
    for (const StripSample &sample : kStrips)
      if (sample.workload.name == workload.name)
        samples.push_back(sample);
    std::vector<float> a, b; // the strips of eight rows that hold the samples
    for (const StripSample &sample : samples)
      for (uint64_t row = 0; row < 8; ++row)
        for (uint64_t k = 0; k < workload.columns; ++k) {
          a.push_back(workloadValue(kSeedA, (sample.row / 8 * 8 + row) * workload.columns + k));
          b.push_back(workloadValue(kSeedB, (sample.column / 8 * 8 + row) * workload.columns + k));
        }
    KernelRun run(kFile, "strip_products");
    run.input(0, a).input(1, b).output<uint32_t>(2, 64 * samples.size()).bytes(3, uint32_t(workload.columns));
    ASSERT_TRUE(run.dispatchThreadgroups({uint32_t(samples.size())}, {32}));
    const std::vector<uint32_t> d = run.read<uint32_t>(2);
    for (size_t i = 0; i < samples.size(); ++i)
      EXPECT_EQ(d[64 * i + 8 * (samples[i].row % 8) + samples[i].column % 8], samples[i].result)
          << workload.name << " row " << samples[i].row << " column " << samples[i].column;
  }
}

// ---- what is refused ----

TEST(MatrixProducts, WithPartOfASimdgroupAreRefusedAndSayWhoIsMissing) {
  KernelRun run(kFile, "tile_multiply_f32");
  run.input(0, std::vector<float>(64)).input(1, std::vector<float>(64)).output<float>(2, 128);
  const ::testing::AssertionResult result = run.dispatchThreadgroups({1}, {24});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(),
              ::testing::HasSubstr("tiles.metal:42:3: error: simdgroup_multiply reached by 24 of 32 lanes "
                                   "[partial-simdgroup]"));
  EXPECT_THAT(result.message(), ::testing::HasSubstr("the simdgroup has 24 threads"));
}

} // namespace
} // namespace assay
