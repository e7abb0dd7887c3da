// Headers that are written here, before stock Clang compiles them.
#include "header_edits.h"

#include "builtin_stubs.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HeaderEdits, WhatIsForObjectsElsewhereIsLeftOut) {
  const std::string text =
      editedHeaders("struct box {\n"
                    "public:\n"
                    "  box(const device box &) thread = default;\n"
                    "  inline int here(const device int *p) const thread { return *p; }\n"
                    "  inline int there() const device __attribute__((pure)) { return 1; }\n"
                    "  template <typename T> constexpr int gone(ray_data T *t) { return t ? 1 : 2; }\n"
                    "  thread box &operator=(const device box &) thread = default;\n"
                    "  thread box &operator=(const thread box &) thread = default;\n"
                    "  int field = 1;\n"
                    "};\n"
                    "template <> struct other<device coherent(device) int> { int dropped; };\n"
                    "void after();\n");
  EXPECT_THAT(text, HasSubstr("box(const device box &) thread ;"));
  EXPECT_THAT(text, HasSubstr("inline int here(const device int *p) const thread ;"));
  EXPECT_THAT(text, HasSubstr("operator=(const device box &) thread ;"));
  EXPECT_THAT(text, HasSubstr("operator=(const thread box &) thread = default;"));
  EXPECT_THAT(text, HasSubstr("int field = 1;"));
  EXPECT_THAT(text, HasSubstr("void after();"));
  for (const char *word : {"there", "gone", "coherent", "dropped"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
}

TEST(HeaderEdits, TheMembersOfObjectsInOneMemoryStay) {
  const std::string headers = "struct box {\n"
                              "  __attribute__((pure)) explicit constexpr box(int a) : field(a) { }\n"
                              "  int here() const { return field; }\n"
                              "  int there() const device { return field; }\n"
                              "  static constexpr int none() { return 1; }\n"
                              "  friend bool operator==(box a, box b) { return a.here() == b.here(); }\n"
                              "  device box &operator=(const device box &) device = default;\n"
                              "  operator int() const thread { return 1; }\n"
                              "  int field = 1;\n"
                              "};\n"
                              "int beside(box a);\n";
  const std::string text = editedHeaders(headers, "device");
  for (const char *kept : {"constexpr box(int a) ;", "int there() const  ;", "int none() { return 1; }",
                           "operator==(box a, box b) ;", "operator=(const device box &)  ;", "int field = 1;",
                           "int beside(box a);"})
    EXPECT_THAT(text, HasSubstr(kept));
  for (const char *gone : {"here() const {", "operator int"})
    EXPECT_THAT(text, Not(HasSubstr(gone)));
  EXPECT_THAT(editedHeaders(headers, "constant"), Not(HasSubstr("there")));
}

TEST(HeaderEdits, BodiesOnWhichADeclarationDependsStay) {
  const std::string text =
      editedHeaders("#pragma METAL internals : enable\n"
                    "namespace metal {\n"
                    "struct box {\n"
                    "  box(int a) : first{a}, second(a) { use(a); }\n"
                    "  constexpr box(float a) : first(a), second{2} { }\n"
                    "  int first, second;\n"
                    "};\n"
                    "enum order { one = (1), two };\n"
                    "constexpr int known(int a) { return a + 1; }\n"
                    "inline auto deduced(int a) { return a + 2; }\n"
                    "template <typename... T> void all(T... a) { (use(int(a)), ...); }\n"
                    "template <typename T> void checked(T) { static_assert(sizeof(T) > 3, \"\"); }\n"
                    "inline int plain(int a = (3)) { if (a) { return a; } return 4; }\n"
                    "}\n");
  for (const char *kept :
       {"box(int a) ;", "constexpr box(float a) : first(a), second{2} { }", "{ return a + 1; }",
        "{ return a + 2; }", "sizeof(T) > 3", "use(int(a))", "inline int plain(int a = (3)) ;"})
    EXPECT_THAT(text, HasSubstr(kept));
  EXPECT_THAT(text, Not(HasSubstr("use(a)")));
}

TEST(HeaderEdits, LiteralsAndVectorsOfMetalBecomeThoseOfClang) {
  EXPECT_EQ(editedHeaders("half a = 0x1.8p-3h; bfloat b = 1.5bf; int c = 0x1bf, d = 2; float e = 1.0f;"),
            "half a = half(0x1.8p-3); bfloat b = bfloat(1.5); int c = 0x1bf, d = 2; float e = 1.0f;");
  EXPECT_EQ(editedHeaders("void f(ulong2 a = ulong2(0, g(1)), float2 b = float2(0));"),
            "void f(ulong2 a = ulong2{0, g(1)}, float2 b = float2(0));");
  EXPECT_EQ(editedHeaders("typedef __attribute__((__packed_vector_type__(3))) unsigned char packed_uchar3;"),
            "typedef __packed<unsigned char, 3> packed_uchar3;");
  EXPECT_EQ(editedHeaders("struct s<T __attribute__((packed_vector_type(N)))>;"),
            "struct s<__packed<T, N>>;");
}

TEST(HeaderEdits, BracketsThatDoNotMatchAreAnError) {
  EXPECT_THROW(editedHeaders("void f(int a;"), std::runtime_error);
  EXPECT_THROW(editedHeaders("namespace metal { int a;"), std::runtime_error);
  EXPECT_THROW(editedHeaders("int a; }"), std::runtime_error);
}

TEST(BuiltinStubs, AreFoundByTheirUse) {
  const std::string text =
      builtinStubs("__metal_texture_t t; int i = __metal_abs(__METAL_ONE__, __HALF_DIG__);"
                   "bool b = __is_metal_thing(T); half h = __builtin_infh();");
  for (const char *stub :
       {"struct __metal_texture_t {", "__any __metal_abs(A...);", "#define __METAL_ONE__ 0\n",
        "#define __HALF_DIG__ 1\n", "#define __is_metal_thing(...)", "constexpr float __builtin_infh(A...)"})
    EXPECT_THAT(text, HasSubstr(stub));
}

} // namespace
} // namespace assay::apple_headers
