// Vectors that a program names with Clang's attribute. Which forms there are, and what they name: what
// Clang 19 accepts for vectors of its own.
#include "frontend/source_view.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay::frontend {
namespace {

std::string view(std::string text) {
  for (size_t at; (at = text.find("EXT")) != std::string::npos;)
    text.replace(at, 3, "__attribute__((ext_vector_type(4)))");
  return SourceView(text).text();
}

TEST(VectorTypedefs, TheAttributeStandsAnywhereInTheDeclaration) {
  const std::pair<const char *, const char *> kForms[] = {
      {"typedef float v EXT;", "typedef metal::vec<float, (4)> v ;"},
      {"typedef float EXT v;", "typedef metal::vec<float, (4)>  v;"},
      {"typedef EXT float v;", "typedef  metal::vec<float, (4)> v;"},
      {"EXT typedef float v;", " typedef metal::vec<float, (4)> v;"},
      {"typedef unsigned EXT int v;", "typedef metal::vec<unsigned  int, (4)> v;"},
      {"typedef const float EXT v;", "typedef const metal::vec<float, (4)>  v;"},
      {"typedef float const v EXT;", "typedef metal::vec<float, (4)> const v ;"},
      {"typedef typename A<T, 2>::type v EXT;", "typedef metal::vec<typename A<T, 2>::type, (4)> v ;"},
      {"typedef decltype(a * b) EXT v;", "typedef metal::vec<decltype(a * b), (4)>  v;"},
      {"typedef float (v) EXT;", "typedef metal::vec<float, (4)> (v) ;"},
      {"using v = float EXT;", "using v = metal::vec<float, (4)> ;"},
      {"using v = EXT float;", "using v =  metal::vec<float, (4)>;"},
      {"using v EXT = float;", "using v  = metal::vec<float, (4)>;"},
      {"template <class T> using v = T EXT;", "template <class T> using v = metal::vec<T, (4)> ;"},
  };
  for (const auto &[text, expected] : kForms)
    EXPECT_EQ(view(text), expected) << text;
}

TEST(VectorTypedefs, OtherAttributesStay) {
  EXPECT_EQ(view("typedef float v __attribute__((ext_vector_type(4), aligned(16)));"),
            "typedef metal::vec<float, (4)> v __attribute__((, aligned(16)));");
  EXPECT_EQ(view("typedef float __attribute__((aligned(16))) EXT v;"),
            "typedef metal::vec<float, (4)> __attribute__((aligned(16)))  v;");
  EXPECT_EQ(view("typedef float v [[maybe_unused]] EXT;"),
            "typedef metal::vec<float, (4)> v [[maybe_unused]] ;");
  EXPECT_EQ(view("typedef float v __attribute__((__ext_vector_type__(1 + N)));"),
            "typedef metal::vec<float, (1 + N)> v ;");
}

TEST(VectorTypedefs, AnAttributeAmongTheSpecifiersIsForAllDeclarators) {
  EXPECT_EQ(view("typedef float EXT a, *b, c[2];"), "typedef metal::vec<float, (4)>  a, *b, c[2];");
  EXPECT_EQ(view("typedef float EXT *a;"), "typedef metal::vec<float, (4)>  *a;");
  EXPECT_EQ(view("typedef float EXT f(int);"), "typedef metal::vec<float, (4)>  f(int);");
  EXPECT_EQ(view("typedef float EXT (*f)(int);"), "typedef metal::vec<float, (4)>  (*f)(int);");
}

TEST(VectorTypedefs, OneAfterADeclaratorIsForThatOne) {
  EXPECT_EQ(view("typedef float a EXT, b;"), "typedef metal::vec<float, (4)> a ; typedef float  b;");
  EXPECT_EQ(view("typedef const float a, b EXT, *c;"),
            "typedef const float a; typedef const metal::vec<float, (4)>  b ; typedef const float  *c;");
  EXPECT_EQ(view("typedef float a EXT, b EXT;"), "typedef metal::vec<float, (4)> a , b ;");
}

TEST(VectorTypedefs, InTheBodyOfAMacro) {
  EXPECT_EQ(view("#define VECTOR(T) typedef T T##4 EXT\n"),
            "#define VECTOR(T) typedef metal::vec<T, (4)> T##4 \n");
  EXPECT_EQ(view("#define VECTOR(T) typedef T EXT T##4; \\\n  int n\n"),
            "#define VECTOR(T) typedef metal::vec<T, (4)>  T##4; \\\n  int n\n");
}

TEST(VectorTypedefs, TheRestIsRefused) {
  const std::string refused = "__attribute__((ext_vector_type(__assay_unread_vector)))";
  for (const std::string form :
       {"float x EXT;", "float EXT f();", "typedef unsigned int (v) EXT;", "typedef float *v EXT;",
        "typedef float v[2] EXT;", "typedef float EXT v EXT;", "using v EXT = float *;",
        "float typedef v EXT;", "#define E EXT\n"}) {
    std::string expected = form;
    for (size_t at; (at = expected.find("EXT")) != std::string::npos;)
      expected.replace(at, 3, refused);
    EXPECT_EQ(view(form), expected);
  }
}

// Clang says that it ignores this one.
TEST(VectorTypedefs, AnAttributeInBracketsIsLeftToClang) {
  const std::string text = "typedef float v [[clang::ext_vector_type(4)]];";
  EXPECT_EQ(view(text), text);
}

TEST(VectorTypedefs, LinesStay) {
  EXPECT_EQ(view("typedef float __attribute__((\n  ext_vector_type(4))) v,\n  w;"),
            "typedef metal::vec<float, (4)> \n v,\n  w;");
}

} // namespace
} // namespace assay::frontend
