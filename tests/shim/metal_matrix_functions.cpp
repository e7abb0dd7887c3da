// Matrix operations for metal_matrix_test.cpp.
#include <metal_stdlib>

using namespace metal;

extern "C" void shim_matrix(const float4x3 *m, const float4 *v, const float3 *w, float3 *mv, float4 *wm,
                            float3x4 *t, float4x3 *sum, float4x4 *product) {
  *mv = *m * *v;
  *wm = *w * *m;
  *t = transpose(*m);
  *sum = *m * 2 - *m + float4x3(0.0f);
  *product = *t * *m;
}
extern "C" float shim_determinant(const float4x4 *m) {
  return determinant(*m);
}
extern "C" void shim_matrix_from_scalars(float2x3 *out) {
  out[0] = float2x3(1, 2, 3, 4, 5, 6);
  out[1] = float2x3(float3(1, 2, 3), float3(4, 5, 6));
  out[2] = float2x3(7);
  out[3] = float2x3(half2x3(out[0]));
}
