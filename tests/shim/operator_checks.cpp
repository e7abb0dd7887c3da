// Every operator of every vector and scalar type, on variables of every memory and on swizzles; how vectors
// are deduced; names of the program's own beside the library's. Compiling this file is the test.
// source: MSL specification, sections 2.2 and 3.1.
#include <metal_stdlib>
using namespace metal;

// Nothing of the library's is visible under a plain name.
namespace detail {
struct Own {
  int y;
};
} // namespace detail
namespace impl {
int own();
} // namespace impl
detail::Own own;

// An argument of a vector's length may have any integer type.
template <uint N> int lengthOf(vec<bool, N>) {
  return N;
}
template <typename T, size_t N> int lengthOf(vec<T, N>, T) {
  return N;
}
template <typename T, ushort N> int packedLength(packed_vec<T, N>) {
  return N;
}
template <class T> struct Elements {
  static constexpr int n = 1;
};
template <class T, int N> struct Elements<vec<T, N>> {
  static constexpr int n = N;
};
static_assert(Elements<float4>::n == 4 && Elements<packed_float3>::n == 1 && Elements<half>::n == 1);
int lengths() {
  return lengthOf(bool4(true)) + lengthOf(float3(1), 1.0f) + packedLength(packed_float3(1));
}

template <class T> T sum(T a, T b) {
  return a + b;
}
template <class T> void arithmetic(device T *d, threadgroup T *t, T x, T y) {
  x += y, x -= y, x *= y, x /= y, x += 1, x -= 1, x *= 2, x /= 2;
  ++x, --x, x++, x--;
  *d += y, *d -= 1, *d *= y, *d /= 2;
  *t += y, *t -= 1, t[1] *= y, t[1] /= 2;
  ++*d, --*t;
  d[1] = t[0];
}
template <class T> void bits(device T *d, threadgroup T *t, T x, T y) {
  arithmetic(d, t, x, y);
  x %= y, x &= y, x |= y, x ^= y, x <<= y, x >>= y;
  x %= 2, x &= 1, x |= 1, x ^= 1, x <<= 1, x >>= 1, x <<= 1u;
  *d %= y, *d &= 1, *d |= y, *d ^= 1, *d <<= 1, *d >>= y;
  *t %= 3, *t &= y, *t <<= 1;
}
template <class T> void vectors(device T *d, threadgroup T *t, T x, T y) {
  x.xy += y.yx, x.xy -= 1, x.x += 1, x.yx *= y.xy;
  d->xy += y.xy, t->xy -= 1, d->xy /= 2, d[1].x *= 2;
  x.xy = y.yx = d->xy;
  T z;
  z.xy = t->yx = x.xy;
  auto v = x * y;
  v = v - 1;
  sum(x * y, x);
  volatile device T *inMemory = d;
  T read = *inMemory;
  *inMemory = y;
  volatile T variable = y;
  variable = read;
  read = variable;
}
#define ARITHMETIC(T) template void arithmetic<T>(device T *, threadgroup T *, T, T);
#define BITS(T) template void bits<T>(device T *, threadgroup T *, T, T);
#define VECTORS(T) template void vectors<T>(device T *, threadgroup T *, T, T);
#define WITH_VECTORS(M, T) M(T) M(T##2) M(T##3) M(T##4) VECTORS(T##2) VECTORS(T##3) VECTORS(T##4)
WITH_VECTORS(ARITHMETIC, float)
WITH_VECTORS(ARITHMETIC, half)
WITH_VECTORS(ARITHMETIC, bfloat)
WITH_VECTORS(BITS, char)
WITH_VECTORS(BITS, uchar)
WITH_VECTORS(BITS, short)
WITH_VECTORS(BITS, ushort)
WITH_VECTORS(BITS, int)
WITH_VECTORS(BITS, uint)
WITH_VECTORS(BITS, long)
WITH_VECTORS(BITS, ulong)
ARITHMETIC(packed_float3)
ARITHMETIC(packed_half2)
BITS(packed_int3)
BITS(packed_uchar4)

// The count of a shift may have another integer type.
int2 shifts(int2 a, uint2 b, ushort2 c, packed_int2 p, long2 l) {
  a <<= b, a >>= c, p <<= l, p <<= b;
  a = a << b;
  return (a >> c) << l;
}
bool4 bools(bool4 a, bool b) {
  bool4 r;
  r = b;
  a &= r, a |= b, a ^= a;
  return (a & b) | ((r ^ a) && r) || a;
}
static_assert(is_same_v<decltype(~bool4(true)), bool4>);

// An operator that there is not for a type is no candidate, so that the error is at the program's line.
template <class...> using VoidOf = void;
#define HAS(name, op)                                                                                        \
  template <class A, class B, class = void> constexpr bool name = false;                                     \
  template <class A, class B>                                                                                \
  constexpr bool name<A, B, VoidOf<decltype(declval<A>() op declval<B>())>> = true;
HAS(kHasAnd, &)
HAS(kHasRemainder, %)
HAS(kHasShift, <<)
HAS(kHasPlus, +)
static_assert(kHasAnd<int4, int4> && kHasAnd<bool4, bool4> && !kHasAnd<float4, float4> &&
              !kHasAnd<half2, half2>);
static_assert(kHasRemainder<uint3, uint3> && !kHasRemainder<float4, float4> && !kHasRemainder<bool2, bool2>);
static_assert(kHasShift<int2, uint2> && kHasShift<int2, int> && !kHasShift<float2, int2> &&
              !kHasShift<int2, float2> && !kHasShift<int2, int3>);
static_assert(kHasPlus<float4, float> && !kHasPlus<bool4, bool4> && !kHasPlus<float4, half4>);
