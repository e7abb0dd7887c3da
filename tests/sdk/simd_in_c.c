// <simd/simd.h> in C: overloads by the type of the argument, <tgmath.h>'s names, and the older names. Each
// function gives numbers that simd_vector_test.cpp expects.
#include <math.h>
#include <simd/simd.h>

void simdInC(double *out) {
  const simd_float4 v = simd_make_float4(simd_make_float2(3, 4), 0, 12);
  *out++ = simd_length(v);                                            // 13
  *out++ = vector_dot(v, (vector_float4)2);                           // 38
  *out++ = sqrt(simd_make_float3(4, 9, 16)).z;                        // 4
  *out++ = sqrt(16.0);                                                // 4: a double as ever
  *out++ = (double)sizeof(sqrt(16.0f));                               // 4: a float as ever
  *out++ = pow(simd_make_double2(2, 3), 2).y;                         // 9: the scalar becomes a vector
  *out++ = fma(v, v, v).w;                                            // 156
  *out++ = sinpi(vector2(0.5, 1.0)).x;                                // 1
  float sine, cosine;
  sincos(0.0f, &sine, &cosine);
  *out++ = sine + cosine;                                             // 1
  simd_double8 sines, cosines;
  sincospi((simd_double8)1.5, &sines, &cosines);
  *out++ = sines[7] - cosines[7];                                     // -1
  *out++ = simd_any(v == 0) + 2 * simd_all(v == 0);                   // 1
  *out++ = simd_select(v, -v, v > 3.5f).y;                            // -4
  *out++ = simd_uchar_sat(simd_make_int2(300, -300)).x;               // 255
  const matrix_float2x2 m = matrix_from_rows(vector2(1.0f, 2.0f), vector2(3.0f, 4.0f));
  *out++ = matrix_multiply(m, vector2(1.0f, 1.0f)).y;                 // 7
  *out++ = simd_determinant(m);                                       // -2
  *out++ = matrix_identity_double3x3.columns[1][1];                   // 1
  const simd_quatd turn = simd_quaternion(0x1.921fb54442d18p0, simd_make_double3(0, 0, 1)); // pi / 2
  *out++ = round(1000 * simd_act(turn, simd_make_double3(1, 0, 0)).y); // 1000
  *out++ = simd_length(exp(log(turn)));                               // 1 but for rounding
}
