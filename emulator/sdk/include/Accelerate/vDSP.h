// vDSP: arithmetic on vectors with strides, in float and in double (names with D at their end). Each function
// is a plain loop in the order of the elements; Apple publishes no order of sums. Complex numbers, transforms
// and windows are not here.
#pragma once

#include <math.h>
#include <stddef.h>

typedef unsigned long vDSP_Length;
typedef long vDSP_Stride;

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VDSP(name) vDSP_##name
#define ASSAY_VDSP_TYPE float
#define ASSAY_VDSP_MATH(function) function##f
#include <Accelerate/vdsp_of_type.h>
#undef ASSAY_VDSP
#undef ASSAY_VDSP_TYPE
#undef ASSAY_VDSP_MATH

#define ASSAY_VDSP(name) vDSP_##name##D
#define ASSAY_VDSP_TYPE double
#define ASSAY_VDSP_MATH(function) function
#include <Accelerate/vdsp_of_type.h>
#undef ASSAY_VDSP
#undef ASSAY_VDSP_TYPE
#undef ASSAY_VDSP_MATH

// Conversions: C[n] = A[n]. The names with `fix` cut off fractions, those with `fixr` round to even.
#define ASSAY_VDSP_CONVERSION(name, From, To, value)                                                         \
  static inline void vDSP_##name(const From *A, vDSP_Stride IA, To *C, vDSP_Stride IC, vDSP_Length N) {      \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC)                                                    \
      *C = (To)(value);                                                                                      \
  }
ASSAY_VDSP_CONVERSION(vspdp, float, double, *A)
ASSAY_VDSP_CONVERSION(vdpsp, double, float, *A)
ASSAY_VDSP_CONVERSION(vflt8, signed char, float, *A)
ASSAY_VDSP_CONVERSION(vflt16, short, float, *A)
ASSAY_VDSP_CONVERSION(vflt32, int, float, *A)
ASSAY_VDSP_CONVERSION(vflt32D, int, double, *A)
ASSAY_VDSP_CONVERSION(vfltu8, unsigned char, float, *A)
ASSAY_VDSP_CONVERSION(vfltu16, unsigned short, float, *A)
ASSAY_VDSP_CONVERSION(vfltu32, unsigned, float, *A)
ASSAY_VDSP_CONVERSION(vfltu32D, unsigned, double, *A)
ASSAY_VDSP_CONVERSION(vfix8, float, signed char, *A)
ASSAY_VDSP_CONVERSION(vfix16, float, short, *A)
ASSAY_VDSP_CONVERSION(vfix32, float, int, *A)
ASSAY_VDSP_CONVERSION(vfix32D, double, int, *A)
ASSAY_VDSP_CONVERSION(vfixu8, float, unsigned char, *A)
ASSAY_VDSP_CONVERSION(vfixu16, float, unsigned short, *A)
ASSAY_VDSP_CONVERSION(vfixu32, float, unsigned, *A)
ASSAY_VDSP_CONVERSION(vfixr16, float, short, rintf(*A))
ASSAY_VDSP_CONVERSION(vfixr32, float, int, rintf(*A))
ASSAY_VDSP_CONVERSION(vfixru8, float, unsigned char, rintf(*A))
ASSAY_VDSP_CONVERSION(vfixru32, float, unsigned, rintf(*A))
#undef ASSAY_VDSP_CONVERSION

#ifdef __cplusplus
}
#endif
