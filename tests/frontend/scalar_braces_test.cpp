// Elements in several pairs of braces. What is accepted, with its values, is in tests/language/vectors.rows;
// here are texts of macros and templates, and the messages for lists that stay refused.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(ScalarBraces, InMacrosAndTemplates) {
  EXPECT_EQ(messagesOf("#define LIST {{{1}}, {2}}\n#define VECTOR(x) float2{{{x}}, {{x}}}\n"
                       "template <typename T> static T made() { T v = {{{3}}, {4}}; return v; }\n"
                       "kernel void k(device float2 *o) {\n  float2 v = LIST;\n"
                       "  o[0] = v + VECTOR(5) + made<float2>();\n}\n"),
            "");
}

TEST(ScalarBraces, WhatIsNoElementStaysRefusedAtItsPlace) {
  const std::string text = messagesOf("static float2 f() { float2 v = {{{1, 2}}, {3}}; return v; }\n"
                                      "static float2 g() { float2 v = {{{1}}, {2}}; return v; }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:3:28: error: no matching constructor"));
  EXPECT_THAT(text, Not(HasSubstr("k.metal:4:")));
  EXPECT_THAT(text, Not(HasSubstr("/*")));
  EXPECT_THAT(messagesOf("static float2 f() {\n  float2 v = {{{1}}, {2}, {3}};\n  return v;\n}\n"),
              HasSubstr("k.metal:4:28: error: a vector of 2 elements has a list of 3"));
  EXPECT_THAT(messagesOf("static int3 f() {\n  return {{8, 9}, {{7}}};\n}\n"),
              HasSubstr("k.metal:4:11: error: braces in those of a vector are one element of it: write the "
                        "elements of 'int3' in one pair of braces"));
}

} // namespace
