// What the braces of a vector say about a value that does not fit; which values do is in the tables of
// tests/language.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(Narrowing, TheMessageNamesTheTypesOrTheConstant) {
  EXPECT_EQ(messagesOf("void f(int n) {\n  float2 v = {1, n};\n}\n"),
            "k.metal:4:18: error: the braces of a vector do not convert 'int' to 'float': write float(..)\n"
            "    float2 v = {1, n};\n"
            "                   ^\n");
  EXPECT_THAT(messagesOf("constant uint2 v = {-1, 1};\n"),
              HasSubstr("the braces of a vector do not convert -1 to 'uint': write uint(..)"));
  EXPECT_THAT(messagesOf("template <class T> vec<T, 2> f(float x) { return {T(1), x}; }\n"
                         "void g() {\n  f<half>(1);\n}\n"),
              HasSubstr("k.metal:3:57: error: the braces of a vector do not convert 'float' to 'half'"));
}

TEST(Narrowing, WhatFitsIsConverted) {
  EXPECT_EQ(
      messagesOf("struct Bits { int low : 4; };\n"
                 "void f(short s, half h, uchar c, bool b, Bits bits) {\n"
                 "  int2 i = {s, c}; float3 x = {h, 1, 2.5}; half2 y = {1.1f, -0x1p-30f}; uint2 u = {c, 7};\n"
                 "  ulong2 l = {1u, b}; bool2 t = {1, 0}; short2 w = {bits.low, 1}; packed_int2 p = {1, 2};\n"
                 "  float2 a[2] = {{1, 2}, {h, h}};\n"
                 "}\n"),
      "");
}

} // namespace
