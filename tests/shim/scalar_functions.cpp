// Integer, common, relational, geometric, pack functions and the exact mathematical ones, one plain C
// function each, for the tests of those headers. scalar_functions.h declares the scalar ones.
#include <metal_stdlib>

using namespace metal;

#define UNARY(name, T)                                                                                       \
  extern "C" T scalar_##T##_##name(T x) {                                                                    \
    return metal::name(x);                                                                                   \
  }
#define BINARY(name, T)                                                                                      \
  extern "C" T scalar_##T##_##name(T x, T y) {                                                               \
    return metal::name(x, y);                                                                                \
  }
#define TERNARY(name, T)                                                                                     \
  extern "C" T scalar_##T##_##name(T x, T y, T z) {                                                          \
    return metal::name(x, y, z);                                                                             \
  }
#define INTEGERS(M, name)                                                                                    \
  M(name, char)                                                                                              \
  M(name, uchar) M(name, short) M(name, ushort) M(name, int) M(name, uint) M(name, long) M(name, ulong)

INTEGERS(UNARY, abs)
INTEGERS(UNARY, clz)
INTEGERS(UNARY, ctz)
INTEGERS(UNARY, popcount)
INTEGERS(UNARY, reverse_bits)
#define ABSDIFF(name, T)                                                                                     \
  extern "C" T scalar_##T##_absdiff(T x, T y) {                                                              \
    return T(absdiff(x, y));                                                                                 \
  }
INTEGERS(ABSDIFF, absdiff)
INTEGERS(BINARY, addsat)
INTEGERS(BINARY, subsat)
INTEGERS(BINARY, hadd)
INTEGERS(BINARY, rhadd)
INTEGERS(BINARY, mulhi)
INTEGERS(BINARY, rotate)
INTEGERS(BINARY, min)
INTEGERS(BINARY, max)
INTEGERS(TERNARY, madhi)
INTEGERS(TERNARY, madsat)
INTEGERS(TERNARY, clamp)
INTEGERS(TERNARY, median3)
TERNARY(mad24, int)
TERNARY(mad24, uint)
#define BITS(name, T)                                                                                        \
  extern "C" T scalar_##T##_extract_bits(T x, uint offset, uint bits) {                                      \
    return extract_bits(x, offset, bits);                                                                    \
  }                                                                                                          \
  extern "C" T scalar_##T##_insert_bits(T x, T y, uint offset, uint bits) {                                  \
    return insert_bits(x, y, offset, bits);                                                                  \
  }
INTEGERS(BITS, bits)

#define FLOATS(M, name) M(name, float) M(name, half)
FLOATS(UNARY, fract)
FLOATS(UNARY, saturate)
FLOATS(UNARY, sign)
FLOATS(UNARY, rint)
FLOATS(UNARY, round)
FLOATS(UNARY, trunc)
FLOATS(UNARY, ceil)
FLOATS(UNARY, floor)
FLOATS(BINARY, fmin)
FLOATS(BINARY, fmax)
FLOATS(BINARY, step)
FLOATS(TERNARY, clamp)
FLOATS(TERNARY, mix)
FLOATS(TERNARY, smoothstep)
FLOATS(TERNARY, fmedian3)
FLOATS(TERNARY, fma)
#define LDEXP(name, T)                                                                                       \
  extern "C" T scalar_##T##_ldexp(T x, int k) {                                                              \
    return ldexp(x, k);                                                                                      \
  }                                                                                                          \
  extern "C" T scalar_##T##_frexp(T x, int *k) {                                                             \
    return frexp(x, *k);                                                                                     \
  }                                                                                                          \
  extern "C" T scalar_##T##_modf(T x, T *whole) {                                                            \
    return modf(x, *whole);                                                                                  \
  }                                                                                                          \
  extern "C" T scalar_##T##_sincos(T x, T *cosine) {                                                         \
    return sincos(x, *cosine);                                                                               \
  }                                                                                                          \
  extern "C" int scalar_##T##_ilogb(T x) {                                                                   \
    return ilogb(x);                                                                                         \
  }                                                                                                          \
  extern "C" uint scalar_##T##_classes(T x) {                                                                \
    return uint(isfinite(x)) | uint(isinf(x)) << 1 | uint(isnan(x)) << 2 | uint(isnormal(x)) << 3 |          \
           uint(signbit(x)) << 4;                                                                            \
  }
FLOATS(LDEXP, ldexp)
extern "C" uint scalar_bfloat_classes(ushort bits) {
  const bfloat x = as_type<bfloat>(bits);
  return uint(isfinite(x)) | uint(isinf(x)) << 1 | uint(isnan(x)) << 2 | uint(isnormal(x)) << 3 |
         uint(signbit(x)) << 4 | uint(isordered(x, x)) << 5 | uint(isunordered(bfloat(1), x)) << 6;
}
extern "C" uint shim_bfloat_vector_tests(const bfloat4 *v) {
  const bool4 nan = isnan(v[0]), less = isordered(v[0], v[0]);
  return uint(nan.x) | uint(nan.y) << 1 | uint(nan.z) << 2 | uint(nan.w) << 3 | uint(less.x) << 4 |
         uint(less.w) << 7;
}
extern "C" uint shim_bool_functions(bool a, bool b) {
  const bool3 v(a, b, true);
  return uint(any(a)) | uint(all(b)) << 1 | uint(all(v)) << 2 | uint(any(!v)) << 3;
}

// The fast forms of table 8.2.
UNARY(tanh, float)
UNARY(tan, float)
UNARY(sinh, float)
UNARY(cosh, float)
UNARY(sqrt, float)
UNARY(exp10, float)
UNARY(log10, float)
BINARY(pow, float)
BINARY(atan2, float)

extern "C" void shim_vector_calls(const float4 *v, float4 *out) {
  out[0] = max(v[0], 2.0f);
  out[1] = clamp(v[0], 2, 3);
  out[2] = mix(v[0], v[1], 0.5f);
  out[3] = select(v[0], v[1], v[0] < 3.0f);
  out[4] = smoothstep(0.0f, 4.0f, v[0]);
  out[5] = float4(any(v[0] > 3.5f), all(v[0] > 0.5f), isnan(v[1]).x, dot(v[0], v[1]));
  out[6] = normalize(float4(3, 0, 4, 0));
  out[7] = float4(cross(v[0].xyz, v[1].xyz), length(float2(3, 4)));
  out[8] = float4(reflect(float2(1, -1), float2(0, 1)), distance(v[0], v[1]), length_squared(v[0]));
}
extern "C" void shim_integer_vectors(const int4 *v, int4 *out) {
  out[0] = max(v[0], 2);
  out[1] = clamp(v[0], int4(-1), int4(1));
  out[2] = abs(v[0]);
  out[3] = popcount(v[0]);
  out[4] = addsat(v[0], INT_MAX);
}
extern "C" void shim_unpack(uint x, float4 *out) {
  out[0] = unpack_unorm4x8_to_float(x);
  out[1] = unpack_snorm4x8_to_float(x);
  out[2] = float4(unpack_unorm2x16_to_float(x), unpack_snorm2x16_to_float(x));
}
extern "C" void shim_unpack_shorts_to_half(uint x, float4 *out) {
  *out = float4(float2(unpack_unorm2x16_to_half(x)), float2(unpack_snorm2x16_to_half(x)));
}
extern "C" uint shim_pack_unorm4x8(const float4 *v) {
  return pack_float_to_unorm4x8(*v);
}
extern "C" uint shim_pack_snorm4x8(const float4 *v) {
  return pack_float_to_snorm4x8(*v);
}
extern "C" uint shim_pack_snorm2x16(const float4 *v) {
  return pack_float_to_snorm2x16(v->xy);
}

extern "C" void shim_unpack_colours(uint x, float4 *out) {
  out[0] = unpack_unorm4x8_srgb_to_float(x);
  out[1] = unpack_unorm10a2_to_float(x);
  out[2] = unpack_snorm10a2_to_float(x);
  out[3] = float4(unpack_unorm565_to_float(ushort(x)), 0);
  out[4] = float4(unpack_unorm4x8_srgb_to_half(x));
  out[5] = float4(unpack_unorm10a2_to_half(x));
  out[6] = float4(unpack_snorm10a2_to_half(x));
  out[7] = float4(float3(unpack_unorm565_to_half(ushort(x))), 0);
}
extern "C" void shim_pack_colours(const float4 *v, uint *out) {
  out[0] = pack_float_to_srgb_unorm4x8(*v);
  out[1] = pack_float_to_unorm10a2(*v);
  out[2] = pack_float_to_snorm10a2(*v);
  out[3] = pack_float_to_unorm565(v->xyz);
  out[4] = pack_half_to_srgb_unorm4x8(half4(*v));
  out[5] = pack_half_to_unorm10a2(half4(*v));
  out[6] = pack_half_to_snorm10a2(half4(*v));
  out[7] = pack_half_to_unorm565(half3(v->xyz));
}
