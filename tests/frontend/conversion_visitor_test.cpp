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

} // namespace
