// Conversions that the rules leave alone, and the same ones where a rule finds them.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(ConversionVisitor, LeavesOperandsOfTheLibraryAlone) {
  EXPECT_EQ(
      messagesOf("struct S { float4 v; };\n"
                 "void f(device S *p, constant float4 &c, float x, bfloat b) {\n"
                 "  S s = p[0]; s = p[1]; s.v = fma(p[0].v, c, (c)); bfloat2 v(x, b); v *= x; s.v += c; }\n"),
      "");
}

TEST(ConversionVisitor, SeesOperandsOfTheProgramsFunctions) {
  EXPECT_THAT(messagesOf("float g(bfloat b) { return b; }\nfloat f(float x) {\n  return g(x); }\n"),
              HasSubstr("k.metal:5:12: error: a value of another type"));
  EXPECT_THAT(messagesOf("struct S { float4 v; S(thread const float4 &w) : v(w) {} };\n"
                         "void f(device float4 *p) {\n  S s(p[0]); (void)s; }\n"),
              HasSubstr("k.metal:5:7: error: device memory cannot be used as thread memory"));
}

TEST(ConversionVisitor, SeesTheValuesOfLists) {
  const std::string text =
      "struct P { thread int *p; };\nstruct Q { P p; int n; };\n"
      "void f(device int *d) {\n  int x = 1; P a = {&x}; Q b = {&x, 1}; (void)a; (void)b;\n";
  EXPECT_EQ(messagesOf(text + "}\n"), "");
  for (const char *list : {"P p = {d};", "P p{d};", "Q p = {{d}, 1};", "Q p = {d, 1};", "P p[2] = {{&x}, d};",
                           "P p = {.p = d};", "auto p = P{d};", "thread int *p[] = {d};"})
    EXPECT_THAT(messagesOf(text + "  " + list + " (void)p; }\n"),
                HasSubstr("error: device memory cannot be used as thread memory"))
        << list;
}

} // namespace
