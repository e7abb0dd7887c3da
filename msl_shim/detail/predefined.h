// Macros that Apple's compiler predefines, beyond those of the version (prelude.h) and of <metal_atomic>
// (scopes.h), and those of Clang that it has not.
// source: `xcrun -sdk macosx metal -E -dM -x metal /dev/null` of metalfe-32023.864 and .883, as recorded in
// cristim/mslc and kagurasumusun/llvm-project. Not here: those that depend on the math mode
// (__FINITE_MATH_ONLY__, __METAL_MATH_FP32_FUNCTIONS_FAST__), and literals of 128 bits (__INTMAX_MAX__).
#pragma once
#pragma clang system_header

// The AIR of the oldest system that has the version.
#if __METAL_VERSION__ >= 400
#define __AIR_VERSION__ 20800
#elif __METAL_VERSION__ >= 320
#define __AIR_VERSION__ 20700
#elif __METAL_VERSION__ >= 310
#define __AIR_VERSION__ 20600
#elif __METAL_VERSION__ >= 300
#define __AIR_VERSION__ 20500
#elif __METAL_VERSION__ >= 240
#define __AIR_VERSION__ 20400
#elif __METAL_VERSION__ >= 230
#define __AIR_VERSION__ 20300
#elif __METAL_VERSION__ >= 220
#define __AIR_VERSION__ 20200
#elif __METAL_VERSION__ >= 210
#define __AIR_VERSION__ 20100
#else
#define __AIR_VERSION__ 20000
#endif
#define __AIR_PB_ABI__ 0
#define __AIR_MB_ABI__ 1
#define __AIR_VB_ABI__ 2
#define __AIR_ABI__ __AIR_PB_ABI__

#define __MACH__ 1
#define __DYNAMIC__ 1
#define __cpp_rtti 199711L
#define __GXX_RTTI 1

#define __MAX_BUFFERS__ 31u
#define __MAX_COLORS__ 8u
#define __MAX_CONSTANT_BUFFERS__ 31u
#define __MAX_CONSTANT_BUFFER_SIZE__ 4294967295u
#define __MAX_FUNCTION_CONSTANT_INDEX__ 65535
#define __MAX_PATCH_DATA_ATTRIBUTES__ 29u
#define __MAX_READ_WRITE_TEXTURES__ 8u
#define __MAX_SAMPLERS__ 16u
#define __MAX_TESSELLATION_CONTROL_POINTS__ 32u
#define __MAX_TEXTURES__ 128u
#define __MAX_THREADGROUP_BUFFERS__ 31u

#define __METAL_FAST_MATH__ 0
#define __METAL_HALF_MATH__ 1
#define __METAL_NATIVE_MATH__ 2
#define __METAL_PRECISE_MATH__ 3
#define __METAL_ACCESS_SAMPLE__ 0
#define __METAL_ACCESS_READ__ 1
#define __METAL_ACCESS_WRITE__ 2
#define __METAL_ACCESS_READ_WRITE__ 3
#define __METAL_ADDRESS_CLAMP_TO_ZERO__ 0
#define __METAL_ADDRESS_CLAMP_TO_EDGE__ 1
#define __METAL_ADDRESS_REPEAT__ 2
#define __METAL_ADDRESS_MIRRORED_REPEAT__ 3
#define __METAL_ADDRESS_CLAMP_TO_BORDER__ 4
#define __METAL_COHERENCE_THREADGROUP__ 0
#define __METAL_COHERENCE_DEVICE__ 1
#define __METAL_OS_LOG_TYPE_DEFAULT__ 0x00
#define __METAL_OS_LOG_TYPE_INFO__ 0x01
#define __METAL_OS_LOG_TYPE_DEBUG__ 0x02
#define __METAL_OS_LOG_TYPE_ERROR__ 0x10
#define __METAL_OS_LOG_TYPE_FAULT__ 0x11
#define __METAL_ROUNDING_RTE__ 0
#define __METAL_ROUNDING_RTZ__ 1
#define __METAL_ROUNDING_RTP__ 2
#define __METAL_ROUNDING_RTN__ 3
#define __METAL_ROUNDING_RTNA__ 4
#define __METAL_SIMDGROUP_LOAD_STORE_BOUNDS_CHECK_NONE__ 0
#define __METAL_SIMDGROUP_LOAD_STORE_BOUNDS_CHECK_COLS__ 1
#define __METAL_SIMDGROUP_LOAD_STORE_BOUNDS_CHECK_ROWS__ 2
#define __METAL_SIMDGROUP_LOAD_STORE_BOUNDS_CHECK_BOTH__ 3
#define __METAL_TEXTURE_WRITE_ROUNDING_MODE__ 0
#define __METAL_TEXTURE_WRITE_ROUNDING_MODE_NATIVE__ 0
#define __METAL_TEXTURE_WRITE_ROUNDING_MODE_RTE__ 1
#define __METAL_TEXTURE_WRITE_ROUNDING_MODE_RTZ__ 2

#define __HALF_RADIX__ 2
#define __HALF_DIG__ 3
#define __HALF_DECIMAL_DIG__ 5
#define __HALF_MANT_DIG__ 11
#define __HALF_MAX_10_EXP__ 4
#define __HALF_MAX_EXP__ 16
#define __HALF_MIN_10_EXP__ (-4)
#define __HALF_MIN_EXP__ (-13)
#define __HALF_HAS_DENORM__ 1
#define __HALF_HAS_INFINITY__ 1
#define __HALF_HAS_QUIET_NAN__ 1
#define __HALF_MAX__ 0x1.ffcp15f16
#define __HALF_MIN__ 0x1.0p-14f16
#define __HALF_EPSILON__ 0x1.0p-10f16
#define __HALF_DENORM_MIN__ 0x1.0p-24f16

#define __BFLT16_RADIX__ 2
#define __BFLT16_DIG__ 2
#define __BFLT16_DECIMAL_DIG__ 4
#define __BFLT16_MANT_DIG__ 8
#define __BFLT16_MAX_10_EXP__ 38
#define __BFLT16_MAX_EXP__ 128
#define __BFLT16_MIN_10_EXP__ (-37)
#define __BFLT16_MIN_EXP__ (-125)
#define __BFLT16_HAS_DENORM__ 1
#define __BFLT16_HAS_INFINITY__ 1
#define __BFLT16_HAS_QUIET_NAN__ 1
#define __BFLT16_MAX__ (static_cast<__bf16>(0x1.fep127f))
#define __BFLT16_MIN__ (static_cast<__bf16>(0x1.0p-126f))
#define __BFLT16_EPSILON__ (static_cast<__bf16>(0x1.0p-7f))
#define __BFLT16_DENORM_MIN__ (static_cast<__bf16>(0x1.0p-133f))

#undef __BIGGEST_ALIGNMENT__
#define __BIGGEST_ALIGNMENT__ 8
#undef __BITINT_MAXWIDTH__
#define __BITINT_MAXWIDTH__ 128
#undef __INTMAX_WIDTH__
#define __INTMAX_WIDTH__ 128
#undef __UINTMAX_WIDTH__
#define __UINTMAX_WIDTH__ 128
#undef __LLONG_WIDTH__
#define __LLONG_WIDTH__ 128
#undef __SIZEOF_LONG_DOUBLE__
#define __SIZEOF_LONG_DOUBLE__ 8
#undef __SIZEOF_LONG_LONG__
#define __SIZEOF_LONG_LONG__ 16

// What Clang predefines for the machine here, for the language as which it reads Metal, and since later
// versions than Apple's.
#undef _GNU_SOURCE
#undef SYCL_LANGUAGE_VERSION
#undef __SYCL_DEVICE_ONLY__
#undef __code_model_small__
#undef __cpp_aligned_new
#undef __cpp_sized_deallocation
#undef __cpp_pack_indexing
#undef __cpp_static_call_operator
#undef __FPCLASS_SNAN
#undef __FPCLASS_QNAN
#undef __FPCLASS_NEGINF
#undef __FPCLASS_NEGNORMAL
#undef __FPCLASS_NEGSUBNORMAL
#undef __FPCLASS_NEGZERO
#undef __FPCLASS_POSZERO
#undef __FPCLASS_POSSUBNORMAL
#undef __FPCLASS_POSNORMAL
#undef __FPCLASS_POSINF
#undef __SIZEOF_FLOAT128__
#undef __FLT_NORM_MAX__
#undef __DBL_NORM_MAX__
#undef __LDBL_NORM_MAX__
#undef __FLT16_NORM_MAX__
