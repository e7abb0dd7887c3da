// From a scalar function of half and float, its overloads for vectors of 2, 3 and 4: component by component.
//
// Each is a template whose parameters do not depend on its argument S, so that calls convert as they would to
// a plain function (a scalar splats, a packed vector unpacks), while the body does, and is looked at only
// when it is used: there are six of them for each of a hundred names.
#pragma once
#pragma clang system_header

#include "vec.h"

#define __ASSAY_VECTORS1_OF(name, Result, T)                                                                 \
  template <class S = T> METAL_FUNC vec<Result, 2> name(vec<T, 2> x) {                                       \
    return {name(S(x.x)), name(S(x.y))};                                                                     \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 3> name(vec<T, 3> x) {                                       \
    return {name(S(x.x)), name(S(x.y)), name(S(x.z))};                                                       \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 4> name(vec<T, 4> x) {                                       \
    return {name(S(x.x)), name(S(x.y)), name(S(x.z)), name(S(x.w))};                                         \
  }
#define __ASSAY_VECTORS2_OF(name, Result, T)                                                                 \
  template <class S = T> METAL_FUNC vec<Result, 2> name(vec<T, 2> x, vec<T, 2> y) {                          \
    return {name(S(x.x), S(y.x)), name(S(x.y), S(y.y))};                                                     \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 3> name(vec<T, 3> x, vec<T, 3> y) {                          \
    return {name(S(x.x), S(y.x)), name(S(x.y), S(y.y)), name(S(x.z), S(y.z))};                               \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 4> name(vec<T, 4> x, vec<T, 4> y) {                          \
    return {name(S(x.x), S(y.x)), name(S(x.y), S(y.y)), name(S(x.z), S(y.z)), name(S(x.w), S(y.w))};         \
  }
#define __ASSAY_VECTORS3_OF(name, Result, T)                                                                 \
  template <class S = T> METAL_FUNC vec<Result, 2> name(vec<T, 2> x, vec<T, 2> y, vec<T, 2> z) {             \
    return {name(S(x.x), S(y.x), S(z.x)), name(S(x.y), S(y.y), S(z.y))};                                     \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 3> name(vec<T, 3> x, vec<T, 3> y, vec<T, 3> z) {             \
    return {name(S(x.x), S(y.x), S(z.x)), name(S(x.y), S(y.y), S(z.y)), name(S(x.z), S(y.z), S(z.z))};       \
  }                                                                                                          \
  template <class S = T> METAL_FUNC vec<Result, 4> name(vec<T, 4> x, vec<T, 4> y, vec<T, 4> z) {             \
    return {name(S(x.x), S(y.x), S(z.x)), name(S(x.y), S(y.y), S(z.y)), name(S(x.z), S(y.z), S(z.z)),        \
            name(S(x.w), S(y.w), S(z.w))};                                                                   \
  }

#define __ASSAY_VECTORS1(name) __ASSAY_VECTORS1_OF(name, float, float) __ASSAY_VECTORS1_OF(name, half, half)
#define __ASSAY_VECTORS2(name) __ASSAY_VECTORS2_OF(name, float, float) __ASSAY_VECTORS2_OF(name, half, half)
#define __ASSAY_VECTORS3(name) __ASSAY_VECTORS3_OF(name, float, float) __ASSAY_VECTORS3_OF(name, half, half)
