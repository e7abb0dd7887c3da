// Function constants for prelude_test.cpp.
#include <metal_stdlib>

using namespace metal;

constant int kConstant = __assay_function_constant_init(7);
constant half kHalf = __assay_function_constant_init(8);
constant bool kBool = __assay_function_constant_init(9);
constant float3 kVector = __assay_function_constant_init(10);
constant int kDefaulted = is_function_constant_defined(kConstant) ? kConstant : 32;
extern "C" void shim_constants(int *i, float *h, bool *b, float4 *v) {
  *i = kConstant;
  *h = kHalf;
  *b = kBool;
  *v = float4(kVector, float(kDefaulted));
}
