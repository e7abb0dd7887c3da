// The attributes of the functions of <simd/simd.h>, and what all parts of it include.
#pragma once

#include <stdint.h> // Apple's own sample code has its types from <simd/simd.h>

#define SIMD_COMPILER_HAS_REQUIRED_FEATURES 1

// A vector of more than 16 bytes is passed in another way with AVX than without, of which Clang warns at each
// call. The functions of these headers are inlined. A host's own are compiled with one set of flags, and on a
// Mac of today the warning does not exist.
#pragma clang diagnostic ignored "-Wpsabi"

#define SIMD_CFUNC __attribute__((__const__, __overloadable__, __always_inline__))
#define SIMD_INLINE __attribute__((__overloadable__, __always_inline__))
#define SIMD_NONCONST __attribute__((__overloadable__, __always_inline__))
#define SIMD_NOINLINE __attribute__((__overloadable__))
/// A function that is only declared, for its type, or a constant that need not be used.
#define __ASSAY_SIMD_UNUSED __attribute__((__unused__))
#define SIMD_CPPFUNC inline __attribute__((__always_inline__))

#ifdef __cplusplus
typedef bool simd_bool;

namespace simd {
namespace __assay {
/// A type that is not deduced from an argument, so that a scalar becomes a vector there.
template <typename T> struct Same {
  typedef T type;
};
} // namespace __assay
} // namespace simd

// simd::name of one to four arguments of one type, as the C function c. The types are those that c has.
#define __ASSAY_SIMD_CPP1(name, c)                                                                           \
  template <typename V> static SIMD_CPPFUNC auto name(V x) -> decltype(c(x)) {                               \
    return c(x);                                                                                             \
  }
#define __ASSAY_SIMD_CPP2(name, c)                                                                           \
  template <typename V>                                                                                      \
  static SIMD_CPPFUNC auto name(V x, typename __assay::Same<V>::type y) -> decltype(c(x, x)) {               \
    return c(x, y);                                                                                          \
  }
#define __ASSAY_SIMD_CPP3(name, c)                                                                           \
  template <typename V>                                                                                      \
  static SIMD_CPPFUNC auto name(V x, typename __assay::Same<V>::type y, typename __assay::Same<V>::type z)   \
      -> decltype(c(x, x, x)) {                                                                              \
    return c(x, y, z);                                                                                       \
  }
#else
typedef _Bool simd_bool;
#endif
