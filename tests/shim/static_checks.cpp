// What holds of types alone: sizes, alignments, constructors, deduction, and what programs add to the
// library. Compiling this file is the test.
// source: MSL specification, chapter 2 and section 6.4.
#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

#define LAYOUT(type, bytes, alignment)                                                                       \
  static_assert(sizeof(type) == bytes && alignof(type) == alignment, #type)
// source: tables 2.2, 2.3, 2.4, 2.5.
LAYOUT(bool2, 2, 2);
LAYOUT(bool3, 4, 4);
LAYOUT(bool4, 4, 4);
LAYOUT(char2, 2, 2);
LAYOUT(uchar3, 4, 4);
LAYOUT(short3, 8, 8);
LAYOUT(ushort4, 8, 8);
LAYOUT(int2, 8, 8);
LAYOUT(uint3, 16, 16);
LAYOUT(uint4, 16, 16);
LAYOUT(long2, 16, 16);
LAYOUT(ulong3, 32, 32);
LAYOUT(long4, 32, 32);
LAYOUT(half2, 4, 4);
LAYOUT(half3, 8, 8);
LAYOUT(half4, 8, 8);
LAYOUT(bfloat3, 8, 8);
LAYOUT(bfloat4, 8, 8);
LAYOUT(float2, 8, 8);
LAYOUT(float3, 16, 16);
LAYOUT(float4, 16, 16);
LAYOUT(packed_char3, 3, 1);
LAYOUT(packed_half3, 6, 2);
LAYOUT(packed_bfloat2, 4, 2);
LAYOUT(packed_float3, 12, 4);
LAYOUT(packed_uint2, 8, 4);
LAYOUT(packed_long4, 32, 8);
LAYOUT(half2x2, 8, 4);
LAYOUT(half2x3, 16, 8);
LAYOUT(half4x4, 32, 8);
typedef matrix<bfloat, 4, 4> bfloat4x4;
LAYOUT(bfloat4x4, 32, 8);
LAYOUT(float2x2, 16, 8);
LAYOUT(float2x3, 32, 16);
LAYOUT(float3x2, 24, 8);
LAYOUT(float3x3, 48, 16);
LAYOUT(float4x3, 64, 16);
LAYOUT(float4x4, 64, 16);
LAYOUT(atomic_uint, 4, 4);
LAYOUT(atomic_ulong, 8, 8);
LAYOUT(simd_float3, 16, 16);
static_assert(sizeof(array<float3, 5>) == 80);
static_assert(sizeof(long) == 8 && sizeof(size_t) == 8 && sizeof(char) == 1 && CHAR_MIN < 0);

// A vector stands in a union beside other members, so nothing of it may need construction.
static_assert(__is_trivial(float4) && __is_trivial(bool3) && __is_trivial(packed_half3) &&
              __is_trivial(float4x4));
union Pun {
  float4 vector;
  uint words[4];
};
static_assert(__is_trivially_constructible(Pun));

template <class To, class From> constexpr bool kImplicit = is_convertible_v<From, To>;
template <class To, class... From> constexpr bool kCast = is_constructible_v<To, From...>;
// Scalars splat; another element type needs a cast; a longer vector needs a cast, too, and a shorter
// one is never right.
static_assert(kImplicit<float4, float> && kImplicit<float4, int> && kImplicit<half2, half> &&
              kImplicit<bool2, bool>);
static_assert(!kImplicit<float4, half4> && !kImplicit<int2, uint2> && !kImplicit<half4, float4>);
static_assert(kCast<float4, half4> && kCast<int2, float2> && kCast<bool4, float4> && kCast<bfloat4, half4>);
static_assert(!kCast<float4, float3> && kCast<float3, float4> && !kImplicit<float3, float4> &&
              !kImplicit<float, float2>);
static_assert(kCast<float4, float2, float2> && kCast<float4, float3, float> && kCast<float4, float, float3> &&
              kCast<float4, float2, float, float> && kCast<float4, float, float2, float> &&
              kCast<float4, float, float, float2> && kCast<float3, float, float2> &&
              kCast<float3, float2, float>);
static_assert(!kCast<float4, float3, float2> && !kCast<float4, float2> && !kCast<float3, float2, float2>);
static_assert(kImplicit<packed_float3, float3> && kImplicit<float3, packed_float3> &&
              !kImplicit<packed_float3, half3>);
static_assert(kCast<float4x4, half4x4> && kCast<half4x4, bfloat4x4> && !kImplicit<float4x4, half4x4> &&
              kCast<float4x4, float> && !kImplicit<float4x4, float>);

// Arithmetic stays in the element type; comparisons give bool vectors; a swizzle is a vector.
static_assert(is_same_v<decltype(char2(1) + char2(1)), char2> &&
              is_same_v<decltype(ushort3(1) << 2), ushort3>);
static_assert(is_same_v<decltype(float3(1) < 2.0f), bool3> &&
              is_same_v<decltype(half4(1) == half4(1)), bool4>);
static_assert(is_same_v<decltype(bfloat2(1) - bfloat2(1)), bfloat2> && is_same_v<decltype(!int2(1)), bool2>);
template <class T, int N> constexpr int elements(vec<T, N>) {
  return N;
}
template <class T, int N> constexpr T elementOf(vec<T, N>);
static_assert(is_same_v<decltype(elementOf(declval<half4 &>().zyx)), half>);
static_assert(is_same_v<decltype(elementOf(float4(1) * float4(2))), float>, "a product is a vector");
static_assert(is_same_v<decltype(simd_sum(half3(1) * half3(2))), half3> &&
              sizeof(as_type<uint4>(float4(1) * float4(2))) == 16);
static_assert(is_same_v<decltype(simd_shuffle_and_fill_up(float2(1) * 2, float2(1), 1)), float2>);
static_assert(is_same_v<decltype(select(float2(1) * 2, float2(1), bool2(true))), float2>);
static_assert(is_same_v<decltype(float4x4(1) * float4(1)), float4> &&
              is_same_v<decltype(float4(1) * float2x4(1)), float2>);
static_assert(is_same_v<decltype(float2x4(1) * float3x2(1)), float3x4>);

// Literals.
static_assert(is_same_v<decltype(1.0), double> || is_same_v<decltype(1.0), float>);
static_assert(sizeof(1.0 + 0.0f) == 4, "an unsuffixed literal is a float");
static_assert(is_same_v<decltype(16.h), half> && 16.h == half(16) && 0x1.8p1h == half(3));
static_assert(is_same_v<decltype(1.5_bf), bfloat>);

// Metal has no void_t: programs define their own.
template <class...> using VoidOf = void;
// The names of Metal's integer overload set: same types agree, mixed signs are ambiguous.
template <class A, class B, class = void> constexpr bool kHasMax = false;
template <class A, class B>
constexpr bool kHasMax<A, B, VoidOf<decltype(max(declval<A>(), declval<B>()))>> = true;
static_assert(kHasMax<int, int> && kHasMax<ushort, ushort> && kHasMax<half, half> && kHasMax<float4, float>);
static_assert(kHasMax<float4, int> && kHasMax<uint3, uint> && kHasMax<float, float4>);
static_assert(!kHasMax<int, uint> && !kHasMax<float, int> && !kHasMax<float4, float3>);
template <class T, class = void> constexpr bool kHasDot = false;
template <class T> constexpr bool kHasDot<T, VoidOf<decltype(dot(declval<T>(), declval<T>()))>> = true;
static_assert(kHasDot<float3> && kHasDot<half4> && kHasDot<packed_float3> && !kHasDot<float> &&
              !kHasDot<int3>);

// Programs add overloads that Metal's library lacks, in its own namespaces.
namespace metal {
METAL_FUNC bfloat max(bfloat x, bfloat y) {
  return x < y ? y : x;
}
METAL_FUNC bfloat exp(bfloat x) {
  return bfloat(exp(float(x)));
}
namespace fast {
METAL_FUNC bfloat exp(bfloat x) {
  return bfloat(exp(float(x)));
}
} // namespace fast
namespace precise {
METAL_FUNC bfloat exp(bfloat x) {
  return bfloat(exp(float(x)));
}
} // namespace precise
} // namespace metal
// The built-ins beneath Apple's library, as MLX calls them for bfloat.
namespace metal {
METAL_FUNC bfloat tanh(bfloat x) {
  return bfloat(__metal_tanh(float(x), __METAL_MAYBE_FAST_MATH__));
}
METAL_FUNC bfloat fmax3(bfloat x, bfloat y, bfloat z) {
  return bfloat(__metal_fmax3(float(x), float(y), float(z), __METAL_PRECISE_MATH__));
}
METAL_FUNC bfloat frexp(bfloat x, thread int &exponent) {
  return bfloat(__metal_frexp(float(x), &exponent));
}
METAL_FUNC bfloat simd_sum(bfloat x) {
  return bfloat(__metal_simd_sum(float(x)));
}
template <class T, class = enable_if_t<__is_valid_simdgroup_type<T>::value>> METAL_FUNC ushort lane(T) {
  return __metal_get_thread_index_in_simdgroup(ushort()) % __metal_get_simdgroup_size(ushort());
}
} // namespace metal
kernel void useInternals(device bfloat *out) {
  int e;
  out[lane(1.0f)] = tanh(out[0]) + fmax3(out[1], out[2], out[3]) + frexp(out[4], e) + simd_sum(out[5]);
}
static_assert(__is_valid_simdgroup_type<half3>::value && !__is_valid_simdgroup_type<long>::value);

static inline float dot(float x, float y) {
  return x * y;
}
static inline float sum(float x) {
  return x;
}
static_assert(is_same_v<decltype(metal::exp(bfloat())), bfloat> &&
              is_same_v<decltype(precise::exp(bfloat())), bfloat>);
static_assert(is_same_v<decltype(max(bfloat(), bfloat())), bfloat>);
kernel void useOwnOverloads(device float *out) {
  out[0] = dot(out[1], out[2]) + sum(out[3]);
}

// Kernels keep values in every address space, and copy them freely.
struct Params {
  float4 scale;
  packed_float3 offset;
  array<int, 3> sizes;
};
kernel void copies(constant Params &params, device Params *out, device float4 *v, constant float4x4 &m) {
  Params p = params;
  out[0] = p;
  out[1] = params;
  __assay_threadgroup_object float4 tile[4];
  tile[0] = v[0];
  v[1] = tile[0] * params.scale + v[2];
  v[2].xyz = params.offset + p.offset;
  v[3] = m * v[2];
  float4x4 copy = m;
  v[4] = copy[1];
  v[5][p.sizes[1]] += 1;
}
static_assert(is_same_v<metal::nullptr_t, decltype(nullptr)>);
