// The lists of vectors and matrices from which the functions of <simd/simd.h> are made. A list calls the
// macro M for each type. A macro of C's preprocessor cannot be used inside of itself, so a list that is used
// inside of another one has a second name.
#pragma once

// What a name of an element stands for, and which integers a comparison of such vectors gives.
#define __ASSAY_SIMD_ELEMENT_char char
#define __ASSAY_SIMD_ELEMENT_uchar unsigned char
#define __ASSAY_SIMD_ELEMENT_short short
#define __ASSAY_SIMD_ELEMENT_ushort unsigned short
#define __ASSAY_SIMD_ELEMENT_int int
#define __ASSAY_SIMD_ELEMENT_uint unsigned int
#define __ASSAY_SIMD_ELEMENT_long long
#define __ASSAY_SIMD_ELEMENT_ulong unsigned long
#define __ASSAY_SIMD_ELEMENT_half _Float16
#define __ASSAY_SIMD_ELEMENT_float float
#define __ASSAY_SIMD_ELEMENT_double double
#define __ASSAY_SIMD_MASK_char char
#define __ASSAY_SIMD_MASK_uchar char
#define __ASSAY_SIMD_MASK_short short
#define __ASSAY_SIMD_MASK_ushort short
#define __ASSAY_SIMD_MASK_int int
#define __ASSAY_SIMD_MASK_uint int
#define __ASSAY_SIMD_MASK_long long
#define __ASSAY_SIMD_MASK_ulong long
#define __ASSAY_SIMD_MASK_half short
#define __ASSAY_SIMD_MASK_float int
#define __ASSAY_SIMD_MASK_double long

#define __ASSAY_SIMD_E(name) __ASSAY_SIMD_ELEMENT_##name
#define __ASSAY_SIMD_V_(name, n) simd_##name##n
#define __ASSAY_SIMD_V(name, n) __ASSAY_SIMD_V_(name, n)
#define __ASSAY_SIMD_MASKV(name, n) __ASSAY_SIMD_V(__ASSAY_SIMD_MASK_##name, n)
/// The elements that a vector of n is as long as.
#define __ASSAY_SIMD_STRIDE(n) ((n) == 3 ? 4 : (n))

// M(name, n) for the lengths that an element has: up to 64 bytes, or 128 for 4 and 8 bytes less.
#define __ASSAY_SIMD_N8(M, name) M(name, 2) M(name, 3) M(name, 4) M(name, 8)
#define __ASSAY_SIMD_N16(M, name) __ASSAY_SIMD_N8(M, name) M(name, 16)
#define __ASSAY_SIMD_N32(M, name) __ASSAY_SIMD_N16(M, name) M(name, 32)
#define __ASSAY_SIMD_N64(M, name) __ASSAY_SIMD_N32(M, name) M(name, 64)
#define __ASSAY_SIMD_SIGNED(M)                                                                               \
  __ASSAY_SIMD_N64(M, char) __ASSAY_SIMD_N32(M, short) __ASSAY_SIMD_N16(M, int) __ASSAY_SIMD_N8(M, long)
#define __ASSAY_SIMD_UNSIGNED(M)                                                                             \
  __ASSAY_SIMD_N64(M, uchar) __ASSAY_SIMD_N32(M, ushort) __ASSAY_SIMD_N16(M, uint) __ASSAY_SIMD_N8(M, ulong)
#define __ASSAY_SIMD_INTEGERS(M) __ASSAY_SIMD_SIGNED(M) __ASSAY_SIMD_UNSIGNED(M)
#define __ASSAY_SIMD_FLOATING(M)                                                                             \
  __ASSAY_SIMD_N32(M, half) __ASSAY_SIMD_N16(M, float) __ASSAY_SIMD_N8(M, double)
#define __ASSAY_SIMD_VECTORS(M) __ASSAY_SIMD_INTEGERS(M) __ASSAY_SIMD_FLOATING(M)

// M(name) for each element.
#define __ASSAY_SIMD_FLOATING_ELEMENTS(M) M(half) M(float) M(double)
#define __ASSAY_SIMD_ELEMENTS(M)                                                                             \
  M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong) __ASSAY_SIMD_FLOATING_ELEMENTS(M)

// M(name, m, n) for the lengths m that vectors of the element have.
#define __ASSAY_SIMD_M8(M, name, n) M(name, 2, n) M(name, 3, n) M(name, 4, n) M(name, 8, n)
#define __ASSAY_SIMD_M16(M, name, n) __ASSAY_SIMD_M8(M, name, n) M(name, 16, n)
#define __ASSAY_SIMD_M32(M, name, n) __ASSAY_SIMD_M16(M, name, n) M(name, 32, n)
#define __ASSAY_SIMD_M64(M, name, n) __ASSAY_SIMD_M32(M, name, n) M(name, 64, n)
#define __ASSAY_SIMD_LENGTHS_char __ASSAY_SIMD_M64
#define __ASSAY_SIMD_LENGTHS_uchar __ASSAY_SIMD_M64
#define __ASSAY_SIMD_LENGTHS_short __ASSAY_SIMD_M32
#define __ASSAY_SIMD_LENGTHS_ushort __ASSAY_SIMD_M32
#define __ASSAY_SIMD_LENGTHS_int __ASSAY_SIMD_M16
#define __ASSAY_SIMD_LENGTHS_uint __ASSAY_SIMD_M16
#define __ASSAY_SIMD_LENGTHS_long __ASSAY_SIMD_M8
#define __ASSAY_SIMD_LENGTHS_ulong __ASSAY_SIMD_M8
#define __ASSAY_SIMD_LENGTHS_half __ASSAY_SIMD_M32
#define __ASSAY_SIMD_LENGTHS_float __ASSAY_SIMD_M16
#define __ASSAY_SIMD_LENGTHS_double __ASSAY_SIMD_M8
#define __ASSAY_SIMD_LENGTHS(M, name, n) __ASSAY_SIMD_LENGTHS_##name(M, name, n)

// M(from, n, to) for the elements whose vectors may have n lanes.
#define __ASSAY_SIMD_FROM_64(M, to, n) M(char, n, to) M(uchar, n, to)
#define __ASSAY_SIMD_FROM_32(M, to, n)                                                                       \
  __ASSAY_SIMD_FROM_64(M, to, n) M(short, n, to) M(ushort, n, to) M(half, n, to)
#define __ASSAY_SIMD_FROM_16(M, to, n)                                                                       \
  __ASSAY_SIMD_FROM_32(M, to, n) M(int, n, to) M(uint, n, to) M(float, n, to)
#define __ASSAY_SIMD_FROM_8(M, to, n)                                                                        \
  __ASSAY_SIMD_FROM_16(M, to, n) M(long, n, to) M(ulong, n, to) M(double, n, to)
#define __ASSAY_SIMD_FROM_4 __ASSAY_SIMD_FROM_8
#define __ASSAY_SIMD_FROM_3 __ASSAY_SIMD_FROM_8
#define __ASSAY_SIMD_FROM_2 __ASSAY_SIMD_FROM_8

// M(name, c, r) for the matrices of c columns and r rows.
#define __ASSAY_SIMD_SHAPES(M, name)                                                                         \
  M(name, 2, 2)                                                                                              \
  M(name, 2, 3)                                                                                              \
  M(name, 2, 4) M(name, 3, 2) M(name, 3, 3) M(name, 3, 4) M(name, 4, 2) M(name, 4, 3) M(name, 4, 4)
#define __ASSAY_SIMD_MATRICES(M)                                                                             \
  __ASSAY_SIMD_SHAPES(M, half) __ASSAY_SIMD_SHAPES(M, float) __ASSAY_SIMD_SHAPES(M, double)
#define __ASSAY_SIMD_SQUARES(M)                                                                              \
  M(half, 2) M(half, 3) M(half, 4) M(float, 2) M(float, 3) M(float, 4) M(double, 2) M(double, 3) M(double, 4)
// M(name, c, r, k) for the products of k columns and r rows with c columns and k rows.
#define __ASSAY_SIMD_FACTORS(M, name, c, r) M(name, c, r, 2) M(name, c, r, 3) M(name, c, r, 4)
/// The shorter side of a matrix.
#define __ASSAY_SIMD_LESS_2_2 2
#define __ASSAY_SIMD_LESS_2_3 2
#define __ASSAY_SIMD_LESS_2_4 2
#define __ASSAY_SIMD_LESS_3_2 2
#define __ASSAY_SIMD_LESS_3_3 3
#define __ASSAY_SIMD_LESS_3_4 3
#define __ASSAY_SIMD_LESS_4_2 2
#define __ASSAY_SIMD_LESS_4_3 3
#define __ASSAY_SIMD_LESS_4_4 4

// The quaternions: M(suffix, name).
#define __ASSAY_SIMD_QUATERNIONS(M) M(h, half) M(f, float) M(d, double)

// A function f of vectors that is f of their elements, for one to three arguments.
#define __ASSAY_SIMD_LANES1(f, name, n)                                                                      \
  static inline SIMD_CFUNC simd_##name##n f(simd_##name##n x) {                                              \
    simd_##name##n result;                                                                                   \
    for (int i = 0; i < n; ++i)                                                                              \
      result[i] = f(x[i]);                                                                                   \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_LANES2(f, name, n)                                                                      \
  static inline SIMD_CFUNC simd_##name##n f(simd_##name##n x, simd_##name##n y) {                            \
    simd_##name##n result;                                                                                   \
    for (int i = 0; i < n; ++i)                                                                              \
      result[i] = f(x[i], y[i]);                                                                             \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_LANES3(f, name, n)                                                                      \
  static inline SIMD_CFUNC simd_##name##n f(simd_##name##n x, simd_##name##n y, simd_##name##n z) {          \
    simd_##name##n result;                                                                                   \
    for (int i = 0; i < n; ++i)                                                                              \
      result[i] = f(x[i], y[i], z[i]);                                                                       \
    return result;                                                                                           \
  }
