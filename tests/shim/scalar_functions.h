// The scalar functions of scalar_functions.cpp, as the tests call them.
#pragma once

#include <cstdint>

extern "C" {
#define DECLARE_FLOATS(metal, T)                                                                             \
  T scalar_##metal##_fract(T);                                                                               \
  T scalar_##metal##_saturate(T);                                                                            \
  T scalar_##metal##_sign(T);                                                                                \
  T scalar_##metal##_rint(T);                                                                                \
  T scalar_##metal##_round(T);                                                                               \
  T scalar_##metal##_trunc(T);                                                                               \
  T scalar_##metal##_ceil(T);                                                                                \
  T scalar_##metal##_floor(T);                                                                               \
  T scalar_##metal##_fmin(T, T);                                                                             \
  T scalar_##metal##_fmax(T, T);                                                                             \
  T scalar_##metal##_step(T, T);                                                                             \
  T scalar_##metal##_clamp(T, T, T);                                                                         \
  T scalar_##metal##_mix(T, T, T);                                                                           \
  T scalar_##metal##_smoothstep(T, T, T);                                                                    \
  T scalar_##metal##_fmedian3(T, T, T);                                                                      \
  T scalar_##metal##_fma(T, T, T);                                                                           \
  T scalar_##metal##_ldexp(T, int);                                                                          \
  T scalar_##metal##_frexp(T, int *);                                                                        \
  T scalar_##metal##_modf(T, T *);                                                                           \
  T scalar_##metal##_sincos(T, T *);                                                                         \
  int scalar_##metal##_ilogb(T);                                                                             \
  uint32_t scalar_##metal##_classes(T);
DECLARE_FLOATS(float, float)
DECLARE_FLOATS(half, _Float16)
float scalar_float_tanh(float);
float scalar_float_tan(float);
float scalar_float_sinh(float);
float scalar_float_cosh(float);
float scalar_float_sqrt(float);
float scalar_float_exp10(float);
float scalar_float_log10(float);
float scalar_float_pow(float, float);
float scalar_float_atan2(float, float);
#undef DECLARE_FLOATS
}
