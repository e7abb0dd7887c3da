// Matrices: products, transpose, determinant, constructors. source: MSL specification, sections 2.3 and 6.8.
#include "float4.h"
#include "signatures.h"

#include <gmock/gmock.h>

#include <vector>

using namespace assay::test;

namespace {

using ::testing::ElementsAre;

extern "C" {
void shim_matrix(const F4 *, const F4 *, const F4 *, F4 *, F4 *, F4 *, F4 *, F4 *);
float shim_determinant(const F4 *);
void shim_matrix_from_scalars(F4 *);
}

TEST(Matrix, MultipliesByColumns) {
  const F4 m[4] = {{{1, 2, 3, 0}}, {{4, 5, 6, 0}}, {{7, 8, 9, 0}}, {{10, 11, 12, 0}}}; // columns of three
  const F4 v{{1, 2, 3, 4}}, w{{1, 10, 100, 0}};
  F4 mv, wm, t[3], sum[4], product[4];
  shim_matrix(m, &v, &w, &mv, &wm, t, sum, product);
  EXPECT_THAT(std::vector<float>(mv.e, mv.e + 3), ElementsAre(70, 80, 90));
  EXPECT_THAT(wm.e, ElementsAre(321, 654, 987, 1320));
  EXPECT_EQ(t[1], (F4{{2, 5, 8, 11}}));
  EXPECT_THAT(std::vector<float>(sum[2].e, sum[2].e + 3), ElementsAre(7, 8, 9));
  EXPECT_THAT(product[3].e, ElementsAre(68, 167, 266, 365));
}

TEST(Matrix, DeterminantIsExactForSmallIntegers) {
  const F4 m[4] = {{{2, 0, 1, 3}}, {{1, 1, 0, 2}}, {{0, 4, 1, 1}}, {{5, 2, 2, 0}}};
  EXPECT_EQ(shim_determinant(m), -50.0f); // by the sum over permutations
}

TEST(Matrix, TakesScalarsColumnsADiagonalOrAnotherElementType) {
  F4 out[8];
  shim_matrix_from_scalars(out);
  for (int i : {0, 2, 6}) {
    EXPECT_THAT(std::vector<float>(out[i].e, out[i].e + 3), ElementsAre(1, 2, 3));
    EXPECT_THAT(std::vector<float>(out[i + 1].e, out[i + 1].e + 3), ElementsAre(4, 5, 6));
  }
  EXPECT_THAT(std::vector<float>(out[4].e, out[4].e + 3), ElementsAre(7, 0, 0));
  EXPECT_THAT(std::vector<float>(out[5].e, out[5].e + 3), ElementsAre(0, 7, 0));
}

TEST(MatrixHeader, DeclaresItsFunctions) {
  expectSignatures(
      "metal_matrix",
      {
          {kOnce, "float", {"determinant(float2x2())", "determinant(float3x3())", "determinant(float4x4())"}},
          {kOnce, "half", {"determinant(half2x2())", "determinant(half3x3())", "determinant(half4x4())"}},
          {kOnce, "float2x2", {"transpose(float2x2())"}},
          {kOnce, "float3x2", {"transpose(float2x3())"}},
          {kOnce, "float4x2", {"transpose(float2x4())"}},
          {kOnce, "float2x3", {"transpose(float3x2())"}},
          {kOnce, "float3x3", {"transpose(float3x3())"}},
          {kOnce, "float4x3", {"transpose(float3x4())"}},
          {kOnce, "float2x4", {"transpose(float4x2())"}},
          {kOnce, "float3x4", {"transpose(float4x3())"}},
          {kOnce, "float4x4", {"transpose(float4x4())"}},
          {kOnce, "half2x2", {"transpose(half2x2())"}},
          {kOnce, "half3x2", {"transpose(half2x3())"}},
          {kOnce, "half4x2", {"transpose(half2x4())"}},
          {kOnce, "half2x3", {"transpose(half3x2())"}},
          {kOnce, "half3x3", {"transpose(half3x3())"}},
          {kOnce, "half4x3", {"transpose(half3x4())"}},
          {kOnce, "half2x4", {"transpose(half4x2())"}},
          {kOnce, "half3x4", {"transpose(half4x3())"}},
          {kOnce, "half4x4", {"transpose(half4x4())"}},
      });
}

} // namespace
