// From a scalar function of half and float, its overloads for vectors of 2, 3 and 4: component by component.
//
// Each is a template whose parameters do not depend on its argument S, so that calls convert as they would to
// a plain function (a scalar splats, a packed vector unpacks). Its body does depend on S, so it is compiled
// only if it is used: there are six of them for each of a hundred names.
#pragma once
#pragma clang system_header

#include "vec.h"

#define __ASSAY_VECTORS1_OF(name, Result, _T)                                                                \
  template <class _S = _T> METAL_FUNC vec<Result, 2> name(vec<_T, 2> x) {                                    \
    return {name(_S(x.x)), name(_S(x.y))};                                                                   \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 3> name(vec<_T, 3> x) {                                    \
    return {name(_S(x.x)), name(_S(x.y)), name(_S(x.z))};                                                    \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 4> name(vec<_T, 4> x) {                                    \
    return {name(_S(x.x)), name(_S(x.y)), name(_S(x.z)), name(_S(x.w))};                                     \
  }
#define __ASSAY_VECTORS2_OF(name, Result, _T)                                                                \
  template <class _S = _T> METAL_FUNC vec<Result, 2> name(vec<_T, 2> x, vec<_T, 2> y) {                      \
    return {name(_S(x.x), _S(y.x)), name(_S(x.y), _S(y.y))};                                                 \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 3> name(vec<_T, 3> x, vec<_T, 3> y) {                      \
    return {name(_S(x.x), _S(y.x)), name(_S(x.y), _S(y.y)), name(_S(x.z), _S(y.z))};                         \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 4> name(vec<_T, 4> x, vec<_T, 4> y) {                      \
    return {name(_S(x.x), _S(y.x)), name(_S(x.y), _S(y.y)), name(_S(x.z), _S(y.z)), name(_S(x.w), _S(y.w))}; \
  }
#define __ASSAY_VECTORS3_OF(name, Result, _T)                                                                \
  template <class _S = _T> METAL_FUNC vec<Result, 2> name(vec<_T, 2> x, vec<_T, 2> y, vec<_T, 2> z) {        \
    return {name(_S(x.x), _S(y.x), _S(z.x)), name(_S(x.y), _S(y.y), _S(z.y))};                               \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 3> name(vec<_T, 3> x, vec<_T, 3> y, vec<_T, 3> z) {        \
    return {name(_S(x.x), _S(y.x), _S(z.x)), name(_S(x.y), _S(y.y), _S(z.y)),                                \
            name(_S(x.z), _S(y.z), _S(z.z))};                                                                \
  }                                                                                                          \
  template <class _S = _T> METAL_FUNC vec<Result, 4> name(vec<_T, 4> x, vec<_T, 4> y, vec<_T, 4> z) {        \
    return {name(_S(x.x), _S(y.x), _S(z.x)), name(_S(x.y), _S(y.y), _S(z.y)),                                \
            name(_S(x.z), _S(y.z), _S(z.z)), name(_S(x.w), _S(y.w), _S(z.w))};                               \
  }

#define __ASSAY_VECTORS1(name) __ASSAY_VECTORS1_OF(name, float, float) __ASSAY_VECTORS1_OF(name, half, half)
#define __ASSAY_VECTORS2(name) __ASSAY_VECTORS2_OF(name, float, float) __ASSAY_VECTORS2_OF(name, half, half)
#define __ASSAY_VECTORS3(name) __ASSAY_VECTORS3_OF(name, float, float) __ASSAY_VECTORS3_OF(name, half, half)
// Those of half in the namespace of its functions (metal_math).
#define __ASSAY_VECTORS_APART(_OF, name)                                                                     \
  _OF(name, float, float) namespace __assay_half {                                                           \
    _OF(name, half, half)                                                                                    \
  }
#define __ASSAY_VECTORS1_APART(name) __ASSAY_VECTORS_APART(__ASSAY_VECTORS1_OF, name)
#define __ASSAY_VECTORS2_APART(name) __ASSAY_VECTORS_APART(__ASSAY_VECTORS2_OF, name)
#define __ASSAY_VECTORS3_APART(name) __ASSAY_VECTORS_APART(__ASSAY_VECTORS3_OF, name)
