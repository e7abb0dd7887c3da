// kernels_msl/basics: arguments, grids and ids.
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace assay {
namespace {

using namespace testing_support;
using oracle::Apple;
using oracle::F32;
using oracle::Ieee;

template <class Profile> void expectSaxpy(const NumericsProfile &numerics) {
  constexpr uint32_t kCount = 1000;
  const float a = 0.3f;
  std::vector<float> x = uniformFloats(kCount, 1), y = uniformFloats(kCount, 2), expected = y;
  for (uint32_t i = 0; i < kCount; i += 10) // products and sums below the smallest normal
    x[i] *= 0x1p-125f, expected[i] = y[i] *= 0x1p-126f;
  for (uint32_t i = 0; i < kCount; ++i)
    expected[i] = F32<Profile>::mulAdd(a, x[i], y[i]);

  KernelRun run(ownKernel("basics/saxpy.metal"), "saxpy");
  run.numerics(numerics).bytes(0, a).bytes(1, kCount).input(2, x).inout(3, y);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({9}, {128}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(3))); });
}

TEST(Saxpy, TakesArgumentsInOrderAndFusesAndFlushesUnderApple) {
  expectSaxpy<Apple>(kAppleNumerics);
}

TEST(Saxpy, RoundsTwiceAndKeepsSubnormalsUnderIeee) {
  expectSaxpy<Ieee>(kIeeeNumerics);
}

// Products just below 2^-126: rounding to the subnormal grid would give 2^-126 for the first two, but only
// the second reaches it when 24 bits are kept, so only the second may survive a flush.
TEST(Saxpy, JudgesTininessAfterRoundingUnderApple) {
  const struct {
    float a, x, expected;
  } cases[] = {{0x1p-64f, 0x1.fffffep-63f, 0.0f},
               {0x1.000002p-63f, 0x1.fffffcp-64f, 0x1p-126f},
               {0x1p-64f, 0x1p-62f, 0x1p-126f},
               {0x1p-64f, -0x1.8p-63f, 0.0f}}; // -0: the sum was rounded and flushed once
  for (const auto &c : cases) {
    KernelRun run(ownKernel("basics/saxpy.metal"), "saxpy");
    run.bytes(0, c.a).bytes(1, 1u).input(2, std::vector<float>{c.x}).inout(3, std::vector<float>{0.0f});
    ASSERT_TRUE(run.dispatchThreads({1}, {1}));
    const float expected = F32<Apple>::mulAdd(c.a, c.x, 0.0f);
    EXPECT_EQ(std::fabs(expected), c.expected);
    EXPECT_TRUE(bitsEqual(std::vector<float>{expected}, run.read<float>(3)));
  }
}

TEST(TransposeCopy, CoversAGridThatThreadgroupsDoNotDivide) {
  constexpr uint32_t kWidth = 37, kHeight = 19;
  using Float4 = std::array<float, 4>;
  const std::vector<float> numbers = uniformFloats(kWidth * kHeight * 4, 3);
  std::vector<float> expected(numbers.size());
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      for (uint32_t c = 0; c < 4; ++c)
        expected[(x * kHeight + y) * 4 + c] = numbers[(y * kWidth + x) * 4 + 3 - c];

  KernelRun run(ownKernel("basics/copy.metal"), "transpose_copy");
  run.input(0, numbers).output<Float4>(1, kWidth * kHeight);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({kWidth, kHeight}, {8, 8}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(1))); });
}

// A grid and its threadgroups, in three dimensions; what each thread must see follows from MSL's definitions.
struct Grid {
  std::array<uint32_t, 3> threads, perGroup;

  std::array<uint32_t, 3> groups() const {
    std::array<uint32_t, 3> out;
    for (int d = 0; d < 3; ++d)
      out[d] = (threads[d] + perGroup[d] - 1) / perGroup[d];
    return out;
  }

  struct Ids {
    std::array<uint32_t, 3> position, inGroup, group, groupSize;
    uint32_t index, groupThreads;
  };
  Ids idsOf(std::array<uint32_t, 3> position) const {
    Ids ids{position, {}, {}, {}, 0, 1};
    for (int d = 0; d < 3; ++d) {
      ids.group[d] = position[d] / perGroup[d];
      ids.inGroup[d] = position[d] % perGroup[d];
      ids.groupSize[d] = std::min(perGroup[d], threads[d] - ids.group[d] * perGroup[d]);
      ids.groupThreads *= ids.groupSize[d];
    }
    ids.index = (ids.inGroup[2] * ids.groupSize[1] + ids.inGroup[1]) * ids.groupSize[0] + ids.inGroup[0];
    return ids;
  }
  /// Calls visit(ids) for each thread, x fastest.
  template <class Visit> void forEach(Visit visit) const {
    for (uint32_t z = 0; z < threads[2]; ++z)
      for (uint32_t y = 0; y < threads[1]; ++y)
        for (uint32_t x = 0; x < threads[0]; ++x)
          visit(idsOf({x, y, z}));
  }
};

uint32_t ceilDiv(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

TEST(Builtins, ThreeDimensionsAreWhatTheGridSays) {
  const Grid grid{{11, 7, 5}, {4, 6, 3}};
  std::vector<uint32_t> expected;
  const auto put3 = [&](const std::array<uint32_t, 3> &v) {
    expected.insert(expected.end(), v.begin(), v.end());
  };
  grid.forEach([&](const Grid::Ids &ids) {
    put3(ids.position), put3(ids.inGroup), put3(ids.group), put3(grid.threads), put3(ids.groupSize);
    put3(grid.groups()), put3(grid.perGroup);
    const uint32_t full = grid.perGroup[0] * grid.perGroup[1] * grid.perGroup[2];
    for (const uint32_t scalar :
         {ids.index, ids.index % 32, ids.index % 4, ids.index / 32, ids.index / 4, 32u,
          ceilDiv(ids.groupThreads, 32), ceilDiv(ids.groupThreads, 4), ceilDiv(full, 32), ceilDiv(full, 4)})
      expected.push_back(scalar);
  });
  KernelRun run(ownKernel("basics/builtins.metal"), "builtins_3d");
  run.output<uint32_t>(0, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({11, 7, 5}, {4, 6, 3}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint32_t>(0))); });
}

TEST(Builtins, TwoDimensionsOfShortsAreWhatTheGridSays) {
  const Grid grid{{13, 9, 1}, {8, 5, 1}};
  std::vector<uint16_t> expected;
  const auto put2 = [&](const std::array<uint32_t, 3> &v) {
    expected.insert(expected.end(), {uint16_t(v[0]), uint16_t(v[1])});
  };
  grid.forEach([&](const Grid::Ids &ids) {
    put2(ids.position), put2(ids.inGroup), put2(ids.group), put2(grid.threads), put2(ids.groupSize),
        put2(grid.groups());
    expected.insert(expected.end(), {uint16_t(ids.index), uint16_t(ids.index % 32)});
  });
  KernelRun run(ownKernel("basics/builtins.metal"), "builtins_2d");
  run.output<uint16_t>(0, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({13, 9}, {8, 5}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint16_t>(0))); });
}

TEST(Builtins, OneDimensionIsWhatTheGridSays) {
  const Grid grid{{101, 1, 1}, {40, 1, 1}};
  std::vector<uint32_t> expected;
  grid.forEach([&](const Grid::Ids &ids) {
    expected.insert(expected.end(),
                    {ids.position[0], ids.inGroup[0], ids.group[0], 101, ids.groupSize[0], 3, 32});
  });
  KernelRun run(ownKernel("basics/builtins.metal"), "builtins_1d");
  run.output<uint32_t>(0, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({101}, {40}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint32_t>(0))); });
}

} // namespace
} // namespace assay
