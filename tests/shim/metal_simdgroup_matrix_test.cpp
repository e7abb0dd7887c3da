// What a simdgroup matrix asks of the engine, and where a lane reads. The engine is engine.cpp.
// source: MSL specification, section 6.8; the places of a lane's elements: tests/kernels/oracles/matrix.h.
#include "engine.h"
#include "signatures.h"

#include "tests/kernels/oracles/matrix.h"

#include <gmock/gmock.h>

extern "C" {
void shim_multiply_accumulate(const _Float16 *, const uint16_t *, const float *, float *);
void shim_multiply_half(const _Float16 *, const _Float16 *, _Float16 *);
void shim_diagonal(float, float *);
void shim_matrix_load(const float *, unsigned long, unsigned long, unsigned long, bool, float *);
}

namespace assay::test {
namespace {

using ::testing::ElementsAre;

TEST(MatrixFunctions, AProductOfMixedTypesBringsItsElementsAsFloats) {
  calls.clear();
  answerWith({21.0f, 22.0f});
  const _Float16 a[] = {1, 2};
  const uint16_t b[] = {0x4040, 0x4080}; // 3, 4
  const float c[] = {5, 6};
  float d[2];
  shim_multiply_accumulate(a, b, c, d);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kMatrixMultiplyAccumulate);
  EXPECT_EQ(calls[0].type, kFloatType);
  EXPECT_EQ(calls[0].count, 2u);
  EXPECT_THAT(brought<float>(calls[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(d, ElementsAre(21, 22));
}

TEST(MatrixFunctions, AProductOfHalvesIsComputedInHalf) {
  calls.clear();
  answerWith<_Float16>({7, 8});
  const _Float16 a[] = {1, 2}, b[] = {3, 4};
  _Float16 d[2];
  shim_multiply_half(a, b, d);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kMatrixMultiply);
  EXPECT_EQ(calls[0].type, kHalfType);
  const auto in = brought<_Float16>(calls[0]);
  EXPECT_THAT(std::vector<float>(in.begin(), in.end()), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(float(d[1]), 8.0f);
}

TEST(MatrixFunctions, TheDiagonalIsWhereRowAndColumnAreTheSame) {
  for (lane = 0; lane < 32; ++lane) {
    const auto [row, column] = oracle::placeOfLane(int(lane));
    float d[2];
    shim_diagonal(2.5f, d);
    EXPECT_EQ(d[0], row == column ? 2.5f : 0.0f) << lane;
    EXPECT_EQ(d[1], row == column + 1 ? 2.5f : 0.0f) << lane;
  }
}

TEST(MatrixFunctions, AnOriginIsAPlaceInMemoryTransposedOrNot) {
  std::vector<float> memory(40 * 40);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = float(i);
  for (lane = 0; lane < 32; ++lane) {
    const auto [row, column] = oracle::placeOfLane(int(lane));
    float d[2];
    shim_matrix_load(memory.data(), 40, 3, 17, false, d);
    EXPECT_THAT(d, ElementsAre(float((17 + row) * 40 + 3 + column), float((17 + row) * 40 + 4 + column)));
    shim_matrix_load(memory.data(), 40, 3, 17, true, d);
    EXPECT_THAT(d, ElementsAre(float((17 + column) * 40 + 3 + row), float((18 + column) * 40 + 3 + row)));
  }
}

TEST(SimdgroupMatrixHeader, DeclaresEveryFormOfEveryFunction) {
  const char *const types = "simdgroup_float8x8 simdgroup_half8x8 simdgroup_bfloat8x8";
  expectSignatures(
      "metal_simdgroup_matrix",
      {
          {"float",
           "simdgroup_float8x8",
           {"simdgroup_matrix<float, 8, 8>(1.0f)", "make_filled_simdgroup_matrix<float, 8, 8>(1.0f)"}},
          {"half",
           "simdgroup_half8x8",
           {"simdgroup_matrix<half, 8, 8>(1.0h)", "make_filled_simdgroup_matrix<half, 8, 8>(1.0h)"}},
          {types, "void", {"simdgroup_multiply(x, y, z)", "simdgroup_multiply_accumulate(x, y, z, x)"}},
          {types, "T", {"x * y"}},
          {"simdgroup_float8x8",
           "void",
           {"simdgroup_load(x, (const device float *)nullptr)",
            "simdgroup_load(x, (const threadgroup float *)nullptr)",
            "simdgroup_load(x, (const device float *)nullptr, 16)",
            "simdgroup_load(x, (const device float *)nullptr, 16, ulong2(8, 0))",
            "simdgroup_load(x, (const device float *)nullptr, 16, ulong2(8, 0), true)",
            "simdgroup_load(x, (const device float *)nullptr, 16, 0, true)",
            "simdgroup_store(x, (device float *)nullptr)", "simdgroup_store(x, (threadgroup float *)nullptr)",
            "simdgroup_store(x, (device float *)nullptr, 16)",
            "simdgroup_store(x, (device float *)nullptr, 16, ulong2(8, 0))",
            "simdgroup_store(x, (device float *)nullptr, 16, 0, true)"}},
      });
}

} // namespace
} // namespace assay::test
