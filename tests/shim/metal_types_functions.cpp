// Vector, packed vector and as_type operations for metal_types_test.cpp.
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
// Packed vectors made vectors, of the same element type and of others, by constructor, cast and initialiser.
extern "C" void shim_from_packed(const packed_char4 *c, const packed_uchar2 *u, const packed_half3 *h,
                                 const packed_bfloat4 *b, char4 *chars, int4 *ints, float4 *floats) {
  chars[0] = char4(c[0]);
  chars[1] = (char4)c[0];
  char4 assigned = c[0];
  chars[2] = assigned;
  ints[0] = int4(c[0]);
  ints[1] = int4(ushort4(u[0].xyxy));
  floats[0] = float4(c[0]);
  floats[1] = float4(float2(u[0]), float2(u[1]));
  floats[2] = float4(float3(h[0]), 1);
  floats[3] = float4(half4(b[0]));
  floats[4] = float4(packed_float4(c[0]));
  floats[5] = float4(packed_float4(float4(c[0])));
}
// Braced lists shorter than the vector: the rest is zero.
extern "C" void shim_short_lists(uint a, uint b, uint c, uint4 *four, uint3 *three, float4 *floats) {
  uint4 ks = {a, b, c};
  four[0] = ks;
  uint4 two = {a, b};
  four[1] = two;
  four[2] = {};
  uint3 pair = {a, b};
  three[0] = pair;
  float4 mixed = {1.5f, float(a)};
  floats[0] = mixed;
}
// A product of vectors beside a scalar or a vector in a conditional, whichever side it is on.
extern "C" void shim_conditional_products(const float4 *v, const half4 *h, bool yes, float4 *out,
                                          half4 *halves) {
  out[0] = yes ? v[0] * v[1] : 0.f;
  out[1] = yes ? 0.f : v[0] * v[1];
  out[2] = yes ? v[0] * v[1] : v[2];
  out[3] = yes ? v[2] : v[0] * v[1];
  out[4] = (yes ? v[0] * v[1] : 0.f) + v[2];
  out[5] = v[2] - (yes ? 3.f : v[0] * v[1]);
  halves[0] = yes ? h[0] * h[1] : 0.h;
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
