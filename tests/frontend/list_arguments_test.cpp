// Lists in braces for functions that differ in an address space. What is called, and what is refused, is in
// tests/language/address_spaces.rows; here are the messages.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(ListArguments, AMacrosOverloadsAreTold) {
  EXPECT_EQ(messagesOf("#define OPS(space, c) static float2 op(space const float2 &a) { c }\n"
                       "OPS(device, return a;)\nOPS(threadgroup, return a;)\nOPS(thread, return -a;)\n"
                       "kernel void k(device float2 *o) { o[0] = op({1, 2}); }\n"),
            "");
}

TEST(ListArguments, WhatNoFunctionTakesKeepsItsFirstError) {
  const std::string text = messagesOf("static int f(device const int2 &v) { return v.x; }\n"
                                      "kernel void k(device int *o) { o[0] = f({1, 2}); }\n");
  EXPECT_THAT(
      text,
      HasSubstr(
          "k.metal:4:41: error: binding reference of type 'const device int2' to a list in braces, whose "
          "value lies in thread memory, changes address space"));
  EXPECT_THAT(text, HasSubstr("k.metal:3:33: note: passing argument to parameter 'v' here"));
  EXPECT_THAT(text, Not(HasSubstr("enable_if")));
}

TEST(ListArguments, AnAmbiguityOfOtherTypesStays) {
  const std::string text = messagesOf("struct A { int x, y; };\nstruct B { int x, y; };\n"
                                      "static int f(thread const A &a) { return a.x; }\n"
                                      "static int f(thread const B &b) { return b.y; }\n"
                                      "static int f(device const A &a) { return a.y; }\n"
                                      "kernel void k(device int *o) { o[0] = f({1, 2}); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:8:39: error: call to 'f' is ambiguous"));
  EXPECT_THAT(text, Not(HasSubstr("enable_if")));
}

} // namespace
