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

TEST(ConversionRules, NothingBecomesAUniformByItself) {
  EXPECT_EQ(messagesOf("kernel void f(device int *p) {\n  uniform<int> u = p[0];\n  p[1] = u; }\n"),
            "k.metal:4:20: error: a value that is not uniform does not become a uniform by itself: write "
            "make_uniform(..)\n"
            "    uniform<int> u = p[0];\n"
            "                     ^\n");
  EXPECT_THAT(
      messagesOf("template <class T> T f(int x) { return x; }\nint g(int x) {\n  return f<uniform<int>>(x); "
                 "}\n"),
      HasSubstr("k.metal:3:40: error"));
}

TEST(ConversionRules, WhatIsComputedFromUniformsAndConstantsIsUniform) {
  EXPECT_EQ(
      messagesOf("constant int c [[function_constant(0)]];\n"
                 "template <int n> int f(uniform<int> u, int z) {\n"
                 "  uniform<int> a = n, b = u * 2 + a, d = c * 2 + 1, e = -u, g = u < 2 ? u + 1 : u - 1;\n"
                 "  uniform<bool> h = u == a; uniform<int> i = c + 1, j = u, k[2] = {a, 3};\n"
                 "  uniform<int> l = make_uniform(z); a += 1; a -= u; a++; b = a;\n"
                 "  return b + d + e + g + h + i + j + k[1] + l + a; }\n"
                 "int m(int z) { return f<3>(4, z); }\n"),
      "");
}

TEST(ConversionRules, OperandsAndArgumentsOfTheLibraryAreLeftAlone) {
  EXPECT_EQ(
      messagesOf("float f(bfloat b, float x) { b += x; bfloat2 v(b, x); v *= x; return exp(b) + x * b; }\n"
                 "kernel void k(device bfloat4 *p) { p[0] = bfloat4(1.5f); p[1] = p[0] * 0.5f; }\n"),
      "");
}

} // namespace
