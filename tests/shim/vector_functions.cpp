// Vector and matrix operations for vector_test.cpp.
#include <metal_stdlib>

using namespace metal;

extern "C" void shim_swizzle_read(const float4 *v, float4 *out) {
  out[0] = v->wzyx;
  out[1] = v->rrgg;
  out[2] = float4(v->zx, v->yw);
  out[3] = float4(v->bgr, v->a);
}
extern "C" void shim_swizzle_write(float4 *v) {
  v[0].xy = float2(10, 20);
  v[1].wzy = float3(1, 2, 3);
  v[2].zw += float2(1, 2);
  v[3].bgra = v[3].rgba;
  v[4].rgb *= 2;
  v[5].yx = v[5].xy;
}
extern "C" void shim_constructors(float4 *out) {
  const float2 ab(1, 2);
  const float3 abc(1, 2, 3);
  out[0] = float4(ab, 3, 4);
  out[1] = float4(0, ab, 3);
  out[2] = float4(7, 8, ab);
  out[3] = float4(abc, 9);
  out[4] = float4(9, abc);
  out[5] = float4(ab, ab);
  out[6] = 5;
  out[7] = {1, 2, 3, 4};
  out[8] = (float4)uchar4(255, 254, 1, 0);
  out[9] = float4(bool4(true, false, true, false));
  out[10] = float4(1.5h, short(2), 3u, true);
}
extern "C" void shim_conversions(const float4 *in, int4 *ints, bool4 *bools, half4 *halves, float4 *back) {
  ints[0] = int4(in[0]);
  bools[0] = bool4(in[0]);
  halves[0] = half4(in[0]);
  back[0] = float4(halves[0]);
  back[1] = float4(half4(bfloat4(in[0])));
}
extern "C" void shim_char_arithmetic(const char4 *in, char4 *out) {
  out[0] = in[0] + in[1];
  out[1] = in[0] * in[1];
  out[2] = in[0] >> 1;
  out[3] = -in[0];
  out[4] = ~in[0];
}
extern "C" void shim_half_rounds(const half4 *in, half4 *out) {
  out[0] = in[0] * in[1] - in[2];
}
extern "C" void shim_half_two_statements(const half4 *in, half4 *out) {
  half4 product = in[0] * in[1];
  out[0] = product - in[2];
}
// Each way that a product can stand in an expression.
extern "C" void shim_contracted(const float4 *v, float4 *out) {
  out[0] = v[0] * v[1] + v[2];
  out[1] = v[2] + v[0] * v[1];
  out[2] = v[0] * v[1] - v[2];
  out[3] = v[2] - v[0] * v[1];
  out[4] = v[2];
  out[4] += v[0] * v[1];
  out[5] = v[2];
  out[5] -= v[0] * v[1];
  out[6] = v[0] * v[1] + v[2] * v[1];
}
extern "C" void shim_not_contracted(const float4 *v, float4 *out) {
  auto product = v[0] * v[1];
  out[0] = product + v[2];
  float4 named = v[0] * v[1];
  out[1] = named - v[2];
  product = v[3];
  out[2] = product + v[2];
}
extern "C" void shim_compare(const float4 *v, bool4 *out) {
  out[0] = v[0] < v[1];
  out[1] = v[0] == v[1];
  out[2] = v[0] >= v[1] && v[0] != 3;
  out[3] = !(v[0] < v[1]);
}
extern "C" void shim_packed(const packed_float3 *p, float3 *v, packed_float3 *out) {
  v[0] = p[0] + p[1];
  v[1] = p[0] * 2 - v[2];
  out[0] = v[0];
  out[1] = out[0];
  out[1] += 1;
  out[1].y = out[0][2];
  out[2] = p[1].zyx;
  v[3] = float3(length(p[0]), dot(p[0], p[1]), p[0].x);
}
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
extern "C" uint shim_bits(float x) {
  return as_type<uint>(x);
}
extern "C" void shim_as_half2(uint bits, half2 *out) {
  *out = as_type<half2>(bits);
}
extern "C" void shim_index(float4 *v, uint i) {
  v[0][i] = v[1][3 - i];
  ++v[1];
  v[1]--;
}
