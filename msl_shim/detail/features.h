// Macros by which a program asks whether a feature is there: `#if defined(__HAVE_SIMDGROUP_BALLOT__)`.
//
// Only features that the shim has are here. Each is defined from the version on in which the specification
// introduces it; most are older than the oldest version here.
// source: metalfe-32023.864 -E -dM, as cristim/mslc records it, for the names; the MSL specification for the
// versions. Ogre and libfloor are programs that ask.
#pragma once

#define __HAVE_ARRAYS_OF_SAMPLERS__ 1
#define __HAVE_ARRAYS_OF_TEXTURES__ 1
#define __HAVE_ARRAY__ 1
#define __HAVE_ATOMIC_BOOL__ 1
#define __HAVE_ATOMIC_FLOAT__ 1
#define __HAVE_DIVIDE__ 1
#define __HAVE_FMAX3__ 1
#define __HAVE_FMA__ 1
#define __HAVE_FMEDIAN3__ 1
#define __HAVE_FMIN3__ 1
#define __HAVE_FUNCTION_CONSTANTS__ 1
#define __HAVE_HOST_NAME__ 1
#define __HAVE_INDIRECT_ARGUMENT_BUFFER__ 1
#define __HAVE_INTEGER_BIT_EDIT_FUNCTIONS__ 1
#define __HAVE_INTEGER_LONG_FUNCTIONS__ 1
#define __HAVE_MAD24__ 1
#define __HAVE_MAX3__ 1
#define __HAVE_MAX_TOTAL_THREADS_PER_THREADGROUP__ 1
#define __HAVE_MEDIAN3__ 1
#define __HAVE_MIN3__ 1
#define __HAVE_MUL24__ 1
#define __HAVE_PACKED_VECTOR_COMPONENTS__ 1
#define __HAVE_QUADGROUP_BALLOT__ 1
#define __HAVE_QUADGROUP_BROADCAST_FIRST__ 1
#define __HAVE_QUADGROUP_IS_FIRST__ 1
#define __HAVE_QUADGROUP_REDUCTION__ 1
#define __HAVE_QUADGROUP_SHUFFLE_AND_FILL__ 1
#define __HAVE_QUADGROUP_SHUFFLE_ROTATE_DOWN__ 1
#define __HAVE_QUADGROUP_SHUFFLE_ROTATE_UP__ 1
#define __HAVE_QUADGROUP__ 1
#define __HAVE_SIMDGROUP_BALLOT__ 1
#define __HAVE_SIMDGROUP_BARRIER__ 1
#define __HAVE_SIMDGROUP_BROADCAST_FIRST__ 1
#define __HAVE_SIMDGROUP_IS_FIRST__ 1
#define __HAVE_SIMDGROUP_MATRIX__ 1
#define __HAVE_SIMDGROUP_REDUCTION__ 1
#define __HAVE_SIMDGROUP_SHUFFLE_AND_FILL__ 1
#define __HAVE_SIMDGROUP_SHUFFLE_ROTATE_DOWN__ 1
#define __HAVE_SIMDGROUP_SHUFFLE_ROTATE_UP__ 1
#define __HAVE_SIMDGROUP__ 1
#define __HAVE_TEXTURE_BUFFER__ 1
#define __HAVE_TEXTURE_CUBE_ARRAY__ 1
#define __HAVE_TEXTURE_READWRITE__ 1
#define __HAVE_TRIG_PI__ 1
#define __HAVE_UNIONS__ 1
#define __HAVE_VISIBLE_FUNCTIONS__ 1
#define __HAVE_VISIBLE_FUNCTION_TABLE__ 1
#if __METAL_VERSION__ >= 310
#define __HAVE_BFLOAT__ 1
#define __HAVE_NEXTAFTER__ 1
#endif
#if __METAL_VERSION__ >= 320
#define __HAVE_ATOMIC_FENCE__ 1
#define __HAVE_COHERENT__ 1
#define __HAVE_LOGGING__ 1
#define __HAVE_THREAD_SCOPE__ 1
#endif
#if __METAL_VERSION__ >= 400
#define __HAVE_EXECUTION_UNIT__ 1
#define __HAVE_INT4B_FORMAT_TYPE__ 1
#define __HAVE_PACKED_NUMERIC_TYPE__ 1
#define __HAVE_PACKED_NUMERIC__ 1
#define __HAVE_TENSOR__ 1
#endif
#if __METAL_VERSION__ >= 410
#define __HAVE_INT2B_FORMAT_TYPE__ 1
#define __HAVE_INT8B_FORMAT_TYPE__ 1
#define __HAVE_METAL_FP4_E2M1_FORMAT_TYPE__ 1
#define __HAVE_METAL_FP8_E4M3_FORMAT_TYPE__ 1
#define __HAVE_METAL_FP8_E5M2_FORMAT_TYPE__ 1
#define __HAVE_METAL_FP8_UE8M0_FORMAT_TYPE__ 1
#define __HAVE_PACKED_NUMERIC_TYPE_PACK_UNPACK__ 1
#define __HAVE_TENSOR_MULTIPLANE__ 1
#endif
