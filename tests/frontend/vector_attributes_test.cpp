// Clang's attribute of vectors in names of types: what it names is what Clang 19 accepts for vectors
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
// What the view makes of one that cannot be read.
std::string withUnread(std::string text) {
  for (size_t at; (at = text.find("EXT")) != std::string::npos;)
    text.replace(at, 3, "__attribute__((ext_vector_type(__assay_unread_vector)))");
  return text;
}
std::string view(const std::string &text) {
  return SourceView(withAttributes(text)).text();
}

TEST(VectorAttributes, InATypesName) {
  const std::pair<const char *, const char *> kForms[] = {
      {"int x = (T EXT)(y);", "int x = (metal::vec<T, (4)> )(y);"},
      {"int x = f<T EXT>(y);", "int x = f<metal::vec<T, (4)> >(y);"},
      {"int x = f<1, EXT T>(y);", "int x = f<1,  metal::vec<T, (4)>>(y);"},
      {"return (const unsigned int EXT *)y;", "return (const metal::vec<unsigned int, (4)>  *)y;"},
      {"int x = (EXT const int)y;", "int x = ( const metal::vec<int, (4)>)y;"},
      {"int x = (int const EXT)y;", "int x = (metal::vec<int, (4)> const )y;"},
      {"int x = sizeof(a::T EXT[2]);", "int x = sizeof(metal::vec<a::T, (4)> [2]);"},
      {"template <class T = float EXT> struct S;", "template <class T = float EXT> struct S;"},
  };
  for (const auto &[text, expected] : kForms)
    EXPECT_EQ(view(text), withUnread(expected)) << text;
}

TEST(VectorAttributes, OfADeclarationIsAnErrorThere) {
  for (const char *text :
       {"void f() { float EXT v; }", "void f() { EXT float v; }", "void f() { float v EXT = 1; }",
        "struct S { float v EXT; };", "float EXT f();", "void f(float EXT);", "void f(int, float EXT);",
        "void f(float v EXT);", "void f(const EXT float v);", "int x = (T y EXT);"})
    EXPECT_EQ(view(text), withUnread(text)) << text;
  EXPECT_THAT(messagesOf("kernel void k() { float v __attribute__((ext_vector_type(4))) = 1; }\n"),
              HasSubstr("k.metal:3:42: error: ext_vector_type cannot be read here"));
}

TEST(VectorAttributes, NotAloneIsAnErrorThere) {
  for (const char *text : {"int x = sizeof(float __attribute__((ext_vector_type(4), aligned(16))));",
                           "int x = sizeof(float __attribute__((ext_vector_type())));"})
    EXPECT_THAT(messagesOf(std::string(text) + "\n"), HasSubstr("error: ")) << text;
}

TEST(VectorAttributes, AtTheEndsOfAText) {
  for (const char *text : {"EXT", "EXT float", "x EXT", "(EXT)", "(float EXT", "<T EXT", "float v EXT("})
    EXPECT_THAT(view(text), HasSubstr("ext_vector_type")) << text;
}

} // namespace
} // namespace assay::frontend
