// What a header declares, checked as a table: each row is some expressions, the type that they have, and the
// types T that they have it for.
//
// A table becomes one source that includes that header alone, of static_asserts in T; the compiler names the
// row that fails. Rejected: one static_assert per type by hand (a function has up to 32 overloads).
#pragma once

#include "clang_run.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace assay::test {

// Lists of T. A vector list holds the scalars and their vectors of 2, 3 and 4.
#define ASSAY_WITH_VECTORS(T) T " " T "2 " T "3 " T "4 "
inline const char *const kOnce = "void"; ///< no T, and no x, y, z
inline const char *const kFloats = ASSAY_WITH_VECTORS("float") ASSAY_WITH_VECTORS("half");
inline const char *const kFloatOnly = ASSAY_WITH_VECTORS("float");
inline const char *const kFloatVectors = "float2 float3 float4 half2 half3 half4";
inline const char *const kAllFloats =
    ASSAY_WITH_VECTORS("float") ASSAY_WITH_VECTORS("half") ASSAY_WITH_VECTORS("bfloat");
inline const char *const kIntegers = ASSAY_WITH_VECTORS("char") ASSAY_WITH_VECTORS("uchar")
    ASSAY_WITH_VECTORS("short") ASSAY_WITH_VECTORS("ushort") ASSAY_WITH_VECTORS("int")
        ASSAY_WITH_VECTORS("uint") ASSAY_WITH_VECTORS("long") ASSAY_WITH_VECTORS("ulong");
inline const char *const kInts = ASSAY_WITH_VECTORS("int") ASSAY_WITH_VECTORS("uint");
inline const char *const kBools = ASSAY_WITH_VECTORS("bool");
/// What simdgroups exchange: no bool, no bfloat, no 64 bits.
#define ASSAY_SIMD_INTEGERS                                                                                  \
  ASSAY_WITH_VECTORS("char")                                                                                 \
  ASSAY_WITH_VECTORS("uchar")                                                                                \
  ASSAY_WITH_VECTORS("short")                                                                                \
  ASSAY_WITH_VECTORS("ushort")                                                                               \
  ASSAY_WITH_VECTORS("int")                                                                                  \
  ASSAY_WITH_VECTORS("uint")
inline const char *const kSimdIntegers = ASSAY_SIMD_INTEGERS;
inline const char *const kSimdTypes =
    ASSAY_SIMD_INTEGERS ASSAY_WITH_VECTORS("float") ASSAY_WITH_VECTORS("half");

struct Signature {
  const char *types;  ///< T, one after the other
  const char *result; ///< in T, Scalar<T>, Like<U, T> (U with the elements of T), Unsigned<T>
  std::vector<const char *> expressions; ///< on x, y, z of type T
};

/// Compiles a source whose head includes `header` alone.
inline void expectCompiles(const char *header, const std::string &text) {
  const std::string path = "/tmp/assay_signatures_" + std::to_string(getpid()) + ".cpp";
  std::ofstream(path) << "#include <" << header << ">\nusing namespace metal;\n" << text;
  const ClangRun run = runClang("-fsyntax-only -ferror-limit=20 " + path);
  EXPECT_EQ(run.status, 0) << run.text;
  std::remove(path.c_str());
}

/// Constant expressions that hold.
inline void expectFacts(const char *header, std::initializer_list<const char *> facts) {
  std::string text;
  for (const char *fact : facts)
    text += std::string("static_assert(") + fact + ");\n";
  expectCompiles(header, text);
}

/// Compiles, with only `header` included, one assertion per row and type.
inline void expectSignatures(const char *header, std::initializer_list<Signature> table) {
  std::ostringstream source;
  source << "#include <metal_types>\n#include <metal_type_traits>\n"
         << "template <class T> struct Shape { typedef T Element; template <class U> using With = U; };\n"
         << "template <class T, int N> struct Shape<vec<T, N>> {\n"
         << "  typedef T Element; template <class U> using With = vec<U, N>; };\n"
         << "template <class T> using Scalar = typename Shape<T>::Element;\n"
         << "template <class U, class T> using Like = typename Shape<T>::template With<U>;\n"
         << "template <class T> using Unsigned = Like<make_unsigned_t<Scalar<T>>, T>;\n"
         << "template <class T> using Value = remove_cv_t<remove_addrspace_t<remove_reference_t<T>>>;\n"
         << "template <class T> T &lvalue();\n";
  if (std::string(header) == "metal_texture")
    source << "template <class T> struct ColorOf;\n"
           << "template <template <class, access, memory_coherence> class X, class T, access A, "
              "memory_coherence C>\n"
           << "struct ColorOf<X<T, A, C>> {\n"
           << "  typedef vec<T, 4> Type; };\n"
           << "template <class T> using Color = typename ColorOf<T>::Type;\n";
  int row = 0;
  for (const Signature &signature : table) {
    std::istringstream types(signature.types);
    for (std::string type; types >> type;) {
      source << "namespace row" << row++ << " { typedef " << type << " T; ";
      if (type != kOnce)
        source << "extern T x, y, z;";
      for (const char *expression : signature.expressions)
        source << "\nstatic_assert(is_same_v<Value<decltype(" << expression << ")>, " << signature.result
               << ">, R\"(" << header << ": " << expression << " for " << type << ")\");";
      source << " }\n";
    }
  }
  expectCompiles(header, source.str());
}

} // namespace assay::test
