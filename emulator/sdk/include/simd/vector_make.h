// simd_make_typeN: a vector from a shorter one with zeros at the end, from the beginning of a longer one, or
// from parts that together have N elements. With simd_make_typeN_undef the remaining elements are undefined;
// here they are zeros, too.
#pragma once

#include <simd/packed.h>
#include <simd/vector_types.h>

#define __ASSAY_SIMD_MAKE_FROM(name, m, n)                                                                   \
  static inline SIMD_CFUNC simd_##name##n simd_make_##name##n(simd_##name##m other) {                        \
    simd_##name##n result = 0;                                                                               \
    for (int i = 0; i < (m < n ? m : n); ++i)                                                                \
      result[i] = other[i];                                                                                  \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_MAKE_UNDEF(name, m, n)                                                                  \
  static inline SIMD_CFUNC simd_##name##n simd_make_##name##n##_undef(simd_##name##m other) {                \
    return simd_make_##name##n(other);                                                                       \
  }
#define __ASSAY_SIMD_MAKE(name, n)                                                                           \
  static inline SIMD_CFUNC simd_##name##n simd_make_##name##n(__ASSAY_SIMD_E(name) other) {                  \
    simd_##name##n result = 0;                                                                               \
    result[0] = other;                                                                                       \
    return result;                                                                                           \
  }                                                                                                          \
  __ASSAY_SIMD_LENGTHS(__ASSAY_SIMD_MAKE_FROM, name, n)                                                      \
  __ASSAY_SIMD_MAKE_UNDEF(name, 1, n)                                                                        \
  __ASSAY_SIMD_UNDEF_##n(name) __ASSAY_SIMD_PARTS_##n(name)

// Which vectors are shorter than one of n.
#define __ASSAY_SIMD_UNDEF_2(name)
#define __ASSAY_SIMD_UNDEF_3(name) __ASSAY_SIMD_MAKE_UNDEF(name, 2, 3)
#define __ASSAY_SIMD_UNDEF_4(name) __ASSAY_SIMD_MAKE_UNDEF(name, 2, 4) __ASSAY_SIMD_MAKE_UNDEF(name, 3, 4)
#define __ASSAY_SIMD_UNDEF_8(name) __ASSAY_SIMD_M_UP_TO_4(__ASSAY_SIMD_MAKE_UNDEF, name, 8)
#define __ASSAY_SIMD_UNDEF_16(name) __ASSAY_SIMD_M_UP_TO_8(__ASSAY_SIMD_MAKE_UNDEF, name, 16)
#define __ASSAY_SIMD_UNDEF_32(name) __ASSAY_SIMD_M_UP_TO_16(__ASSAY_SIMD_MAKE_UNDEF, name, 32)
#define __ASSAY_SIMD_UNDEF_64(name) __ASSAY_SIMD_M_UP_TO_32(__ASSAY_SIMD_MAKE_UNDEF, name, 64)
#define __ASSAY_SIMD_M_UP_TO_4(M, name, n) M(name, 2, n) M(name, 3, n) M(name, 4, n)
#define __ASSAY_SIMD_M_UP_TO_8(M, name, n) __ASSAY_SIMD_M_UP_TO_4(M, name, n) M(name, 8, n)
#define __ASSAY_SIMD_M_UP_TO_16(M, name, n) __ASSAY_SIMD_M_UP_TO_8(M, name, n) M(name, 16, n)
#define __ASSAY_SIMD_M_UP_TO_32(M, name, n) __ASSAY_SIMD_M_UP_TO_16(M, name, n) M(name, 32, n)

// The parts in each order: vectorN is the older name of the same, whose element is that of the arguments.
#define __ASSAY_SIMD_PART(name, n, parameters, ...)                                                          \
  static inline SIMD_CFUNC simd_##name##n simd_make_##name##n parameters {                                   \
    const simd_##name##n result = {__VA_ARGS__};                                                             \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n vector##n parameters {                                             \
    const simd_##name##n result = {__VA_ARGS__};                                                             \
    return result;                                                                                           \
  }
#define __ASSAY_SIMD_PARTS_2(name)                                                                           \
  __ASSAY_SIMD_PART(name, 2, (__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y), x, y)
#define __ASSAY_SIMD_PARTS_3(name)                                                                           \
  __ASSAY_SIMD_PART(name, 3, (__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y, __ASSAY_SIMD_E(name) z), x, y, \
                    z)                                                                                       \
  __ASSAY_SIMD_PART(name, 3, (__ASSAY_SIMD_E(name) x, simd_##name##2 yz), x, yz.x, yz.y)                     \
  __ASSAY_SIMD_PART(name, 3, (simd_##name##2 xy, __ASSAY_SIMD_E(name) z), xy.x, xy.y, z)
#define __ASSAY_SIMD_PARTS_4(name)                                                                           \
  __ASSAY_SIMD_PART(                                                                                         \
      name, 4,                                                                                               \
      (__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y, __ASSAY_SIMD_E(name) z, __ASSAY_SIMD_E(name) w), x,   \
      y, z, w)                                                                                               \
  __ASSAY_SIMD_PART(name, 4, (__ASSAY_SIMD_E(name) x, __ASSAY_SIMD_E(name) y, simd_##name##2 zw), x, y,      \
                    zw.x, zw.y)                                                                              \
  __ASSAY_SIMD_PART(name, 4, (__ASSAY_SIMD_E(name) x, simd_##name##2 yz, __ASSAY_SIMD_E(name) w), x, yz.x,   \
                    yz.y, w)                                                                                 \
  __ASSAY_SIMD_PART(name, 4, (simd_##name##2 xy, __ASSAY_SIMD_E(name) z, __ASSAY_SIMD_E(name) w), xy.x,      \
                    xy.y, z, w)                                                                              \
  __ASSAY_SIMD_PART(name, 4, (__ASSAY_SIMD_E(name) x, simd_##name##3 yzw), x, yzw.x, yzw.y, yzw.z)           \
  __ASSAY_SIMD_PART(name, 4, (simd_##name##2 xy, simd_##name##2 zw), xy.x, xy.y, zw.x, zw.y)                 \
  __ASSAY_SIMD_PART(name, 4, (simd_##name##3 xyz, __ASSAY_SIMD_E(name) w), xyz.x, xyz.y, xyz.z, w)
#define __ASSAY_SIMD_HALVES(name, n, h)                                                                      \
  static inline SIMD_CFUNC simd_##name##n simd_make_##name##n(simd_##name##h lo, simd_##name##h hi) {        \
    simd_##name##n result;                                                                                   \
    result.lo = lo;                                                                                          \
    result.hi = hi;                                                                                          \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC simd_##name##n vector##n(simd_##name##h lo, simd_##name##h hi) {                  \
    return simd_make_##name##n(lo, hi);                                                                      \
  }
#define __ASSAY_SIMD_PARTS_8(name) __ASSAY_SIMD_HALVES(name, 8, 4)
#define __ASSAY_SIMD_PARTS_16(name) __ASSAY_SIMD_HALVES(name, 16, 8)
#define __ASSAY_SIMD_PARTS_32(name) __ASSAY_SIMD_HALVES(name, 32, 16)
#define __ASSAY_SIMD_PARTS_64(name) __ASSAY_SIMD_HALVES(name, 64, 32)

__ASSAY_SIMD_VECTORS(__ASSAY_SIMD_MAKE)

#ifdef __cplusplus
// simd::Vector<element, N>, the traits of a vector's type, and simd::make<type>(...) from parts.
#define __ASSAY_SIMD_TRAITS(name, n, packed)                                                                 \
  template <> struct Vector<__ASSAY_SIMD_E(name), n> {                                                       \
    static constexpr __SIZE_TYPE__ count = n;                                                                \
    typedef __ASSAY_SIMD_E(name) scalar_t;                                                                   \
    typedef ::simd_##name##n type;                                                                           \
    typedef packed packed_t;                                                                                 \
    __ASSAY_SIMD_MAKER_##n(name)                                                                             \
  };                                                                                                         \
  template <> struct get_traits<::simd_##name##n> {                                                          \
    typedef Vector<__ASSAY_SIMD_E(name), n> type;                                                            \
  };
#define __ASSAY_SIMD_MAKER(name, n)                                                                          \
  template <typename... P> static SIMD_CPPFUNC type __assay_make(P... parts) {                               \
    return ::simd_make_##name##n(parts...);                                                                  \
  }
#define __ASSAY_SIMD_MAKER_1(name)                                                                           \
  static SIMD_CPPFUNC type __assay_make(scalar_t part) {                                                     \
    return part;                                                                                             \
  }
#define __ASSAY_SIMD_MAKER_2(name) __ASSAY_SIMD_MAKER(name, 2)
#define __ASSAY_SIMD_MAKER_3(name) __ASSAY_SIMD_MAKER(name, 3)
#define __ASSAY_SIMD_MAKER_4(name) __ASSAY_SIMD_MAKER(name, 4)
#define __ASSAY_SIMD_MAKER_8(name) __ASSAY_SIMD_MAKER(name, 8)
#define __ASSAY_SIMD_MAKER_16(name) __ASSAY_SIMD_MAKER(name, 16)
#define __ASSAY_SIMD_MAKER_32(name) __ASSAY_SIMD_MAKER(name, 32)
#define __ASSAY_SIMD_MAKER_64(name) __ASSAY_SIMD_MAKER(name, 64)
#define __ASSAY_SIMD_PACKED_TRAITS(name, n) __ASSAY_SIMD_TRAITS(name, n, ::simd_packed_##name##n)
#define __ASSAY_SIMD_UNPACKED_TRAITS(name)                                                                   \
  __ASSAY_SIMD_TRAITS(name, 1, ::simd_##name##1) __ASSAY_SIMD_TRAITS(name, 3, ::simd_##name##3)

namespace simd {
template <typename Scalar, __SIZE_TYPE__ count> struct Vector;
template <typename V> struct get_traits;
template <typename V> using traits = typename get_traits<V>::type;
__ASSAY_SIMD_ELEMENTS(__ASSAY_SIMD_UNPACKED_TRAITS)
__ASSAY_SIMD_PACKED_VECTORS(__ASSAY_SIMD_PACKED_TRAITS)

template <typename V, typename... P> static SIMD_CPPFUNC V make(P... parts) {
  return traits<V>::__assay_make(parts...);
}
template <typename V, typename P> static SIMD_CPPFUNC V make_undef(P part) {
  return make<V>(part);
}
} // namespace simd
#undef __ASSAY_SIMD_PACKED_TRAITS
#undef __ASSAY_SIMD_UNPACKED_TRAITS
#endif
#undef __ASSAY_SIMD_MAKE
