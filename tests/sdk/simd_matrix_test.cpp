// Matrices of every shape against sums that are written out, with small integers, which are exact.
#include <cmath>
#include <gmock/gmock.h>
#include <simd/simd.h>
#include <type_traits>

namespace {

/// A matrix of c columns and r rows of small integers, each element with its own. Not by std::size: a
/// reference to the columns would lose what their type says of the alignment.
template <class M> M filled(int seed, int c, int r) {
  M result = {};
  for (int i = 0; i < c; ++i)
    for (int j = 0; j < r; ++j)
      result.columns[i][j] = (7 * i + 3 * j + seed) % 11 - 5;
  return result;
}

// The product of k columns and r rows with c columns and k rows: each element is a sum over k.
#define EXPECT_PRODUCT(name, c, r, k)                                                                        \
  {                                                                                                          \
    const auto x = filled<simd_##name##k##x##r>(1, k, r);                                                    \
    const auto y = filled<simd_##name##c##x##k>(4, c, k);                                                    \
    const simd_##name##c##x##r product = simd_mul(x, y);                                                     \
    for (int i = 0; i < c; ++i)                                                                              \
      for (int j = 0; j < r; ++j) {                                                                          \
        int sum = 0;                                                                                         \
        for (int m = 0; m < k; ++m)                                                                          \
          sum += static_cast<int>(x.columns[m][j]) * static_cast<int>(y.columns[i][m]);                      \
        EXPECT_EQ(static_cast<int>(product.columns[i][j]), sum) << #name #c "x" #r " " #k;                   \
      }                                                                                                      \
    EXPECT_TRUE((simd::name##k##x##r(x) * simd::name##c##x##k(y) == simd::name##c##x##r(product)));          \
  }
#define EXPECT_PRODUCTS(name, c, r) __ASSAY_SIMD_FACTORS(EXPECT_PRODUCT, name, c, r)

TEST(SimdMatrix, ProductsOfAllShapesAreSums){__ASSAY_SIMD_MATRICES(EXPECT_PRODUCTS)}

// What matrices of each shape have besides, element by element.
#define EXPECT_SHAPE(name, c, r)                                                                             \
  {                                                                                                          \
    const auto x = filled<simd_##name##c##x##r>(2, c, r), y = filled<simd_##name##c##x##r>(5, c, r);         \
    const simd_##name##r##x##c transposed = simd_transpose(x);                                               \
    const auto combined = simd_linear_combination(2, x, -3, y);                                              \
    const auto sum = simd_add(x, y), difference = simd_sub(x, y), scaled = simd_mul(4, x);                   \
    simd_##name##c of_columns = 1;                                                                           \
    simd_##name##r of_rows = 1;                                                                              \
    of_columns[1] = -2;                                                                                      \
    of_rows[0] = 3;                                                                                          \
    const simd_##name##r right = simd_mul(x, of_columns);                                                    \
    const simd_##name##c left = simd_mul(of_rows, x);                                                        \
    for (int i = 0; i < c; ++i) {                                                                            \
      int expected = 0;                                                                                      \
      for (int j = 0; j < r; ++j) {                                                                          \
        const int a = static_cast<int>(x.columns[i][j]), b = static_cast<int>(y.columns[i][j]);              \
        EXPECT_EQ(static_cast<int>(transposed.columns[j][i]), a);                                            \
        EXPECT_EQ(static_cast<int>(combined.columns[i][j]), 2 * a - 3 * b);                                  \
        EXPECT_EQ(static_cast<int>(sum.columns[i][j]), a + b);                                               \
        EXPECT_EQ(static_cast<int>(difference.columns[i][j]), a - b);                                        \
        EXPECT_EQ(static_cast<int>(scaled.columns[i][j]), 4 * a);                                            \
        expected += a * (j == 0 ? 3 : 1);                                                                    \
      }                                                                                                      \
      EXPECT_EQ(static_cast<int>(left[i]), expected) << #name #c "x" #r;                                     \
    }                                                                                                        \
    for (int j = 0; j < r; ++j) {                                                                            \
      int expected = 0;                                                                                      \
      for (int i = 0; i < c; ++i)                                                                            \
        expected += static_cast<int>(x.columns[i][j]) * (i == 1 ? -2 : 1);                                   \
      EXPECT_EQ(static_cast<int>(right[j]), expected) << #name #c "x" #r;                                    \
    }                                                                                                        \
    EXPECT_TRUE(simd_equal(x, x));                                                                           \
    auto other = x;                                                                                          \
    other.columns[c - 1][r - 1] += 1;                                                                        \
    EXPECT_FALSE(simd_equal(x, other));                                                                      \
    EXPECT_TRUE(simd_almost_equal_elements(x, other, 1));                                                    \
    EXPECT_FALSE(simd_almost_equal_elements(x, other, 0.5f));                                                \
    const auto exact = simd_mul(8, filled<simd_##name##c##x##r>(2, c, r));                                   \
    EXPECT_TRUE(simd_almost_equal_elements_relative(exact, simd_mul(9, x), 0.125f));                         \
    EXPECT_FALSE(simd_almost_equal_elements_relative(exact, simd_mul(9, x), 0.0625f));                       \
    EXPECT_TRUE(simd_almost_equal_elements_relative(simd_mul(9, x), exact, 0.12f)); /* of the first */       \
    simd::name##c##x##r changed = x;                                                                         \
    changed += y;                                                                                            \
    EXPECT_TRUE(changed == simd::name##c##x##r(sum) && changed != simd::name##c##x##r(x));                   \
    changed -= y;                                                                                            \
    changed *= 4;                                                                                            \
    EXPECT_TRUE((changed == simd::name##c##x##r(scaled)));                                                   \
    EXPECT_TRUE(simd_equal(changed *of_columns, 4 * right) && simd_equal(of_rows * changed, 4 * left));      \
  }

TEST(SimdMatrix, EveryShapeIsElementwiseWhatItSays){__ASSAY_SIMD_MATRICES(EXPECT_SHAPE)}

TEST(SimdMatrix, IsMadeOfColumnsRowsAndDiagonals) {
  const simd_float3 a = {1, 2, 3}, b = {4, 5, 6};
  const simd_float2x3 columns = simd_matrix(a, b);
  EXPECT_TRUE(simd_equal(columns.columns[1], b));
  const simd_float3x2 rows = simd_matrix_from_rows(a, b);
  EXPECT_TRUE(simd_equal(rows.columns[2], (simd_float2){3, 6}));
  EXPECT_TRUE(simd_equal(simd_transpose(columns), rows));
  EXPECT_TRUE(simd_equal(simd_diagonal_matrix(a), simd::float3x3(a)));
  EXPECT_TRUE(simd_equal(simd_diagonal_matrix((simd_half4)1), matrix_identity_half4x4));
  EXPECT_TRUE(simd_equal(matrix_identity_float4x4, simd::float4x4(1.0f)));
  EXPECT_TRUE(simd::double2x3() == simd::double2x3(0.0));
  EXPECT_TRUE(simd_equal(simd::double4x2(simd_double2{5, 6}).columns[1], (simd_double2){0, 6}));
  EXPECT_TRUE(simd_equal(simd::double4x2(simd_double2{5, 6}).columns[2], (simd_double2)0));
}

TEST(SimdMatrix, DeterminantsAndTracesOfIntegersAreExact) {
  EXPECT_EQ(simd_determinant(simd_matrix(simd_float2{3, 8}, simd_float2{4, 6})), -14);
  EXPECT_EQ(
      simd_determinant(simd_matrix(simd_double3{6, 1, 1}, simd_double3{4, -2, 5}, simd_double3{2, 8, 7})),
      -306);
  // Vandermonde of 1, 2, 3, 5: the product of the differences
  const auto powers = [](double x) { return simd_double4{1, x, x * x, x * x * x}; };
  const simd::double4x4 vandermonde(powers(1), powers(2), powers(3), powers(5));
  EXPECT_EQ(simd::determinant(vandermonde), 1 * 2 * 4 * 1 * 3 * 2);
  EXPECT_EQ(simd::trace(vandermonde), 1 + 2 + 9 + 125);
  EXPECT_EQ(simd_determinant(simd_diagonal_matrix(simd_half3{2, 3, 4})), 24);
}

TEST(SimdMatrix, InversesAreExactWhereTheDeterminantIsOne) {
  const simd_float2x2 two = simd_matrix(simd_float2{2, 1}, simd_float2{7, 4});
  EXPECT_TRUE(simd_equal(simd_inverse(two), simd_matrix(simd_float2{4, -1}, simd_float2{-7, 2})));
  // triangles of ones and twos
  const simd::float3x3 three(simd_float3{1, 0, 0}, simd_float3{2, 1, 0}, simd_float3{3, 2, 1});
  EXPECT_TRUE(three * simd::inverse(three) == simd::float3x3(1.0f));
  const simd::double4x4 four(simd_double4{1, 2, 3, 4}, simd_double4{0, 1, 2, 3}, simd_double4{0, 0, 1, 2},
                             simd_double4{5, 10, 15, 21});
  EXPECT_EQ(simd_determinant(four), 1);
  EXPECT_TRUE(four * simd::inverse(four) == simd::double4x4(1.0));
  EXPECT_TRUE(simd::inverse(four) * four == simd::double4x4(1.0));
  const simd::half4x4 scale(simd_half4{2, 4, 8, 0.5f16});
  EXPECT_TRUE(simd::inverse(scale) == simd::half4x4(simd_half4{0.5f16, 0.25f16, 0.125f16, 2}));
}

TEST(SimdMatrix, TheInverseOfASingularMatrixHasNoFiniteElement) {
  const auto expectNone = [](auto inverse, int n) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        EXPECT_FALSE(std::isfinite(inverse.columns[i][j]));
  };
  expectNone(simd_inverse(simd_matrix(simd_float2{1, 2}, simd_float2{2, 4})), 2);
  expectNone(simd_inverse(simd_diagonal_matrix(simd_double3{1, 0, 2})), 3);
  expectNone(simd_inverse(simd_diagonal_matrix(simd_float4{1, 2, 0, 0})), 4);
}

TEST(SimdMatrix, OlderNamesAndCsTypesMixWithTheNamespace) {
  const matrix_float4x4 c = matrix_identity_float4x4;
  const simd::float4x4 two = matrix_scale(2, c);
  EXPECT_TRUE(two * c == two && c * two == two);
  EXPECT_TRUE(matrix_equal(matrix_multiply(two, two), matrix_add(two, two)));
  EXPECT_TRUE(simd::linear_combination(3, two, -2, c) == 2.0f * two);
  simd::float4x4 product = two;
  product *= two;
  EXPECT_TRUE(product == simd::float4x4(4.0f) && product - two == two);
  EXPECT_TRUE(simd::almost_equal_elements(product, two, 2) && !simd::equal(product, two));
}

} // namespace
