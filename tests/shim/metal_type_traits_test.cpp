// Type traits: what C++17 says of them; vectors and address spaces are added.
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
          "is_arithmetic_v<bfloat> && is_scalar_v<uint> && is_enum_v<memory_order>",
          "is_pointer_v<device int *> && is_array_v<int[3]> && is_lvalue_reference_v<thread int &> && "
          "is_function_v<int(int)>",
          "is_const_v<const int> && is_volatile_v<volatile int> && !is_abstract_v<true_type>",
          "is_same_v<make_unsigned_t<short>, ushort> && is_same_v<make_signed_t<ulong>, long>",
          "is_same_v<conditional_t<false, int, half>, half> && is_same_v<enable_if_t<true, int>, int>",
          "is_same_v<decay<const float &>::type, float> && is_same_v<remove_cv_t<const volatile int>, int>",
          "is_same_v<remove_reference_t<int &>, int> && is_same_v<remove_pointer_t<int *>, int> && "
          "is_same_v<remove_extent_t<int[3]>, int> && is_same_v<remove_coherent_t<int>, int>",
          "is_same_v<add_const_t<int>, const int> && is_same_v<add_pointer_t<int>, int *>",
          "is_convertible_v<int, float> && !is_convertible_v<int *, float>",
          "conjunction<true_type>::value && conjunction_v<> && !disjunction_v<>",
          "_disjunction<false_type, is_integral<int>>::value && !conjunction_v<true_type, is_enum<int>>",
          "make_index_sequence<3>::size() == 3",
          "is_default_constructible_v<int> && is_constructible_v<float, int> && "
          "is_nothrow_constructible_v<float, int> && !is_nothrow_constructible_v<int *, float>",
          "integral_constant<int, 3>::value == 3 && integral_constant<int, 3>() == 3",
      });
}

TEST(TypeTraitsHeader, KnowsVectors) {
  expectFacts("metal_types",
              {
                  "is_vector_v<half3> && !is_vector_v<half> && !is_vector_v<float2x3>",
                  "is_same_v<make_scalar_t<bfloat4>, bfloat> && is_same_v<make_scalar_t<int>, int>",
                  "is_floating_point_v<float4>",
              });
}

} // namespace
