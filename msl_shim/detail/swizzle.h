// The swizzles of a vector class: v.xy, v.zw = p, v.rgb *= s.
//
// A swizzle of two or more components is a Microsoft property: no storage, so layout and trivial constructors stay,
// and its value is a real vec, so template deduction works, which proxies cannot offer. Every tuple has a getter
// named after its xyzw letters, which the rgba spelling shares; only a tuple without repetition has a setter, so
// that `v.xx = p` does not compile. Single components are plain members, and therefore lvalues.
//
// __ASSAY_SWIZZLES_N, N = 2, 3, 4, expands to all of them inside a class with members x, y, z, w and element T.
#pragma once
#pragma clang system_header

// a, r: the letters of one component in the two alphabets.
#define __ASSAY_GET2(a, r, b, s)                                                                             \
  METAL_FUNC vec<T, 2> __get_##a##b() const { return vec<T, 2>(a, b); }                                      \
  __declspec(property(get = __get_##a##b, put = __put_##a##b)) vec<T, 2> a##b, r##s;
#define __ASSAY_GET3(a, r, b, s, c, t)                                                                       \
  METAL_FUNC vec<T, 3> __get_##a##b##c() const { return vec<T, 3>(a, b, c); }                                \
  __declspec(property(get = __get_##a##b##c, put = __put_##a##b##c)) vec<T, 3> a##b##c, r##s##t;
#define __ASSAY_GET4(a, r, b, s, c, t, d, u)                                                                 \
  METAL_FUNC vec<T, 4> __get_##a##b##c##d() const { return vec<T, 4>(a, b, c, d); }                          \
  __declspec(property(get = __get_##a##b##c##d, put = __put_##a##b##c##d)) vec<T, 4> a##b##c##d, r##s##t##u;

#define __ASSAY_PUT2(a, b)                                                                                   \
  METAL_FUNC void __put_##a##b(vec<T, 2> v) { a = v.x, b = v.y; }
#define __ASSAY_PUT3(a, b, c)                                                                                \
  METAL_FUNC void __put_##a##b##c(vec<T, 3> v) { a = v.x, b = v.y, c = v.z; }
#define __ASSAY_PUT4(a, b, c, d)                                                                             \
  METAL_FUNC void __put_##a##b##c##d(vec<T, 4> v) { a = v.x, b = v.y, c = v.z, d = v.w; }

// Loops over the components, one copy for each depth, because a macro does not expand inside itself.
#define __ASSAY_A2(M) M(x, r) M(y, g)
#define __ASSAY_A3(M) __ASSAY_A2(M) M(z, b)
#define __ASSAY_A4(M) __ASSAY_A3(M) M(w, a)
#define __ASSAY_B2(M, ...) M(__VA_ARGS__, x, r) M(__VA_ARGS__, y, g)
#define __ASSAY_B3(M, ...) __ASSAY_B2(M, __VA_ARGS__) M(__VA_ARGS__, z, b)
#define __ASSAY_B4(M, ...) __ASSAY_B3(M, __VA_ARGS__) M(__VA_ARGS__, w, a)
#define __ASSAY_C2(M, ...) M(__VA_ARGS__, x, r) M(__VA_ARGS__, y, g)
#define __ASSAY_C3(M, ...) __ASSAY_C2(M, __VA_ARGS__) M(__VA_ARGS__, z, b)
#define __ASSAY_C4(M, ...) __ASSAY_C3(M, __VA_ARGS__) M(__VA_ARGS__, w, a)
#define __ASSAY_D2(M, ...) M(__VA_ARGS__, x, r) M(__VA_ARGS__, y, g)
#define __ASSAY_D3(M, ...) __ASSAY_D2(M, __VA_ARGS__) M(__VA_ARGS__, z, b)
#define __ASSAY_D4(M, ...) __ASSAY_D3(M, __VA_ARGS__) M(__VA_ARGS__, w, a)

#define __ASSAY_2OF2(a, r) __ASSAY_B2(__ASSAY_GET2, a, r)
#define __ASSAY_2OF3(a, r) __ASSAY_B3(__ASSAY_GET2, a, r)
#define __ASSAY_2OF4(a, r) __ASSAY_B4(__ASSAY_GET2, a, r)
#define __ASSAY_3OF2(a, r) __ASSAY_B2(__ASSAY_3OF2_, a, r)
#define __ASSAY_3OF3(a, r) __ASSAY_B3(__ASSAY_3OF3_, a, r)
#define __ASSAY_3OF4(a, r) __ASSAY_B4(__ASSAY_3OF4_, a, r)
#define __ASSAY_3OF2_(a, r, b, s) __ASSAY_C2(__ASSAY_GET3, a, r, b, s)
#define __ASSAY_3OF3_(a, r, b, s) __ASSAY_C3(__ASSAY_GET3, a, r, b, s)
#define __ASSAY_3OF4_(a, r, b, s) __ASSAY_C4(__ASSAY_GET3, a, r, b, s)
#define __ASSAY_4OF2(a, r) __ASSAY_B2(__ASSAY_4OF2_, a, r)
#define __ASSAY_4OF3(a, r) __ASSAY_B3(__ASSAY_4OF3_, a, r)
#define __ASSAY_4OF4(a, r) __ASSAY_B4(__ASSAY_4OF4_, a, r)
#define __ASSAY_4OF2_(a, r, b, s) __ASSAY_C2(__ASSAY_4OF2__, a, r, b, s)
#define __ASSAY_4OF3_(a, r, b, s) __ASSAY_C3(__ASSAY_4OF3__, a, r, b, s)
#define __ASSAY_4OF4_(a, r, b, s) __ASSAY_C4(__ASSAY_4OF4__, a, r, b, s)
#define __ASSAY_4OF2__(a, r, b, s, c, t) __ASSAY_D2(__ASSAY_GET4, a, r, b, s, c, t)
#define __ASSAY_4OF3__(a, r, b, s, c, t) __ASSAY_D3(__ASSAY_GET4, a, r, b, s, c, t)
#define __ASSAY_4OF4__(a, r, b, s, c, t) __ASSAY_D4(__ASSAY_GET4, a, r, b, s, c, t)

#define __ASSAY_PERMUTE2(a, b) __ASSAY_PUT2(a, b) __ASSAY_PUT2(b, a)
#define __ASSAY_PERMUTE3(a, b, c)                                                                            \
  __ASSAY_PUT3(a, b, c) __ASSAY_PUT3(a, c, b) __ASSAY_PUT3(b, a, c) __ASSAY_PUT3(b, c, a)                    \
  __ASSAY_PUT3(c, a, b) __ASSAY_PUT3(c, b, a)
#define __ASSAY_PERMUTE4_(a, b, c, d)                                                                        \
  __ASSAY_PUT4(a, b, c, d) __ASSAY_PUT4(a, b, d, c) __ASSAY_PUT4(a, c, b, d) __ASSAY_PUT4(a, c, d, b)        \
  __ASSAY_PUT4(a, d, b, c) __ASSAY_PUT4(a, d, c, b)
#define __ASSAY_PUTS_2 __ASSAY_PERMUTE2(x, y)
#define __ASSAY_PUTS_3 __ASSAY_PUTS_2 __ASSAY_PERMUTE2(x, z) __ASSAY_PERMUTE2(y, z) __ASSAY_PERMUTE3(x, y, z)
#define __ASSAY_PUTS_4                                                                                       \
  __ASSAY_PUTS_3 __ASSAY_PERMUTE2(x, w) __ASSAY_PERMUTE2(y, w) __ASSAY_PERMUTE2(z, w)                        \
  __ASSAY_PERMUTE3(x, y, w) __ASSAY_PERMUTE3(x, z, w) __ASSAY_PERMUTE3(y, z, w)                              \
  __ASSAY_PERMUTE4_(x, y, z, w) __ASSAY_PERMUTE4_(y, x, z, w) __ASSAY_PERMUTE4_(z, x, y, w)                  \
  __ASSAY_PERMUTE4_(w, x, y, z)

#define __ASSAY_SWIZZLES_2 __ASSAY_A2(__ASSAY_2OF2) __ASSAY_A2(__ASSAY_3OF2) __ASSAY_A2(__ASSAY_4OF2) __ASSAY_PUTS_2
#define __ASSAY_SWIZZLES_3 __ASSAY_A3(__ASSAY_2OF3) __ASSAY_A3(__ASSAY_3OF3) __ASSAY_A3(__ASSAY_4OF3) __ASSAY_PUTS_3
#define __ASSAY_SWIZZLES_4 __ASSAY_A4(__ASSAY_2OF4) __ASSAY_A4(__ASSAY_3OF4) __ASSAY_A4(__ASSAY_4OF4) __ASSAY_PUTS_4
