// From a scalar function of half and float, its overloads for vectors of 2, 3 and 4: component by component.
#pragma once
#pragma clang system_header

#include "vec.h"

#define __ASSAY_VECTORS1(name)                                                                               \
  __ASSAY_VECTORS1_OF(name, float)                                                                           \
  __ASSAY_VECTORS1_OF(name, half)
#define __ASSAY_VECTORS1_OF(name, T)                                                                         \
  METAL_FUNC vec<T, 2> name(vec<T, 2> x) { return vec<T, 2>(name(x.x), name(x.y)); }                         \
  METAL_FUNC vec<T, 3> name(vec<T, 3> x) { return vec<T, 3>(name(x.x), name(x.y), name(x.z)); }              \
  METAL_FUNC vec<T, 4> name(vec<T, 4> x) { return vec<T, 4>(name(x.x), name(x.y), name(x.z), name(x.w)); }

#define __ASSAY_VECTORS2(name)                                                                               \
  __ASSAY_VECTORS2_OF(name, float)                                                                           \
  __ASSAY_VECTORS2_OF(name, half)
#define __ASSAY_VECTORS2_OF(name, T)                                                                         \
  METAL_FUNC vec<T, 2> name(vec<T, 2> x, vec<T, 2> y) { return vec<T, 2>(name(x.x, y.x), name(x.y, y.y)); }  \
  METAL_FUNC vec<T, 3> name(vec<T, 3> x, vec<T, 3> y) {                                                      \
    return vec<T, 3>(name(x.x, y.x), name(x.y, y.y), name(x.z, y.z));                                        \
  }                                                                                                          \
  METAL_FUNC vec<T, 4> name(vec<T, 4> x, vec<T, 4> y) {                                                      \
    return vec<T, 4>(name(x.x, y.x), name(x.y, y.y), name(x.z, y.z), name(x.w, y.w));                        \
  }

#define __ASSAY_VECTORS3(name)                                                                               \
  __ASSAY_VECTORS3_OF(name, float)                                                                           \
  __ASSAY_VECTORS3_OF(name, half)
#define __ASSAY_VECTORS3_OF(name, T)                                                                         \
  METAL_FUNC vec<T, 2> name(vec<T, 2> x, vec<T, 2> y, vec<T, 2> z) {                                         \
    return vec<T, 2>(name(x.x, y.x, z.x), name(x.y, y.y, z.y));                                              \
  }                                                                                                          \
  METAL_FUNC vec<T, 3> name(vec<T, 3> x, vec<T, 3> y, vec<T, 3> z) {                                         \
    return vec<T, 3>(name(x.x, y.x, z.x), name(x.y, y.y, z.y), name(x.z, y.z, z.z));                         \
  }                                                                                                          \
  METAL_FUNC vec<T, 4> name(vec<T, 4> x, vec<T, 4> y, vec<T, 4> z) {                                         \
    return vec<T, 4>(name(x.x, y.x, z.x), name(x.y, y.y, z.y), name(x.z, y.z, z.z), name(x.w, y.w, z.w));    \
  }
