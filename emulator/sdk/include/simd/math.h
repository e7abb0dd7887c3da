// The functions of <math.h> for vectors, element by element: in C by the names of <tgmath.h>, in C++ as
// simd::name. Also sinpi, cospi and tanpi, which multiply x by pi, exp10, sincos, sincospi, and simd_muladd.
//
// Problem. In C, sin(x) has to work for a vector, too. Clang's <tgmath.h> makes it a macro that calls
// __tg_sin with the type that __tg_promote gives.
//
// Choice. Both functions get overloads for vectors here, as on a Mac. Names that <tgmath.h> lacks get macros
// of the same kind.
#pragma once

#include <simd/vector_make.h>
#ifdef __cplusplus
#include <cmath>
#else
#include <tgmath.h>
#endif

// M(name) for the functions of one, two and three arguments that C's library has.
#define __ASSAY_SIMD_MATH1(M)                                                                                \
  M(acos)                                                                                                    \
  M(asin)                                                                                                    \
  M(atan)                                                                                                    \
  M(cos)                                                                                                     \
  M(sin)                                                                                                     \
  M(tan)                                                                                                     \
  M(acosh)                                                                                                   \
  M(asinh)                                                                                                   \
  M(atanh)                                                                                                   \
  M(cosh)                                                                                                    \
  M(sinh)                                                                                                    \
  M(tanh)                                                                                                    \
  M(exp)                                                                                                     \
  M(exp2)                                                                                                    \
  M(expm1)                                                                                                   \
  M(log)                                                                                                     \
  M(log2)                                                                                                    \
  M(log10)                                                                                                   \
  M(log1p)                                                                                                   \
  M(fabs) M(cbrt) M(sqrt) M(erf) M(erfc) M(tgamma) M(lgamma) M(ceil) M(floor) M(rint) M(round) M(trunc)
#define __ASSAY_SIMD_MATH2(M)                                                                                \
  M(atan2) M(pow) M(copysign) M(hypot) M(fmod) M(remainder) M(fdim) M(fmax) M(fmin)
/// Functions of one argument that only Apple's library has.
#define __ASSAY_SIMD_MATH_APPLE(M) M(cospi) M(sinpi) M(tanpi) M(exp10)

// Of elements: __assay_simd_name. Halves are computed in float.
#define __ASSAY_SIMD_SCALARS1(name)                                                                          \
  static inline SIMD_CFUNC double __assay_simd_##name(double x) {                                            \
    return __builtin_##name(x);                                                                              \
  }                                                                                                          \
  static inline SIMD_CFUNC float __assay_simd_##name(float x) {                                              \
    return __builtin_##name##f(x);                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC _Float16 __assay_simd_##name(_Float16 x) {                                        \
    return (_Float16)__builtin_##name##f((float)x);                                                          \
  }
#define __ASSAY_SIMD_SCALARS2(name)                                                                          \
  static inline SIMD_CFUNC double __assay_simd_##name(double x, double y) {                                  \
    return __builtin_##name(x, y);                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC float __assay_simd_##name(float x, float y) {                                     \
    return __builtin_##name##f(x, y);                                                                        \
  }                                                                                                          \
  static inline SIMD_CFUNC _Float16 __assay_simd_##name(_Float16 x, _Float16 y) {                            \
    return (_Float16)__builtin_##name##f((float)x, (float)y);                                                \
  }
__ASSAY_SIMD_MATH1(__ASSAY_SIMD_SCALARS1)
__ASSAY_SIMD_MATH2(__ASSAY_SIMD_SCALARS2)
__ASSAY_SIMD_SCALARS1(exp10)

static inline SIMD_CFUNC double __assay_simd_fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
static inline SIMD_CFUNC float __assay_simd_fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
/// The product of two halves is exact in double. So is the sum where the half is rounded from near a tie.
static inline SIMD_CFUNC _Float16 __assay_simd_fma(_Float16 x, _Float16 y, _Float16 z) {
  return (_Float16)((double)x * y + z);
}

/// sin(pi * x + turn * pi / 2), by the exact remainder of x to the next multiple of a half; +0 for a zero.
static inline SIMD_CFUNC double __assay_simd_turned(double x, int turn) {
  if (x - x != 0) // an infinity or a NaN
    return x - x;
  const double circle = __builtin_fmod(x, 2);
  const double nearest = __builtin_rint(2 * circle);
  const double rest = 0x1.921fb54442d18p1 * (circle - nearest / 2);
  switch (((int)nearest + turn) & 3) {
  case 0: return __builtin_sin(rest);
  case 1: return __builtin_cos(rest);
  case 2: return 0 - __builtin_sin(rest);
  default: return -__builtin_cos(rest);
  }
}
static inline SIMD_CFUNC double __assay_simd_sinpi(double x) {
  return x - x == 0 && __builtin_floor(x) == x ? __builtin_copysign(0.0, x) : __assay_simd_turned(x, 0);
}
static inline SIMD_CFUNC double __assay_simd_cospi(double x) {
  return __assay_simd_turned(x, 1);
}
static inline SIMD_CFUNC double __assay_simd_tanpi(double x) {
  return __assay_simd_sinpi(x) / __assay_simd_cospi(x);
}
#define __ASSAY_SIMD_BY_DOUBLE(name)                                                                         \
  static inline SIMD_CFUNC float __assay_simd_##name(float x) {                                              \
    return (float)__assay_simd_##name((double)x);                                                            \
  }                                                                                                          \
  static inline SIMD_CFUNC _Float16 __assay_simd_##name(_Float16 x) {                                        \
    return (_Float16)__assay_simd_##name((double)x);                                                         \
  }
__ASSAY_SIMD_BY_DOUBLE(sinpi)
__ASSAY_SIMD_BY_DOUBLE(cospi)
__ASSAY_SIMD_BY_DOUBLE(tanpi)

// Of vectors: __tg_name, with the elements' function.
#define __ASSAY_SIMD_TG1(f, name, n)                                                                         \
  static inline SIMD_CFUNC simd_##name##n __tg_##f(simd_##name##n x) {                                       \
    for (int i = 0; i < n; ++i)                                                                              \
      x[i] = __assay_simd_##f(x[i]);                                                                         \
    return x;                                                                                                \
  }
#define __ASSAY_SIMD_TG2(f, name, n)                                                                         \
  static inline SIMD_CFUNC simd_##name##n __tg_##f(simd_##name##n x, simd_##name##n y) {                     \
    for (int i = 0; i < n; ++i)                                                                              \
      x[i] = __assay_simd_##f(x[i], y[i]);                                                                   \
    return x;                                                                                                \
  }
#define __ASSAY_SIMD_TG_LENGTHS(M, f)                                                                        \
  M(f, half, 2)                                                                                              \
  M(f, half, 3)                                                                                              \
  M(f, half, 4)                                                                                              \
  M(f, half, 8)                                                                                              \
  M(f, half, 16)                                                                                             \
  M(f, half, 32)                                                                                             \
  M(f, float, 2)                                                                                             \
  M(f, float, 3)                                                                                             \
  M(f, float, 4)                                                                                             \
  M(f, float, 8) M(f, float, 16) M(f, double, 2) M(f, double, 3) M(f, double, 4) M(f, double, 8)
#define __ASSAY_SIMD_TG1_OF(f) __ASSAY_SIMD_TG_LENGTHS(__ASSAY_SIMD_TG1, f)
#define __ASSAY_SIMD_TG2_OF(f) __ASSAY_SIMD_TG_LENGTHS(__ASSAY_SIMD_TG2, f)
__ASSAY_SIMD_MATH1(__ASSAY_SIMD_TG1_OF)
__ASSAY_SIMD_MATH_APPLE(__ASSAY_SIMD_TG1_OF)
__ASSAY_SIMD_MATH2(__ASSAY_SIMD_TG2_OF)

// Several results or arguments: fma, sincos, sincospi, and x * y + z in the fastest way.
#define __ASSAY_SIMD_SINCOS(type, name, suffix)                                                              \
  static inline SIMD_NONCONST void __tg_sincos##suffix(type x, type *sine, type *cosine) {                   \
    *sine = name##sin##suffix(x);                                                                            \
    *cosine = name##cos##suffix(x);                                                                          \
  }
#define __ASSAY_SIMD_TG_MORE(name, n)                                                                        \
  static inline SIMD_CFUNC simd_##name##n __tg_fma(simd_##name##n x, simd_##name##n y, simd_##name##n z) {   \
    for (int i = 0; i < n; ++i)                                                                              \
      x[i] = __assay_simd_fma(x[i], y[i], z[i]);                                                             \
    return x;                                                                                                \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n simd_muladd(simd_##name##n x, simd_##name##n y,                    \
                                                      simd_##name##n z) {                                    \
    return x * y + z;                                                                                        \
  }                                                                                                          \
  __ASSAY_SIMD_SINCOS(simd_##name##n, __tg_, )                                                               \
  __ASSAY_SIMD_SINCOS(simd_##name##n, __tg_, pi)
#define __ASSAY_SIMD_TG_ELEMENT(name)                                                                        \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name)                                                              \
      simd_muladd(__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y, __ASSAY_SIMD_E(name) z) {                  \
    return x * y + z;                                                                                        \
  }                                                                                                          \
  __ASSAY_SIMD_SINCOS(__ASSAY_SIMD_E(name), __assay_simd_, )                                                 \
  __ASSAY_SIMD_SINCOS(__ASSAY_SIMD_E(name), __assay_simd_, pi)
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_TG_MORE)
__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_TG_ELEMENT)

// The functions of elements that <tgmath.h> does not have.
#define __ASSAY_SIMD_TG_SCALAR(type, f)                                                                      \
  static inline SIMD_CFUNC type __tg_##f(type x) {                                                           \
    return __assay_simd_##f(x);                                                                              \
  }
#define __ASSAY_SIMD_TG_SCALARS(f)                                                                           \
  __ASSAY_SIMD_TG_SCALAR(_Float16, f) __ASSAY_SIMD_TG_SCALAR(float, f) __ASSAY_SIMD_TG_SCALAR(double, f)
__ASSAY_SIMD_MATH_APPLE(__ASSAY_SIMD_TG_SCALARS)

#ifdef __cplusplus
#define __ASSAY_SIMD_TG_SCALAR2(type, f)                                                                     \
  static inline SIMD_CFUNC type __tg_##f(type x, type y) {                                                   \
    return __assay_simd_##f(x, y);                                                                           \
  }
#define __ASSAY_SIMD_TG_SCALARS2(f)                                                                          \
  __ASSAY_SIMD_TG_SCALAR2(_Float16, f) __ASSAY_SIMD_TG_SCALAR2(float, f) __ASSAY_SIMD_TG_SCALAR2(double, f)
#define __ASSAY_SIMD_TG_FMA(name)                                                                            \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name)                                                              \
      __tg_fma(__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y, __ASSAY_SIMD_E(name) z) {                     \
    return __assay_simd_fma(x, y, z);                                                                        \
  }
__ASSAY_SIMD_MATH1(__ASSAY_SIMD_TG_SCALARS)
__ASSAY_SIMD_MATH2(__ASSAY_SIMD_TG_SCALARS2)
__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_TG_FMA)

#define __ASSAY_SIMD_CPP_MATH1(f) __ASSAY_SIMD_CPP1(f, ::__tg_##f)
#define __ASSAY_SIMD_CPP_MATH2(f) __ASSAY_SIMD_CPP2(f, ::__tg_##f)
#define __ASSAY_SIMD_CPP_SINCOS_OF(type)                                                                     \
  static SIMD_CPPFUNC void sincos(type x, type *sine, type *cosine) {                                        \
    ::__tg_sincos(x, sine, cosine);                                                                          \
  }                                                                                                          \
  static SIMD_CPPFUNC void sincospi(type x, type *sine, type *cosine) {                                      \
    ::__tg_sincospi(x, sine, cosine);                                                                        \
  }
// Not templates: a pointer to a long vector would lose what its type says of the alignment.
#define __ASSAY_SIMD_CPP_SINCOS(name, n) __ASSAY_SIMD_CPP_SINCOS_OF(::simd_##name##n)
#define __ASSAY_SIMD_CPP_SINCOS1(name) __ASSAY_SIMD_CPP_SINCOS_OF(__ASSAY_SIMD_E(name))
namespace simd {
__ASSAY_SIMD_MATH1(__ASSAY_SIMD_CPP_MATH1)
__ASSAY_SIMD_MATH_APPLE(__ASSAY_SIMD_CPP_MATH1)
__ASSAY_SIMD_MATH2(__ASSAY_SIMD_CPP_MATH2)
__ASSAY_SIMD_CPP3(fma, ::__tg_fma)
__ASSAY_SIMD_CPP3(muladd, ::simd_muladd)
__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_CPP_SINCOS1)
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_CPP_SINCOS)
} // namespace simd
#else
#define __ASSAY_SIMD_PROMOTE(name, n)                                                                        \
  __ASSAY_SIMD_UNUSED static simd_##name##n SIMD_NOINLINE __tg_promote(simd_##name##n);
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_PROMOTE)
#undef cospi
#undef sinpi
#undef tanpi
#undef exp10
#undef sincos
#undef sincospi
#define cospi(x) __tg_cospi(__tg_promote1((x))(x))
#define sinpi(x) __tg_sinpi(__tg_promote1((x))(x))
#define tanpi(x) __tg_tanpi(__tg_promote1((x))(x))
#define exp10(x) __tg_exp10(__tg_promote1((x))(x))
#define sincos(x, sine, cosine) __tg_sincos(__tg_promote1((x))(x), (sine), (cosine))
#define sincospi(x, sine, cosine) __tg_sincospi(__tg_promote1((x))(x), (sine), (cosine))
#endif
