// vForce: a function of <math.h> on each element of an array. Names end in f for float. The number of
// elements comes last, by its address. Values are those of the C library.
#pragma once

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

// y[i] from x[i].
#define ASSAY_VFORCE_1(name, Type, value)                                                                    \
  static inline void name(Type *y, const Type *x, const int *n) {                                            \
    for (int i = 0; i < *n; ++i) {                                                                           \
      const Type a = x[i];                                                                                   \
      y[i] = value;                                                                                          \
    }                                                                                                        \
  }
// Both types, where the function's name in C is known.
#define ASSAY_VFORCE(name, function)                                                                         \
  ASSAY_VFORCE_1(vv##name##f, float, function##f(a))                                                         \
  ASSAY_VFORCE_1(vv##name, double, function(a))
ASSAY_VFORCE(exp, exp)
ASSAY_VFORCE(exp2, exp2)
ASSAY_VFORCE(expm1, expm1)
ASSAY_VFORCE(log, log)
ASSAY_VFORCE(log10, log10)
ASSAY_VFORCE(log1p, log1p)
ASSAY_VFORCE(log2, log2)
ASSAY_VFORCE(logb, logb)
ASSAY_VFORCE(sqrt, sqrt)
ASSAY_VFORCE(cbrt, cbrt)
ASSAY_VFORCE(sin, sin)
ASSAY_VFORCE(cos, cos)
ASSAY_VFORCE(tan, tan)
ASSAY_VFORCE(asin, asin)
ASSAY_VFORCE(acos, acos)
ASSAY_VFORCE(atan, atan)
ASSAY_VFORCE(sinh, sinh)
ASSAY_VFORCE(cosh, cosh)
ASSAY_VFORCE(tanh, tanh)
ASSAY_VFORCE(asinh, asinh)
ASSAY_VFORCE(acosh, acosh)
ASSAY_VFORCE(atanh, atanh)
ASSAY_VFORCE(fabs, fabs)
ASSAY_VFORCE(ceil, ceil)
ASSAY_VFORCE(floor, floor)
ASSAY_VFORCE(int, trunc)
ASSAY_VFORCE(nint, rint)
ASSAY_VFORCE_1(vvrecf, float, 1 / a)
ASSAY_VFORCE_1(vvrec, double, 1 / a)
ASSAY_VFORCE_1(vvrsqrtf, float, 1 / sqrtf(a))
ASSAY_VFORCE_1(vvrsqrt, double, 1 / sqrt(a))
#undef ASSAY_VFORCE
#undef ASSAY_VFORCE_1

// z[i] from y[i] and x[i], in this order of the arguments.
#define ASSAY_VFORCE_2(name, Type, value)                                                                    \
  static inline void name(Type *z, const Type *y, const Type *x, const int *n) {                             \
    for (int i = 0; i < *n; ++i) {                                                                           \
      const Type b = y[i], a = x[i];                                                                         \
      z[i] = value;                                                                                          \
    }                                                                                                        \
  }
ASSAY_VFORCE_2(vvpowf, float, powf(a, b)) // x to the power of y
ASSAY_VFORCE_2(vvpow, double, pow(a, b))
ASSAY_VFORCE_2(vvatan2f, float, atan2f(b, a))
ASSAY_VFORCE_2(vvatan2, double, atan2(b, a))
ASSAY_VFORCE_2(vvdivf, float, b / a)
ASSAY_VFORCE_2(vvdiv, double, b / a)
ASSAY_VFORCE_2(vvfmodf, float, fmodf(b, a))
ASSAY_VFORCE_2(vvfmod, double, fmod(b, a))
ASSAY_VFORCE_2(vvremainderf, float, remainderf(b, a))
ASSAY_VFORCE_2(vvremainder, double, remainder(b, a))
ASSAY_VFORCE_2(vvcopysignf, float, copysignf(b, a))
ASSAY_VFORCE_2(vvcopysign, double, copysign(b, a))
#undef ASSAY_VFORCE_2

// Sines to z and cosines to y.
static inline void vvsincosf(float *z, float *y, const float *x, const int *n) {
  for (int i = 0; i < *n; ++i) {
    const float a = x[i];
    z[i] = sinf(a);
    y[i] = cosf(a);
  }
}
static inline void vvsincos(double *z, double *y, const double *x, const int *n) {
  for (int i = 0; i < *n; ++i) {
    const double a = x[i];
    z[i] = sin(a);
    y[i] = cos(a);
  }
}

#ifdef __cplusplus
}
#endif
