// Random kernels compute the same bytes in every way to run them. ASSAY_ENGINE_SEEDS=n runs n seeds instead
// of the usual ones, ASSAY_ENGINE_FIRST_SEED=s begins at s, and ASSAY_ENGINE_WAY=simdgroups compares only
// that way (a name of ways.cpp) with the canonical run on fibers. A kernel that fails is made small and
// written to a file.
#include "generator.h"
#include "shrinker.h"
#include "ways.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace assay::engines {
namespace {

uint64_t number(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What a reader of a failure needs: what differs, the smallest kernel that shows it, and how to run it.
std::string reportOf(const Program &program, const Difference &difference) {
  // What does not compile or ends in a fault is a mistake of the generator, and the message names its line.
  const Program small = difference.failed ? program : shrink(program, [&](const Program &candidate) {
    const auto still = compareWays(candidate, difference.way);
    return still && !still->failed;
  });
  const std::string path = testing::TempDir() + "seed" + std::to_string(program.seed) + ".metal";
  std::ofstream(path) << metalOf(small);
  const auto still = compareWays(small, difference.way);
  return "seed " + std::to_string(program.seed) + ", " + difference.way + ":\n" +
         (still ? still->text : difference.text) + metalOf(small) + commandOf(small, path) + "\n";
}

// The seeds of each test are its share of all, so that ctest runs them side by side.
constexpr uint64_t kShares = 8;

struct RandomKernels : testing::TestWithParam<uint64_t> {};

TEST_P(RandomKernels, ComputeTheSameBytesInEveryWay) {
  const uint64_t first = number("ASSAY_ENGINE_FIRST_SEED", 1), count = number("ASSAY_ENGINE_SEEDS", 40);
  const char *only = std::getenv("ASSAY_ENGINE_WAY");
  const bool isLong = std::getenv("ASSAY_ENGINE_SEEDS");
  for (uint64_t seed = first + GetParam(); seed < first + count; seed += kShares) {
    const Program program = generate(seed);
    if (isLong) // the last line names the kernel at which a compiler crashes
      std::cout << "seed " << seed << std::endl;
    if (const auto difference = compareWays(program, only ? only : ""))
      ADD_FAILURE() << reportOf(program, *difference);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKernels, testing::Range<uint64_t>(0, kShares));

} // namespace
} // namespace assay::engines
