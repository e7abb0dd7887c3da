// Vectors as in geometry: products, lengths, directions.
#pragma once

#include <simd/common.h>

// A function, its precise and its fast variant, which are the same here.
#define __ASSAY_SIMD_GEOMETRY(result, f, parameters, ...)                                                    \
  static inline SIMD_CFUNC result simd_##f parameters __VA_ARGS__ static inline SIMD_CFUNC result            \
      simd_precise_##f parameters __VA_ARGS__ static inline SIMD_CFUNC result simd_fast_##f parameters       \
          __VA_ARGS__
#define __ASSAY_SIMD_GEOMETRIC(name, n)                                                                      \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_dot(simd_##name##n x, simd_##name##n y) {               \
    return simd_reduce_add(x * y);                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_length_squared(simd_##name##n x) {                      \
    return simd_dot(x, x);                                                                                   \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_norm_one(simd_##name##n x) {                            \
    return simd_reduce_add(simd_abs(x));                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_norm_inf(simd_##name##n x) {                            \
    return simd_reduce_max(simd_abs(x));                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC __ASSAY_SIMD_E(name) simd_distance_squared(simd_##name##n x, simd_##name##n y) {  \
    return simd_length_squared(x - y);                                                                       \
  }                                                                                                          \
  __ASSAY_SIMD_GEOMETRY(__ASSAY_SIMD_E(name), length, (simd_##name##n x),                                    \
                        { return __builtin_elementwise_sqrt(simd_length_squared(x)); })                      \
  __ASSAY_SIMD_GEOMETRY(__ASSAY_SIMD_E(name), distance, (simd_##name##n x, simd_##name##n y),                \
                        { return simd_length(x - y); })                                                      \
  __ASSAY_SIMD_GEOMETRY(simd_##name##n, project, (simd_##name##n x, simd_##name##n y),                       \
                        { return simd_dot(x, y) / simd_dot(y, y) * y; })                                     \
  __ASSAY_SIMD_GEOMETRY(simd_##name##n, normalize, (simd_##name##n x), { return x / simd_length(x); })
// What exists for two to four elements only.
#define __ASSAY_SIMD_OPTICS(name, n)                                                                         \
  static inline SIMD_CFUNC simd_##name##n simd_reflect(simd_##name##n x, simd_##name##n normal) {            \
    return x - 2 * simd_dot(x, normal) * normal;                                                             \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n simd_refract(simd_##name##n x, simd_##name##n normal,              \
                                                       __ASSAY_SIMD_E(name) eta) {                           \
    const __ASSAY_SIMD_E(name) cosine = simd_dot(x, normal);                                                 \
    const __ASSAY_SIMD_E(name) square = 1 - eta * eta * (1 - cosine * cosine);                               \
    return square < 0 ? (simd_##name##n)0                                                                    \
                      : eta * x - (eta * cosine + __builtin_elementwise_sqrt(square)) * normal;              \
  }
#define __ASSAY_SIMD_OPTICS_AND_CROSS(name)                                                                  \
  __ASSAY_SIMD_OPTICS(name, 2)                                                                               \
  __ASSAY_SIMD_OPTICS(name, 3)                                                                               \
  __ASSAY_SIMD_OPTICS(name, 4)                                                                               \
  static inline SIMD_CFUNC simd_##name##3 simd_cross(simd_##name##2 x, simd_##name##2 y) {                   \
    const simd_##name##3 result = {0, 0, x.x * y.y - x.y * y.x};                                             \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##3 simd_cross(simd_##name##3 x, simd_##name##3 y) {                   \
    return x.yzx * y.zxy - x.zxy * y.yzx;                                                                    \
  }
__ASSAY_SIMD_FLOATING(__ASSAY_SIMD_GEOMETRIC)
__ASSAY_SIMD_FLOATING_ELEMENTS(__ASSAY_SIMD_OPTICS_AND_CROSS)

#define vector_dot simd_dot
#define vector_cross simd_cross
#define vector_reflect simd_reflect
#define vector_refract simd_refract
#define vector_length_squared simd_length_squared
#define vector_distance_squared simd_distance_squared
#define vector_norm_one simd_norm_one
#define vector_norm_inf simd_norm_inf
#define vector_length simd_length
#define vector_precise_length simd_precise_length
#define vector_fast_length simd_fast_length
#define vector_distance simd_distance
#define vector_precise_distance simd_precise_distance
#define vector_fast_distance simd_fast_distance
#define vector_project simd_project
#define vector_precise_project simd_precise_project
#define vector_fast_project simd_fast_project
#define vector_normalize simd_normalize
#define vector_precise_normalize simd_precise_normalize
#define vector_fast_normalize simd_fast_normalize

#ifdef __cplusplus
#define __ASSAY_SIMD_CPP_VARIANTS(prefix)                                                                    \
  __ASSAY_SIMD_CPP1(length, ::simd_##prefix##length)                                                         \
  __ASSAY_SIMD_CPP2(distance, ::simd_##prefix##distance)                                                     \
  __ASSAY_SIMD_CPP2(project, ::simd_##prefix##project)                                                       \
  __ASSAY_SIMD_CPP1(normalize, ::simd_##prefix##normalize)
namespace simd {
__ASSAY_SIMD_CPP2(dot, ::simd_dot)
__ASSAY_SIMD_CPP2(cross, ::simd_cross)
__ASSAY_SIMD_CPP2(reflect, ::simd_reflect)
__ASSAY_SIMD_CPP1(length_squared, ::simd_length_squared)
__ASSAY_SIMD_CPP2(distance_squared, ::simd_distance_squared)
__ASSAY_SIMD_CPP1(norm_one, ::simd_norm_one)
__ASSAY_SIMD_CPP1(norm_inf, ::simd_norm_inf)
__ASSAY_SIMD_CPP_VARIANTS()
template <typename V>
static SIMD_CPPFUNC auto refract(V x, typename __assay::Same<V>::type normal,
                                 typename traits<V>::scalar_t eta) -> decltype(::simd_refract(x, x, eta)) {
  return ::simd_refract(x, normal, eta);
}
namespace precise {
__ASSAY_SIMD_CPP_VARIANTS(precise_)
} // namespace precise
namespace fast {
__ASSAY_SIMD_CPP_VARIANTS(fast_)
} // namespace fast
} // namespace simd
#endif
