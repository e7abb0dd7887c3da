// Clang's attribute of vectors in declarations and casts: what it names is what Clang 19 accepts for vectors
// of its own. Values are in tests/language/vectors.rows.
#include "tests/frontend/compiled_messages.h"

#include "frontend/source_view.h"
#include "frontend/vector_attributes.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

using testing::HasSubstr;

namespace assay::frontend {
namespace {

std::string withAttributes(std::string text) {
  for (size_t at; (at = text.find("EXT")) != std::string::npos;)
    text.replace(at, 3, "__attribute__((ext_vector_type(4)))");
  return text;
}
std::string view(const std::string &text) {
  return SourceView(withAttributes(text)).text();
}

TEST(VectorAttributes, AfterATypeOrBeforeOne) {
  const std::pair<const char *, const char *> kForms[] = {
      {"void f() { float EXT v, w; }", "void f() { metal::vec<float, (4)>  v, w; }"},
      {"struct S { unsigned int EXT *v; };", "struct S { metal::vec<unsigned int, (4)>  *v; };"},
      {"void f() { EXT const int v = 1; }", "void f() {  const metal::vec<int, (4)> v = 1; }"},
      {"static EXT a::T f();", "static  metal::vec<a::T, (4)> f();"},
      {"struct S { a::T EXT v; };", "struct S { metal::vec<a::T, (4)>  v; };"},
      {"int x = (T EXT)(y);", "int x = (metal::vec<T, (4)> )(y);"},
      {"int x = f<T EXT>(y);", "int x = f<metal::vec<T, (4)> >(y);"},
  };
  for (const auto &[text, expected] : kForms)
    EXPECT_EQ(view(text), expected) << text;
}

TEST(VectorAttributes, AfterTheOneNameOfADeclaration) {
  const std::pair<const char *, const char *> kForms[] = {
      {"struct S { float v EXT; };", "struct S { metal::vec<float, (4)> v ; };"},
      {"void f() { T v EXT = {1, 2}; int x, y; }", "void f() { metal::vec<T, (4)> v  = {1, 2}; int x, y; }"},
      {"void f(float v EXT, int w);", "void f(metal::vec<float, (4)> v , int w);"},
      {"void f() { g(1); const int v EXT(1, 2); }",
       "void f() { g(1); const metal::vec<int, (4)> v (1, 2); }"},
  };
  for (const auto &[text, expected] : kForms)
    EXPECT_EQ(view(text), expected) << text;
}

TEST(VectorAttributes, WhatCannotBeReadIsAnErrorThere) {
  for (const char *text :
       {"void f() { float v EXT = 1, w = 2; }", "void f() { float v, w EXT; }",
        "void f() { for (int v EXT = 1, w = 2;;) break; }", "struct S { float v EXT[2]; };",
        "void f() { float *v EXT; }", "struct S { int x; } v EXT;",
        "void f() { float __attribute__((ext_vector_type(4), aligned(16))) v; }",
        "void f() { float __attribute__((ext_vector_type())) v; }"})
    EXPECT_THAT(messagesOf(withAttributes(text) + "\n"), HasSubstr("error: ")) << text;
  EXPECT_THAT(messagesOf("kernel void k() { float v __attribute__((ext_vector_type(4))) = 1, w = 2; }\n"),
              HasSubstr("k.metal:3:42: error: ext_vector_type cannot be read here"));
}

TEST(VectorAttributes, AtTheEndsOfAText) {
  for (const char *text : {"EXT", "EXT float", "x EXT", "(EXT)", "float v EXT", "float v EXT("})
    EXPECT_THAT(view(text), HasSubstr("ext_vector_type")) << text;
}

} // namespace
} // namespace assay::frontend
