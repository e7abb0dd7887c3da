// Values of the body of a `break`, which other lanes run again before they are used.
#include "both.h"

#include <gtest/gtest.h>

#include <optional>

namespace assay::vector_test {
namespace {

constexpr uint32_t kThreads = 64;

// Where lanes leave: in different rounds, and those of one round by a branch that all of them take.
constexpr const char *kLeaves = "(lane + k) % 5 == 0 && k % 3 != 1";
std::optional<uint32_t> roundOf(uint32_t lane, uint32_t rounds) {
  for (uint32_t k = 0; k < rounds; ++k)
    if ((lane + k) % 5 == 0 && k % 3 != 1)
      return k;
  return std::nullopt;
}
uint32_t rounds() {
  return input(3) % 2 + 6;
}
// Of the lanes that leave in the round.
uint32_t sumOf(uint32_t round) {
  uint32_t sum = 0;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (roundOf(lane, rounds()) == round)
      sum += lane + 1;
  return sum;
}

} // namespace

TEST(VectorLeavingValues, OfAReturnAreThoseOfTheLanesOwnRound) {
  const auto out = run("for (uint k = 0; k < in[3] % 2 + 6; ++k) if (" + std::string(kLeaves) +
                       ") { const uint x = in[lane * 7 + k * 5] * 3, s = simd_sum(lane + 1);\n"
                       "out[i] = s; out[64 + i] = x + s; out[128 + i] = x; return; }");
  for (uint32_t i = 0; i < kThreads; ++i) {
    const auto round = roundOf(i % 32, rounds());
    if (!round) {
      ASSERT_EQ(out[i], 0xa5a5a5a5) << "it does not leave";
      continue;
    }
    const uint32_t x = input(i % 32 * 7 + *round * 5) * 3, s = sumOf(*round);
    ASSERT_EQ(out[i], s) << i;
    ASSERT_EQ(out[64 + i], x + s) << i;
    ASSERT_EQ(out[128 + i], x) << i;
  }
}

// A value that the lanes of each round have in common is not the same in all lanes once they have left.
TEST(VectorLeavingValues, ThatAreUniformInTheBodyDifferAfterIt) {
  const auto out = run("for (uint k = 0; k < in[3] % 2 + 6; ++k) if (" + std::string(kLeaves) +
                       ") { const uint x = in[k * 5], s = simd_sum(lane + 1);\n"
                       "out[i] = s; out[64 + i] = x; out[128 + i] = k; return; }");
  for (uint32_t i = 0; i < kThreads; ++i) {
    const auto round = roundOf(i % 32, rounds());
    if (!round) {
      ASSERT_EQ(out[i], 0xa5a5a5a5) << "it does not leave";
      continue;
    }
    ASSERT_EQ(out[i], sumOf(*round)) << i;
    ASSERT_EQ(out[64 + i], input(*round * 5)) << i;
    ASSERT_EQ(out[128 + i], *round) << i;
  }
}

TEST(VectorLeavingValues, AreUsedInTheLoopAround) {
  const auto out = run("uint total = 0, missed = 0; for (uint r = 0; r < in[3] % 2 + 2; ++r) {\n"
                       "  bool found = false; uint x = 0;\n"
                       "  for (uint k = r; k < in[3] % 2 + 6; ++k) if (" +
                       std::string(kLeaves) +
                       ") { x = in[lane * 7 + k * 5] ^ simd_sum(lane + 1); found = true; break; }\n"
                       "  if (found) { total = total * 3 + x; out[64 + i] = x; continue; }\n"
                       "  missed += r + 1; }\n"
                       "out[i] = total; out[128 + i] = missed;");
  const auto from = [](uint32_t lane, uint32_t first) -> std::optional<uint32_t> {
    for (uint32_t k = first; k < rounds(); ++k)
      if ((lane + k) % 5 == 0 && k % 3 != 1)
        return k;
    return std::nullopt;
  };
  for (uint32_t i = 0; i < kThreads; ++i) {
    uint32_t total = 0, missed = 0, last = 0xa5a5a5a5;
    for (uint32_t r = 0; r < input(3) % 2 + 2; ++r) {
      const auto round = from(i % 32, r);
      if (!round) {
        missed += r + 1;
        continue;
      }
      uint32_t sum = 0;
      for (uint32_t lane = 0; lane < 32; ++lane)
        if (from(lane, r) == round)
          sum += lane + 1;
      last = input(i % 32 * 7 + *round * 5) ^ sum;
      total = total * 3 + last;
    }
    ASSERT_EQ(out[i], total) << i;
    ASSERT_EQ(out[64 + i], last) << i;
    ASSERT_EQ(out[128 + i], missed) << i;
  }
}

} // namespace assay::vector_test
