// Conversions that are refused, and the operands that are left alone.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(ConversionRules, NothingBecomesABfloatByItself) {
  EXPECT_EQ(
      messagesOf("void f(device bfloat *p, float x) {\n  p[0] = x;\n}\n"),
      "k.metal:4:10: error: a value of another type does not become a bfloat by itself: write bfloat(..)\n"
      "    p[0] = x;\n"
      "           ^\n");
  EXPECT_THAT(messagesOf("template <class T> T f(float x) { return x; }\nvoid g() {\n  f<bfloat>(1);\n}\n"),
              HasSubstr("k.metal:3:42: error"));
}

TEST(ConversionRules, OperandsAndArgumentsOfTheLibraryAreLeftAlone) {
  EXPECT_EQ(
      messagesOf("float f(bfloat b, float x) { b += x; bfloat2 v(b, x); v *= x; return exp(b) + x * b; }\n"
                 "kernel void k(device bfloat4 *p) { p[0] = bfloat4(1.5f); p[1] = p[0] * 0.5f; }\n"),
      "");
}

} // namespace
