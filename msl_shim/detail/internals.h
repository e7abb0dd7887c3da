// The compiler built-ins of Apple's library that programs call directly: MLX builds its bfloat overloads on
// them.
//
// They are macros, which cost nothing until used. The last argument of a mathematical one is a math mode; a
// call without it, or with the "maybe" mode, means what the unqualified function means. Apple's compiler
// predefines the modes but the "maybe" one (detail/predefined.h).
// source: their use in public kernels; Apple documents none of them.
#pragma once

#define __METAL_MAYBE_FAST_MATH__ (-1)

// mode: empty or a mode.
#define __ASSAY_BY_MODE(name, arguments, mode)                                                               \
  (metal::__assay::mathMode(mode) == __METAL_PRECISE_MATH__ ? metal::__assay::precisely::name arguments      \
   : metal::__assay::mathMode(mode) == __METAL_FAST_MATH__  ? metal::__assay::quickly::name arguments        \
                                                            : metal::name arguments)

#define __metal_acos(x, ...) __ASSAY_BY_MODE(acos, (x), __VA_ARGS__)
#define __metal_acosh(x, ...) __ASSAY_BY_MODE(acosh, (x), __VA_ARGS__)
#define __metal_asin(x, ...) __ASSAY_BY_MODE(asin, (x), __VA_ARGS__)
#define __metal_asinh(x, ...) __ASSAY_BY_MODE(asinh, (x), __VA_ARGS__)
#define __metal_atan(x, ...) __ASSAY_BY_MODE(atan, (x), __VA_ARGS__)
#define __metal_atan2(y, x, ...) __ASSAY_BY_MODE(atan2, (y, x), __VA_ARGS__)
#define __metal_atanh(x, ...) __ASSAY_BY_MODE(atanh, (x), __VA_ARGS__)
#define __metal_ceil(x, ...) __ASSAY_BY_MODE(ceil, (x), __VA_ARGS__)
#define __metal_copysign(x, y, ...) __ASSAY_BY_MODE(copysign, (x, y), __VA_ARGS__)
#define __metal_cos(x, ...) __ASSAY_BY_MODE(cos, (x), __VA_ARGS__)
#define __metal_cosh(x, ...) __ASSAY_BY_MODE(cosh, (x), __VA_ARGS__)
#define __metal_cospi(x, ...) __ASSAY_BY_MODE(cospi, (x), __VA_ARGS__)
#define __metal_divide(x, y, ...) __ASSAY_BY_MODE(divide, (x, y), __VA_ARGS__)
#define __metal_exp(x, ...) __ASSAY_BY_MODE(exp, (x), __VA_ARGS__)
#define __metal_exp10(x, ...) __ASSAY_BY_MODE(exp10, (x), __VA_ARGS__)
#define __metal_exp2(x, ...) __ASSAY_BY_MODE(exp2, (x), __VA_ARGS__)
#define __metal_fabs(x, ...) __ASSAY_BY_MODE(fabs, (x), __VA_ARGS__)
#define __metal_fdim(x, y, ...) __ASSAY_BY_MODE(fdim, (x, y), __VA_ARGS__)
#define __metal_floor(x, ...) __ASSAY_BY_MODE(floor, (x), __VA_ARGS__)
#define __metal_fma(x, y, z, ...) __ASSAY_BY_MODE(fma, (x, y, z), __VA_ARGS__)
#define __metal_fmax(x, y, ...) __ASSAY_BY_MODE(fmax, (x, y), __VA_ARGS__)
#define __metal_fmax3(x, y, z, ...) __ASSAY_BY_MODE(fmax3, (x, y, z), __VA_ARGS__)
#define __metal_fmedian3(x, y, z, ...) __ASSAY_BY_MODE(fmedian3, (x, y, z), __VA_ARGS__)
#define __metal_fmin(x, y, ...) __ASSAY_BY_MODE(fmin, (x, y), __VA_ARGS__)
#define __metal_fmin3(x, y, z, ...) __ASSAY_BY_MODE(fmin3, (x, y, z), __VA_ARGS__)
#define __metal_fmod(x, y, ...) __ASSAY_BY_MODE(fmod, (x, y), __VA_ARGS__)
#define __metal_fract(x, ...) __ASSAY_BY_MODE(fract, (x), __VA_ARGS__)
#define __metal_frexp(x, exponent, ...) __ASSAY_BY_MODE(frexp, (x, *(exponent)), __VA_ARGS__)
#define __metal_ilogb(x, ...) __ASSAY_BY_MODE(ilogb, (x), __VA_ARGS__)
#define __metal_ldexp(x, k, ...) __ASSAY_BY_MODE(ldexp, (x, k), __VA_ARGS__)
#define __metal_log(x, ...) __ASSAY_BY_MODE(log, (x), __VA_ARGS__)
#define __metal_log10(x, ...) __ASSAY_BY_MODE(log10, (x), __VA_ARGS__)
#define __metal_log2(x, ...) __ASSAY_BY_MODE(log2, (x), __VA_ARGS__)
#define __metal_modf(x, whole, ...) __ASSAY_BY_MODE(modf, (x, *(whole)), __VA_ARGS__)
#define __metal_nextafter(x, y, ...) __ASSAY_BY_MODE(nextafter, (x, y), __VA_ARGS__)
#define __metal_pow(x, y, ...) __ASSAY_BY_MODE(pow, (x, y), __VA_ARGS__)
#define __metal_powr(x, y, ...) __ASSAY_BY_MODE(powr, (x, y), __VA_ARGS__)
#define __metal_rint(x, ...) __ASSAY_BY_MODE(rint, (x), __VA_ARGS__)
#define __metal_round(x, ...) __ASSAY_BY_MODE(round, (x), __VA_ARGS__)
#define __metal_rsqrt(x, ...) __ASSAY_BY_MODE(rsqrt, (x), __VA_ARGS__)
#define __metal_sin(x, ...) __ASSAY_BY_MODE(sin, (x), __VA_ARGS__)
#define __metal_sincos(x, cosine, ...) __ASSAY_BY_MODE(sincos, (x, *(cosine)), __VA_ARGS__)
#define __metal_sinh(x, ...) __ASSAY_BY_MODE(sinh, (x), __VA_ARGS__)
#define __metal_sinpi(x, ...) __ASSAY_BY_MODE(sinpi, (x), __VA_ARGS__)
#define __metal_sqrt(x, ...) __ASSAY_BY_MODE(sqrt, (x), __VA_ARGS__)
#define __metal_tan(x, ...) __ASSAY_BY_MODE(tan, (x), __VA_ARGS__)
#define __metal_tanh(x, ...) __ASSAY_BY_MODE(tanh, (x), __VA_ARGS__)
#define __metal_tanpi(x, ...) __ASSAY_BY_MODE(tanpi, (x), __VA_ARGS__)
#define __metal_trunc(x, ...) __ASSAY_BY_MODE(trunc, (x), __VA_ARGS__)

// The argument is a value of the type that is wanted.
#define __metal_get_thread_index_in_simdgroup(example)                                                       \
  static_cast<decltype(example)>(__assay_builtin(metal::__assay::kThreadIndexInSimdgroup, 0))
#define __metal_get_simdgroup_size(example)                                                                  \
  static_cast<decltype(example)>(__assay_builtin(metal::__assay::kThreadsPerSimdgroup, 0))

#define __metal_simd_broadcast(...) metal::simd_broadcast(__VA_ARGS__)
#define __metal_simd_shuffle(...) metal::simd_shuffle(__VA_ARGS__)
#define __metal_simd_shuffle_and_fill_down(...) metal::simd_shuffle_and_fill_down(__VA_ARGS__)
#define __metal_simd_shuffle_and_fill_up(...) metal::simd_shuffle_and_fill_up(__VA_ARGS__)
#define __metal_simd_shuffle_down(...) metal::simd_shuffle_down(__VA_ARGS__)
#define __metal_simd_shuffle_rotate_down(...) metal::simd_shuffle_rotate_down(__VA_ARGS__)
#define __metal_simd_shuffle_rotate_up(...) metal::simd_shuffle_rotate_up(__VA_ARGS__)
#define __metal_simd_shuffle_up(...) metal::simd_shuffle_up(__VA_ARGS__)
#define __metal_simd_shuffle_xor(...) metal::simd_shuffle_xor(__VA_ARGS__)
#define __metal_simd_max(...) metal::simd_max(__VA_ARGS__)
#define __metal_simd_min(...) metal::simd_min(__VA_ARGS__)
#define __metal_simd_prefix_exclusive_product(...) metal::simd_prefix_exclusive_product(__VA_ARGS__)
#define __metal_simd_prefix_exclusive_sum(...) metal::simd_prefix_exclusive_sum(__VA_ARGS__)
#define __metal_simd_prefix_inclusive_product(...) metal::simd_prefix_inclusive_product(__VA_ARGS__)
#define __metal_simd_prefix_inclusive_sum(...) metal::simd_prefix_inclusive_sum(__VA_ARGS__)
#define __metal_simd_product(...) metal::simd_product(__VA_ARGS__)
#define __metal_simd_sum(...) metal::simd_sum(__VA_ARGS__)
#define __metal_simd_xor(...) metal::__assay::internalXor(__VA_ARGS__)

// With <metal_simdgroup_matrix>.
#define __metal_simdgroup_matrix_8x8_multiply(...) metal::__assay::multiplyStorage(__VA_ARGS__)
#define __metal_simdgroup_matrix_8x8_multiply_accumulate(...) metal::__assay::multiplyStorage(__VA_ARGS__)

// With <metal_atomic>. They take a pointer to the value, not to an atomic, the order as an int, then a scope
// and, since the compiler of Metal 4.1, flags of memory, both without an effect here.
// source: DXMT's air_tessellation.metal, fences of forks of MLX, metal-float64's tests of built-ins.
#define __metal_atomic_fence(flags, order, scope)                                                            \
  metal::__assay::fence(static_cast<unsigned>(flags), order, scope)
#if __METAL_VERSION__ >= 410 // where only the function with an argument for the memory takes every order
#define __ASSAY_IN_ORDER(order) metal::memory_order(order), metal::mem_flags::mem_none
#else
#define __ASSAY_IN_ORDER(order) metal::memory_order(order)
#endif
#define __metal_atomic_exchange_explicit(pointer, operand, order, ...)                                       \
  metal::atomic_exchange_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_add_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_add_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_and_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_and_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_max_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_max_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_min_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_min_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_or_explicit(pointer, operand, order, ...)                                       \
  metal::atomic_fetch_or_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_sub_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_sub_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_fetch_xor_explicit(pointer, operand, order, ...)                                      \
  metal::atomic_fetch_xor_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_max_explicit(pointer, operand, order, ...)                                            \
  metal::atomic_max_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_min_explicit(pointer, operand, order, ...)                                            \
  metal::atomic_min_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_store_explicit(pointer, operand, order, ...)                                          \
  metal::atomic_store_explicit(metal::__assay::asAtomic(pointer), operand, __ASSAY_IN_ORDER(order))
#define __metal_atomic_load_explicit(pointer, order, ...)                                                    \
  metal::atomic_load_explicit(metal::__assay::asAtomic(pointer), __ASSAY_IN_ORDER(order))
#define __metal_atomic_compare_exchange_weak_explicit(pointer, expected, desired, success, failure, ...)     \
  metal::atomic_compare_exchange_weak_explicit(metal::__assay::asAtomic(pointer), expected, desired,         \
                                               metal::memory_order(success), __ASSAY_IN_ORDER(failure))
