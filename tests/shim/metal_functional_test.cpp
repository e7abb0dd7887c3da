// plus, minus and multiplies. source: their members in public headers of Metal 2.1.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(FunctionalHeader, NamesItsTypes) {
  expectFacts("metal_functional",
              {
                  "is_same_v<plus<half>::result_type, half>",
                  "is_same_v<minus<int>::first_argument_type, int>",
                  "is_same_v<multiplies<float3>::second_argument_type, float3>",
                  "is_same_v<decltype(multiplies<float3>()(float3(1), float3(2))), float3>",
              });
}

TEST(FunctionalHeader, TakesOperandsFromAnyMemory) {
  expectCompiles("metal_functional", "float f(device float *a, constant float *b, threadgroup float *c) {\n"
                                     "  return plus<float>()(*a, *b) + minus<float>()(*c, 1.0f) +\n"
                                     "         multiplies<float>()(*b, *c);\n"
                                     "}\n");
}

} // namespace
