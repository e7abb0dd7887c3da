// kernels_msl/reduce: the order of simd_sum, a tree of barriers, and lanes that leave loops at different
// times.
#include "tests/kernels/oracles/f32.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

using namespace testing_support;
using F = oracle::F32<oracle::Apple>;

/// simd_sum of one simdgroup: each lane adds its partner at distance 1, 2, 4, 8, 16; absent lanes bring +0.
float butterfly(std::vector<float> lanes) {
  lanes.resize(32, 0.0f);
  for (int distance = 1; distance < 32; distance *= 2) {
    std::vector<float> next(32);
    for (int lane = 0; lane < 32; ++lane)
      next[lane] = F::add(lanes[lane], lanes[lane ^ distance]);
    lanes = next;
  }
  return lanes[0];
}

std::vector<float> expectedSums(const std::vector<float> &values, uint32_t groups, uint32_t threads) {
  std::vector<float> sums;
  for (uint32_t group = 0; group < groups; ++group) {
    std::vector<float> partial;
    for (uint32_t first = 0; first < threads; first += 32) {
      std::vector<float> lanes;
      for (uint32_t thread = first; thread < std::min(first + 32, threads); ++thread) {
        float sum = 0;
        for (size_t i = group * threads + thread; i < values.size(); i += groups * threads)
          sum = F::add(sum, values[i]);
        lanes.push_back(sum);
      }
      partial.push_back(butterfly(lanes));
    }
    while (partial.size() > 1) {
      const size_t kept = (partial.size() + 1) / 2;
      for (size_t i = 0; i + kept < partial.size(); ++i)
        partial[i] = F::add(partial[i], partial[i + kept]);
      partial.resize(kept);
    }
    sums.push_back(partial[0]);
  }
  return sums;
}

TEST(Sum, FoldsInTheButterflyAndTreeOrder) {
  const std::vector<float> values = uniformFloats(5000, 21, -100, 100);
  for (const uint32_t threads : {1024u, 224u, 80u, 32u, 7u}) { // whole, odd and partial simdgroups
    SCOPED_TRACE(threads);
    const std::vector<float> expected = expectedSums(values, 3, threads);
    KernelRun run(ownKernel("reduce/sum.metal"), "sum_f32");
    run.input(0, values).output<float>(1, 3).bytes(2, uint32_t(values.size())).threadgroupMemory(0, 128);
    inAllWays(
        false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({3}, {threads}, o); },
        [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(1))); });
  }
}

TEST(RaggedSteps, CountsTheLanesThatAreStillInTheLoop) {
  constexpr uint32_t kThreads = 70; // the last simdgroup has 6 lanes
  Random random(5);
  std::vector<uint32_t> lengths(kThreads);
  for (uint32_t &length : lengths)
    length = random.below(12);
  std::vector<uint32_t> expected(kThreads);
  for (uint32_t i = 0; i < kThreads; ++i)
    for (uint32_t step = 0; step < lengths[i]; ++step)
      if (step % 3 != 1)
        for (uint32_t lane = i / 32 * 32; lane < std::min(i / 32 * 32 + 32, kThreads); ++lane)
          expected[i] += lengths[lane] > step;
  KernelRun run(ownKernel("reduce/sum.metal"), "ragged_steps");
  run.input(0, lengths).output<uint32_t>(1, kThreads);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreads({kThreads}, {kThreads}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint32_t>(1))); });
}

} // namespace
} // namespace assay
