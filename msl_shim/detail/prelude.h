// What is true before the first line of a .metal file: Metal's keywords, scalar types, predefined macros.
//
// The front end includes this header before every file, with or without <metal_stdlib>. It declares only what
// Metal predeclares: the vector types, as_type and the common functions are there without an #include.
//
// Keywords. In -fsycl-is-device mode the OpenCL address-space attributes are real qualifiers, and the default
// address space is a superset of them: references, copies and member calls work from any memory, while
// device, constant and threadgroup pointers do not convert into one another. `thread` is that default space,
// hence empty; the price is that a `thread T *` also accepts a device pointer. Names with __assay_ are a
// contract with emulator/frontend's source view.
#pragma once
#pragma clang system_header

#include "primitives.h"

#define device __attribute__((opencl_global_device))
#define constant const __attribute__((opencl_global_host))
#define threadgroup __attribute__((opencl_local))
#define thread
#define kernel __attribute__((annotate("assay.kernel")))
// Functions and memory of graphics and ray tracing: compiled, never run. Their spaces are Clang's spaces with
// the same relation to the default one, which have no other use here.
#define vertex __attribute__((annotate("assay.vertex")))
#define fragment __attribute__((annotate("assay.fragment")))
#define ray_data __attribute__((opencl_private))
#define object_data __attribute__((opencl_global))
#define threadgroup_imageblock __attribute__((opencl_local)) __assay_imageblock
#define METAL_FUNC inline __attribute__((always_inline))
// After a function's parameters: an argument that must be a constant expression, or 0. Apple's names, which
// code that SPIRV-Cross emits has, too.
#define METAL_CONST_ARG(x) __attribute__((enable_if((x) == (x), #x " is a constant expression")))
#define METAL_ZERO_ARG(x) __attribute__((enable_if((x) == 0, #x " is 0")))
// After `struct`, or before a member function: the memories of the objects that have the class's members, or
// this one. Apple's library declares members for each memory, and these lack some. space_rules.cpp of the
// front end refuses other objects.
#define __ASSAY_OBJECTS_IN_THREAD __attribute__((annotate("assay.objects.thread")))
#define __ASSAY_OBJECTS_IN_CONSTANT __attribute__((annotate("assay.objects.constant")))
#define __ASSAY_OBJECTS_IN_THREAD_OR_CONSTANT __attribute__((annotate("assay.objects.thread.constant")))
#define __ASSAY_OBJECTS_OF_HANDLES __attribute__((annotate("assay.objects.thread.device.constant")))
// After `struct`: no class has a member of this type (metal_rules.cpp of the front end).
#define __ASSAY_NO_MEMBER __attribute__((annotate("assay.no_member")))
// Apple's other words for attributes of declarations, which are there without an #include.
// source: metalfe-32023.864 -E -dM -fno-modules, as cristim/mslc records it.
#define METAL_ALIGN(bytes) __attribute__((aligned(bytes)))
#define METAL_CONST __attribute__((const))
#define METAL_DEPRECATED(...) __attribute__((deprecated(__VA_ARGS__)))
#define METAL_ENABLE_IF(condition, text) __attribute__((enable_if(condition, text)))
#define METAL_INTERNAL
#define METAL_NOTHROW __attribute__((nothrow))
#define METAL_PURE __attribute__((pure))
#define METAL_UNAVAILABLE(text) __attribute__((unavailable(text)))
// A macro is added here only together with what it promises. Apple's compiler predefines __METAL__ from Metal
// 3.0 on, and before it the macro of the platform. If no version was asked for, programs of either kind see
// theirs. source: metalfe-32023.883 -E -dM for each -std, as recorded in the test predefined-macros.metal of
// kagurasumusun/llvm-project.
#ifndef __METAL_VERSION__ // the front end's, if a version was asked for
#define __ASSAY_ANY_VERSION 1
#define __METAL_VERSION__ 320
#define __METAL__ 1
#define __METAL_MACOS__ 1
#elif __METAL_VERSION__ >= 300
#define __METAL__ 1
#elif !defined(__METAL_IOS__) // the front end's, for -std=ios-metal2.4
#define __METAL_MACOS__ 1
#endif
#include "features.h"
#include "predefined.h"

// MSL 3.2: volatile coherent(system) device T *. Every engine here keeps all device memory coherent.
#if __ASSAY_LIBRARY_HAS(COHERENT)
#define coherent(...)
#else
#define coherent(...) _Pragma("GCC error \"coherent needs Metal 3.2 or later\"")
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
#if __ASSAY_LIBRARY_HAS(BFLOAT) // the library itself says __bf16
typedef __bf16 bfloat;
#endif
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;

namespace metal {
#if __ASSAY_LIBRARY_HAS(NULLPTR_T)
using nullptr_t = decltype(nullptr);
#endif
#if __ASSAY_LIBRARY_HAS(BFLOAT)
using ::bfloat;
#endif
using ::half;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uchar;
using ::uint;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using ::ulong;
using ::ushort;
} // namespace metal
#if __ASSAY_LIBRARY_HAS(NULLPTR_T)
using ::metal::nullptr_t;
#endif

// Literal suffixes that Clang lacks. A long double holds every literal, so there is one rounding. Clang lets
// a program define `h` (a standard suffix), but not H, bf and BF: the source view writes those with an
// underscore.
constexpr METAL_FUNC half operator""h(long double value) {
  return static_cast<half>(value);
}
constexpr METAL_FUNC half operator""_H(long double value) {
  return static_cast<half>(value);
}
// Integers have none of these suffixes in Metal.
constexpr METAL_FUNC half operator""h(unsigned long long value)
    __attribute__((diagnose_if(true, "invalid suffix 'h' on an integer: write 1.0h", "error"))) {
  return static_cast<half>(value);
}
constexpr METAL_FUNC half operator""_H(unsigned long long value)
    __attribute__((diagnose_if(true, "invalid suffix 'H' on an integer: write 1.0H", "error"))) {
  return static_cast<half>(value);
}
constexpr METAL_FUNC __bf16 operator""_bf(long double value) {
  return static_cast<__bf16>(value);
}
constexpr METAL_FUNC __bf16 operator""_BF(long double value) {
  return static_cast<__bf16>(value);
}

// A string literal in constant memory, where all of Metal's lie: emulator/frontend/constant_strings.h.
template <class _T, _T... _text> struct __assay_string {
  static constexpr constant _T text[sizeof...(_text) + 1] = {_text..., 0};
};
template <class _T, _T... _text>
constexpr METAL_FUNC const constant _T (&operator""__assay_constant())[sizeof...(_text) + 1] {
  return __assay_string<_T, _text...>::text;
}

// The same of `__func__`, which is no literal.
template <size_t _n> struct __assay_text {
  char text[_n];
  constexpr METAL_FUNC __assay_text(const char (&from)[_n]) : text() {
    for (size_t i = 0; i < _n; ++i)
      text[i] = from[i];
  }
};
#define __assay_constant_text(_name)                                                                         \
  (*({                                                                                                       \
    static constexpr constant __assay_text<sizeof(_name)> __assay_copy(_name);                               \
    &__assay_copy.text;                                                                                      \
  }))

// The value of an operand without its address space, for `?:` on one class in two address spaces.
template <class _T> constexpr METAL_FUNC _T __assay_by_value(_T value) {
  return value;
}

// What emulator/frontend/array_parameters.h writes around the type of a parameter that is an array: its
// elements have the address space. Anything else stays what it was, which Clang refuses again.
template <class _T> struct __assay_array {
  typedef _T type;
};
template <class _T, size_t _n> struct __assay_array<_T[_n]> {
  typedef _T *type;
};
template <class _T> using __assay_array_parameter = typename __assay_array<_T>::type;

// The integer that an enumerator is, beside a half: Clang knows no operator of an enumeration and a half.
template <class _T> constexpr METAL_FUNC auto __assay_promoted(_T value) {
  return +value;
}

// The operand of a cast between half and bfloat, which Clang lacks, as a float, which holds either; any other
// operand, in another instantiation of the same text, as it is.
template <class _T> constexpr METAL_FUNC _T __assay_between_halves(_T value) {
  return value;
}
constexpr METAL_FUNC float __assay_between_halves(half value) {
  return value;
}
constexpr METAL_FUNC float __assay_between_halves(__bf16 value) {
  return value;
}

#define __assay_threadgroup_object static __attribute__((opencl_local))

// Reads one function constant. metal_types adds the reader of vectors.
template <class _T> struct __assay_function_constant_reader {
  // Of another size than these is no scalar. Reflection refuses it; nothing calls this.
  template <unsigned Bytes, class = void> struct Bits {
    static _T of(unsigned long bits);
  };
  template <class _Word> struct As {
    static METAL_FUNC _T of(unsigned long bits) { return __builtin_bit_cast(_T, static_cast<_Word>(bits)); }
  };
  template <class _V> struct Bits<1, _V> : As<unsigned char> {};
  template <class _V> struct Bits<2, _V> : As<unsigned short> {};
  template <class _V> struct Bits<4, _V> : As<unsigned int> {};
  template <class _V> struct Bits<8, _V> : As<unsigned long> {};
  static METAL_FUNC _T read(unsigned index, unsigned component) {
    return Bits<sizeof(_T)>::of(__assay_function_constant(index, component));
  }
};
template <> struct __assay_function_constant_reader<bool> {
  static METAL_FUNC bool read(unsigned index, unsigned component) {
    return (__assay_function_constant(index, component) & 1) != 0;
  }
};
struct __assay_function_constant_proxy {
  unsigned index;
  template <class _T> METAL_FUNC operator _T() const {
    return __assay_function_constant_reader<_T>::read(index, 0);
  }
};
// The index may have the commas of a template's arguments. One of another type is converted, too:
// metal_rules.cpp of the front end refuses it.
#define __assay_function_constant_init(...)                                                                  \
  __assay_function_constant_proxy {                                                                          \
    (unsigned)(unsigned long)(__VA_ARGS__)                                                                   \
  }
#define is_function_constant_defined(variable) __assay_is_function_constant_defined(&(variable))

#include "scopes.h"
#include "tessellation.h"

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-SCHAR_MAX - 1)
#define UCHAR_MAX 255
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define SHRT_MAX 32767
#define SHRT_MIN (-SHRT_MAX - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1l)
#define ULONG_MAX 18446744073709551615ul

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALH __builtin_huge_valf16()
#define HUGE_VALBF (static_cast<__bf16>(__builtin_huge_valf()))
// Of the two values that the specification allows for a NaN, Apple's ilogb returns this one.
// source: preprocessed headers of Metal 2.1 (clang 902.1) in public.
#define FP_ILOGB0 INT_MIN
#define FP_ILOGBNAN INT_MIN

// source: MSL specification, section 6.5, tables 6.6 (float), 6.7 (half); <metal_math> has no double.
#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define MAXFLOAT FLT_MAX

#define HALF_RADIX 2
#define HALF_DIG 2
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_MAX 0x1.ffcp15f16
#define HALF_MIN 0x1.0p-14f16
#define HALF_EPSILON 0x1.0p-10f16
#define MAXHALF HALF_MAX

#define BFLT_RADIX 2
#define BFLT_DIG 2
#define BFLT_MANT_DIG 8
#define BFLT_MAX_10_EXP 38
#define BFLT_MAX_EXP 128
#define BFLT_MIN_10_EXP (-37)
#define BFLT_MIN_EXP (-125)
#define BFLT_MAX (static_cast<__bf16>(0x1.fep127f))
#define BFLT_MIN (static_cast<__bf16>(0x1.0p-126f))
#define BFLT_EPSILON (static_cast<__bf16>(0x1.0p-7f))
#define MAXBFLOAT BFLT_MAX

#define M_E_F 2.71828182845904523536028747135266250f
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#define M_LN2_F 0.693147180559945309417232121458176568f
#define M_LN10_F 2.30258509299404568401799145468436421f
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_PI_2_F 1.57079632679489661923132169163975144f
#define M_PI_4_F 0.785398163397448309615660845819875721f
#define M_1_PI_F 0.318309886183790671537767526745028724f
#define M_2_PI_F 0.636619772367581343075535053490057448f
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f

#define M_E_H 2.71828182845904523536028747135266250f16
#define M_LOG2E_H 1.44269504088896340735992468100189214f16
#define M_LOG10E_H 0.434294481903251827651128918916605082f16
#define M_LN2_H 0.693147180559945309417232121458176568f16
#define M_LN10_H 2.30258509299404568401799145468436421f16
#define M_PI_H 3.14159265358979323846264338327950288f16
#define M_PI_2_H 1.57079632679489661923132169163975144f16
#define M_PI_4_H 0.785398163397448309615660845819875721f16
#define M_1_PI_H 0.318309886183790671537767526745028724f16
#define M_2_PI_H 0.636619772367581343075535053490057448f16
#define M_2_SQRTPI_H 1.12837916709551257389615890312154517f16
#define M_SQRT2_H 1.41421356237309504880168872420969808f16
#define M_SQRT1_2_H 0.707106781186547524400844362104849039f16

#define M_E_BF 2.71828182845904523536028747135266250_bf
#define M_LOG2E_BF 1.44269504088896340735992468100189214_bf
#define M_LOG10E_BF 0.434294481903251827651128918916605082_bf
#define M_LN2_BF 0.693147180559945309417232121458176568_bf
#define M_LN10_BF 2.30258509299404568401799145468436421_bf
#define M_PI_BF 3.14159265358979323846264338327950288_bf
#define M_PI_2_BF 1.57079632679489661923132169163975144_bf
#define M_PI_4_BF 0.785398163397448309615660845819875721_bf
#define M_1_PI_BF 0.318309886183790671537767526745028724_bf
#define M_2_PI_BF 0.636619772367581343075535053490057448_bf
#define M_2_SQRTPI_BF 1.12837916709551257389615890312154517_bf
#define M_SQRT2_BF 1.41421356237309504880168872420969808_bf
#define M_SQRT1_2_BF 0.707106781186547524400844362104849039_bf

// After everything that they need.
#include "generic_pointers.h"
#include "initializer_list.h"
#include "memory_arguments.h"

#include "../metal_common"
#include "../metal_geometric"
#include "../metal_integer"
#include "../metal_relational"
#include "../metal_types"

// An operand beside another of type _Other: as a float if one is a half and the other a bfloat; otherwise, in
// another instantiation of the same text, as it is.
template <class _Other, class _T> constexpr METAL_FUNC auto __assay_beside(_T value) {
  if constexpr (metal::__assay::kBetweenHalves<
                    _T, __remove_cv(metal::remove_addrspace_t<__remove_cv(__remove_reference_t(_Other))>)>)
    return static_cast<float>(value);
  else
    return value;
}

// A scalar beside a vector of type _Vector, as such a vector; beside anything else, in another instantiation
// of the same text, as it is.
template <class _Vector, class _T> constexpr METAL_FUNC auto __assay_splat(_T value) {
  typedef __remove_cv(metal::remove_addrspace_t<__remove_cv(__remove_reference_t(_Vector))>) Plain;
  if constexpr (metal::is_vector_v<Plain> && metal::is_scalar_v<_T>)
    return Plain(metal::__assay::element<metal::make_scalar_t<Plain>>(value));
  else
    return value;
}

// The vector that a list in braces makes whose elements have one type.
template <class _T, int _n, metal::enable_if_t<metal::is_scalar_v<_T>, int> = 0>
constexpr METAL_FUNC auto __assay_vector_of_list(const _T (&list)[_n]) {
  metal::vec<_T, _n> all;
  for (int i = 0; i < _n; ++i)
    all[i] = list[i];
  return all;
}

// The vector that an operand is converted to, of type _Operand: an object of a class that converts to it. In
// another instantiation of the same text, the type that the operand has.
template <class _Vector, class _Operand> struct __assay_vector {
  typedef __remove_cv(metal::remove_addrspace_t<__remove_cv(__remove_reference_t(_Operand))>) Plain;
  typedef metal::conditional_t<__is_class(Plain) && !metal::is_vector_v<Plain> &&
                                   __is_convertible(_Operand, _Vector),
                               _Vector, _Operand>
      type;
};
template <class _Vector, class _Operand>
using __assay_vector_of = typename __assay_vector<_Vector, _Operand>::type;

// The second value of `?:` as one of the first's type: of a vector and a packed one.
template <class _First, class _T> constexpr METAL_FUNC auto __assay_like(_T value) {
  return static_cast<__remove_cv(metal::remove_addrspace_t<__remove_cv(__remove_reference_t(_First))>)>(
      value);
}
