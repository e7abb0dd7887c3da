// Simdgroups that take turns at barriers inside of compiled code. `run` compares with fibers.
#include "both.h"

#include "runtime/statistics.h"

#include <gmock/gmock.h>

namespace assay::vector_test {
namespace {

std::string withBarriers(std::string body) {
  for (size_t at; (at = body.find('|')) != std::string::npos;)
    body.replace(at, 1, "threadgroup_barrier(mem_flags::mem_threadgroup);");
  return body;
}

} // namespace

// Sums, an index, a condition and a private array that lanes index apart live across the barriers of a loop.
TEST(VectorTurns, KeepWhatLivesAcrossBarriers) {
  for (const uint32_t group : {128u, 96u, 70u, 32u}) {
    const auto out =
        run(withBarriers("uint kept[4] = {i, 1, 2, 3}; uint sum = 0; bool odd = t & 1;\n"
                         "for (uint k = 0; k < 5; ++k) { shared[t] = in[i] + sum; |\n"
                         "sum = sum * 3 + shared[(t + 33 * k + 1) % n]; kept[(i + k) & 3] += sum;\n"
                         "| if (odd) sum += kept[k & 3]; }\n"
                         "out[i] = sum + kept[0] + kept[1] * 5 + kept[2] * 7 + kept[3] * 11;")
                .insert(0, "uint n = extent.x;\n"),
            {{240, 1, 1}, {group, 1, 1}});
    std::vector<uint32_t> expected(256, 0xa5a5a5a5);
    for (uint32_t first = 0; first < 240; first += group) {
      const uint32_t n = std::min(group, 240 - first);
      std::vector<uint32_t> sum(n), shared(n);
      std::vector<std::vector<uint32_t>> kept;
      for (uint32_t t = 0; t < n; ++t)
        kept.push_back({first + t, 1, 2, 3});
      for (uint32_t k = 0; k < 5; ++k) {
        for (uint32_t t = 0; t < n; ++t)
          shared[t] = input(first + t) + sum[t];
        for (uint32_t t = 0; t < n; ++t) {
          sum[t] = sum[t] * 3 + shared[(t + 33 * k + 1) % n];
          kept[t][(first + t + k) & 3] += sum[t];
          if (t & 1)
            sum[t] += kept[t][k & 3];
        }
      }
      for (uint32_t t = 0; t < n; ++t)
        expected[first + t] = sum[t] + kept[t][0] + kept[t][1] * 5 + kept[t][2] * 7 + kept[t][3] * 11;
    }
    EXPECT_EQ(out, expected) << group;
  }
}

// Flow that is not the same in all simdgroups: other barriers, another number of them, and an end before any.
TEST(VectorTurns, NeedNotGoTheSameWay) {
  const auto out =
      run(withBarriers("shared[t] = i; uint v = 0;\n"
                       "if (sg == 1) return;\n"
                       "for (uint k = 0; k <= sg; ++k) {\n"
                       "if (sg & 2) { | v += shared[t ^ 32] + 1; | } else { | v += k; shared[t] += 1; | }\n"
                       "} out[i] = v;"),
          {{128, 1, 1}, {128, 1, 1}});
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t sg = i / 32;
    uint32_t v = 0xa5a5a5a5;
    // Simdgroups 2 and 3 read each other's words, which nobody changes.
    if (sg == 0)
      v = 0;
    else if (sg >= 2)
      v = (sg + 1) * ((i ^ 32) + 1);
    EXPECT_EQ(out[i], v) << i;
  }
}

// A barrier that some rounds of an inner loop pass by.
TEST(VectorTurns, ABarrierInSomeRoundsOfALoopInALoop) {
  const auto out =
      run(withBarriers("uint v = t;\n"
                       "for (uint k = 0; k < 4; ++k)\n"
                       "for (uint j = 0; j < 5; ++j) { v = v * 5 + j;\n"
                       "if (((in[k] >> j) & 1) == 1) { shared[t] = v; | v += shared[127 - t]; | } }\n"
                       "out[i] = v;"),
          {{128, 1, 1}, {128, 1, 1}});
  std::vector<uint32_t> v(128);
  for (uint32_t t = 0; t < 128; ++t)
    v[t] = t;
  for (uint32_t k = 0; k < 4; ++k)
    for (uint32_t j = 0; j < 5; ++j) {
      for (uint32_t &value : v)
        value = value * 5 + j;
      if ((input(k) >> j & 1) == 1) {
        const std::vector<uint32_t> shared = v;
        for (uint32_t t = 0; t < 128; ++t)
          v[t] += shared[127 - t];
      }
    }
  EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + 128), v);
}

// Between two barriers the lower simdgroup comes first, as on fibers.
TEST(VectorTurns, AreInAscendingOrder) {
  const auto out =
      run(withBarriers("if (t == 0) shared[0] = 1; |\n"
                       "for (uint k = 0; k < 3; ++k) { if (lane == 0) shared[0] = shared[0] * 7 + sg; | }\n"
                       "out[i] = shared[0];"),
          {{128, 1, 1}, {128, 1, 1}});
  uint32_t expected = 1;
  for (uint32_t k = 0; k < 3; ++k)
    for (uint32_t sg = 0; sg < 4; ++sg)
      expected = expected * 7 + sg;
  EXPECT_EQ(out[0], expected);
  EXPECT_EQ(out[127], expected);
}

// What lanes that are not active have computed is read by others, of the same threadgroup alone.
TEST(VectorTurns, BeginEachThreadgroupAnew) {
  run(withBarriers(
          "uint v = 0; for (uint k = 0; k < 3; ++k) { if ((in[i] + k) & 1) v += simd_shuffle_xor(i + k, 1);\n"
          "shared[t] = v; | v ^= shared[(t + 32) % extent.x]; | } out[i] = v;"),
      {{250, 1, 1}, {64, 1, 1}});
}

TEST(VectorTurns, StartNoFiberForASimdgroup) {
  const std::string body = withBarriers("shared[t] = in[i]; | out[i] = shared[255 - t];");
  const Shape shape{{256, 1, 1}, {256, 1, 1}};
  failure(body, Engine::Vector, shape); // the worker's own fiber
  const uint64_t before = runtime::statistics().laneResumes;
  failure(body, Engine::Vector, shape);
  EXPECT_EQ(runtime::statistics().laneResumes, before);
}

TEST(VectorTurns, NameTheFirstThreadThatFailsAfterABarrier) {
  const std::string body = withBarriers("shared[t] = i; | out[t >= 70 ? 4000000u + t : t] = shared[t ^ 1];");
  const Shape shape{{128, 1, 1}, {128, 1, 1}};
  const std::string text = failure(body, Engine::Vector, shape);
  EXPECT_EQ(text, failure(body, Engine::Fiber, shape));
  EXPECT_THAT(text, testing::HasSubstr("thread (70,0,0)"));
}

} // namespace assay::vector_test
