// The shim's elementary functions for the tests and for the scan, as plain C functions over arrays. Compiled
// by clang++-19 as the front end compiles a kernel.
#include <metal_stdlib>

#define ASSAY_ELEMENTARY(name, mpfr)                                                                         \
  extern "C" void shim_float_##name(const float *in, float *out, size_t n) {                                 \
    for (size_t i = 0; i < n; ++i)                                                                           \
      out[i] = metal::precise::name(in[i]);                                                                  \
  }                                                                                                          \
  extern "C" void shim_half_##name(const half *in, half *out, size_t n) {                                    \
    for (size_t i = 0; i < n; ++i)                                                                           \
      out[i] = metal::__assay::precisely::name(in[i]);                                                       \
  }                                                                                                          \
  extern "C" void shim_wide_##name(const float *in, double *out, size_t n) {                                 \
    for (size_t i = 0; i < n; ++i)                                                                           \
      out[i] = metal::__assay::name(in[i]);                                                                  \
  }
#include "elementary.def"
#undef ASSAY_ELEMENTARY

#define SHIM_BINARY(name)                                                                                    \
  extern "C" void shim_float_##name(const float *x, const float *y, float *out, size_t n) {                  \
    for (size_t i = 0; i < n; ++i)                                                                           \
      out[i] = metal::precise::name(x[i], y[i]);                                                             \
  }                                                                                                          \
  extern "C" void shim_half_##name(const half *x, const half *y, half *out, size_t n) {                      \
    for (size_t i = 0; i < n; ++i)                                                                           \
      out[i] = metal::__assay::precisely::name(x[i], y[i]);                                                  \
  }
SHIM_BINARY(pow)
SHIM_BINARY(powr)
SHIM_BINARY(atan2)
SHIM_BINARY(fmod)
SHIM_BINARY(fdim)
SHIM_BINARY(nextafter)
