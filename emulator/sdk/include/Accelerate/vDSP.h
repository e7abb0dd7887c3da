// vDSP: arithmetic on vectors with strides, in float and in double (names with D at their end). Each function
// is a plain loop in the order of the elements; Apple publishes no order of sums. Fourier transforms of one
// dimension and windows are here; those of two dimensions, of several signals at once, cosine transforms and
// filters are not.
#pragma once

#include <Accelerate/vdsp_transforms.h>
#include <math.h>
#include <stddef.h>

typedef unsigned long vDSP_Length;
typedef long vDSP_Stride;

typedef struct DSPComplex {
  float real, imag;
} DSPComplex;
typedef struct DSPSplitComplex {
  float *realp, *imagp;
} DSPSplitComplex;
typedef struct DSPDoubleComplex {
  double real, imag;
} DSPDoubleComplex;
typedef struct DSPDoubleSplitComplex {
  double *realp, *imagp;
} DSPDoubleSplitComplex;

typedef struct OpaqueFFTSetup *FFTSetup;
typedef struct OpaqueFFTSetupD *FFTSetupD;
typedef struct vDSP_DFT_SetupStruct *vDSP_DFT_Setup;
typedef struct vDSP_DFT_SetupStructD *vDSP_DFT_SetupD;

typedef int FFTDirection;
typedef int FFTRadix;
enum { kFFTDirection_Forward = 1, kFFTDirection_Inverse = -1, FFT_FORWARD = 1, FFT_INVERSE = -1 };
enum { kFFTRadix2 = 0, kFFTRadix3 = 1, kFFTRadix5 = 2, FFT_RADIX2 = 0, FFT_RADIX3 = 1, FFT_RADIX5 = 2 };
enum { vDSP_HALF_WINDOW = 1, vDSP_HANN_DENORM = 0, vDSP_HANN_NORM = 2 };
typedef enum { vDSP_DFT_FORWARD = 1, vDSP_DFT_INVERSE = -1 } vDSP_DFT_Direction;

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VDSP(name) vDSP_##name
#define ASSAY_VDSP_TYPE float
#define ASSAY_VDSP_MATH(function) function##f
#define ASSAY_COMPLEX DSPComplex
#define ASSAY_SPLIT DSPSplitComplex
#define ASSAY_SETUP FFTSetup
#define ASSAY_DFT_SETUP vDSP_DFT_Setup
#define ASSAY_CONST_DFT_SETUP const struct vDSP_DFT_SetupStruct *
#include <Accelerate/vdsp_of_type.h>
#include <Accelerate/vdsp_transforms_of_type.h>
#undef ASSAY_COMPLEX
#undef ASSAY_SPLIT
#undef ASSAY_SETUP
#undef ASSAY_DFT_SETUP
#undef ASSAY_CONST_DFT_SETUP
#undef ASSAY_VDSP
#undef ASSAY_VDSP_TYPE
#undef ASSAY_VDSP_MATH

#define ASSAY_VDSP(name) vDSP_##name##D
#define ASSAY_VDSP_TYPE double
#define ASSAY_VDSP_MATH(function) function
#define ASSAY_COMPLEX DSPDoubleComplex
#define ASSAY_SPLIT DSPDoubleSplitComplex
#define ASSAY_SETUP FFTSetupD
#define ASSAY_DFT_SETUP vDSP_DFT_SetupD
#define ASSAY_CONST_DFT_SETUP const struct vDSP_DFT_SetupStructD *
#include <Accelerate/vdsp_of_type.h>
#include <Accelerate/vdsp_transforms_of_type.h>
#undef ASSAY_COMPLEX
#undef ASSAY_SPLIT
#undef ASSAY_SETUP
#undef ASSAY_DFT_SETUP
#undef ASSAY_CONST_DFT_SETUP
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
