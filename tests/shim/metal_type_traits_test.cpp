// Type traits. source: MSL specification, section 2.18 (as C++17, plus vectors, matrices and address spaces).
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(TypeTraitsHeader, DecidesAsTheLanguageDoes) {
  expectFacts(
      "metal_type_traits",
      {
          "is_same_v<remove_addrspace_t<device int>, int> && is_same_v<remove_addrspace_t<threadgroup half>, "
          "half>",
          "is_same_v<remove_addrspace_t<constant float>, const float>",
          "is_floating_point_v<half> && is_floating_point_v<bfloat> && !is_floating_point_v<int>",
          "is_integral_v<bool> && is_integral_v<ulong> && !is_integral_v<half>",
          "is_signed_v<half> && is_signed_v<char> && is_unsigned_v<uchar> && !is_unsigned_v<int>",
          "is_arithmetic_v<bfloat> && is_scalar_v<uint> && is_fundamental_v<void> && is_compound_v<int *>",
          "is_pointer_v<device int *> && is_array_v<int[3]> && is_reference_v<thread int &> && "
          "is_function_v<int(int)>",
          "is_const_v<const int> && is_volatile_v<volatile int>",
          "is_same_v<make_unsigned_t<short>, ushort> && is_same_v<make_signed_t<ulong>, long>",
          "is_same_v<conditional_t<false, int, half>, half> && is_same_v<enable_if_t<true, int>, int>",
          "is_same_v<decay_t<const float &>, float> && is_same_v<remove_cv_t<const volatile int>, int>",
          "is_same_v<remove_reference_t<int &>, int> && is_same_v<remove_pointer_t<int *>, int> && "
          "is_same_v<remove_extent_t<int[3]>, int>",
          "is_same_v<add_const_t<int>, const int> && is_same_v<add_pointer_t<int>, int *> && "
          "is_same_v<add_lvalue_reference_t<int>, int &>",
          "rank_v<int[2][3]> == 2 && extent_v<int[2][3], 1> == 3",
          "is_convertible_v<int, float> && !is_convertible_v<int *, float>",
          "is_base_of_v<true_type, conjunction<true_type>> && conjunction_v<> && !disjunction_v<> && "
          "negation_v<false_type>",
          "_disjunction<false_type, is_integral<int>>::value && !conjunction_v<true_type, is_void<int>>",
          "make_index_sequence<3>::size() == 3",
          "is_trivially_copyable_v<int> && is_default_constructible_v<int> && is_constructible_v<float, int>",
          "integral_constant<int, 3>::value == 3 && integral_constant<int, 3>() == 3",
      });
}

TEST(TypeTraitsHeader, KnowsVectorsAndMatrices) {
  expectFacts("metal_types",
              {
                  "is_vector_v<half3> && !is_vector_v<half> && is_matrix_v<float2x3> && !is_matrix_v<float4>",
                  "is_same_v<make_scalar_t<bfloat4>, bfloat> && is_same_v<make_scalar_t<int>, int>",
                  "is_floating_point_v<float4>",
              });
}

} // namespace
