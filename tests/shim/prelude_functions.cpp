// Function constants, and numbers of built-in values, for prelude_test.cpp.
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
extern "C" void shim_builtins(uint *numbers) {
  numbers[0] = __assay::kThreadIndexInSimdgroup;
  numbers[1] = __assay::kThreadIndexInQuadgroup;
  numbers[2] = __assay::kSimdgroupIndexInThreadgroup;
  numbers[3] = __assay::kThreadsPerSimdgroup;
}
