// Calls of functions of which one is for thread memory. What is called is in tests/language/
// address_spaces.rows; here are the messages.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kPair = "static int f(device const int *p) { return *p; }\n"
                              "static int f(thread int *p) { return -*p; }\n";

TEST(MemoryOverloads, InMacrosAndTemplatesAndAsArgumentsOfOneAnother) {
  const std::string text = std::string(kPair) +
                           "#define TWICE(x) (f(x) + f(x))\n"
                           "template <class T> static int g(T x) { return f(x); }\n"
                           "static int h(device int *p, int n) {\n"
                           "  int x = f(p + f(p));\n  return TWICE(p) + g(p) + f(&x);\n}\n";
  EXPECT_EQ(messagesOf(text), "");
  EXPECT_EQ(messages41(text), "");
}

TEST(MemoryOverloads, WhatNoFunctionTakesKeepsItsFirstError) {
  std::string text = messagesOf(std::string(kPair) + "static int g(threadgroup int *p) { return f(p); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:5:"));
  EXPECT_THAT(text, HasSubstr("threadgroup memory cannot be used as thread memory"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
  text = messagesOf("static int one(thread int *p) { return *p; }\n"
                    "static int g(device int *p) { return one(p); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:4:42: error: device memory cannot be used as thread memory"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

TEST(MemoryOverloads, AChoiceAmongTypesStaysAmbiguous) {
  const std::string text = messagesOf("static int f(device int *p, float x) { return 1; }\n"
                                      "static int f(device int *p, half x) { return 2; }\n"
                                      "static int f(thread int *p, float x) { return 3; }\n"
                                      "static int g(device int *p) { return f(p, 1); }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:6:38: error: call to 'f' is ambiguous"));
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

} // namespace
