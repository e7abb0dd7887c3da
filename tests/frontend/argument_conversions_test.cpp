// Arguments that a conversion of the language and one of a class make fit. What they compute is in
// tests/language/functions.rows; here are the messages.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kClasses =
    "struct S { float4 v; S(float4 x) : v(x) {} };\nstruct K { float s; operator float() const { return s; } "
    "};\n"
    "static float f(S s, float b) { return s.v.x * b; }\nstatic float g(float4 v) { return v.x; }\n";

TEST(ArgumentConversions, OfFunctionsMethodsAndTemplates) {
  EXPECT_EQ(
      messagesOf(
          std::string(kClasses) +
          "struct M { float m(S s) { return s.v.x; } };\n"
          "template <class T> static float t(T x) { return f(x, 1) + M().m(x); }\n"
          "static float u(K k, half h) { return f(1.0f, 2) + f(h, k) + g(k) + t(h) + t(float4(1)); }\n"),
      "");
}

TEST(ArgumentConversions, WhatNoFunctionTakesKeepsItsFirstError) {
  const std::string text =
      messagesOf(std::string(kClasses) + "static float u(float2 v) { return f(v, 1) + f(1.0f, v); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:7:35: error: no matching function for call to 'f'"));
  EXPECT_THAT(text, HasSubstr("no known conversion from 'float2' to 'S' for 1st argument"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

} // namespace
