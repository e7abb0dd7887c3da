// The order of what is done with one source: parsing, then Metal's rules and reflection, then code.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kMutable = "int counter;\n";
constexpr const char *kTwoOfOneIndex =
    "kernel void k(device int *a [[buffer(1)]], device int *b [[buffer(1)]]) "
    "{ a[0] = b[0]; }\n";

TEST(KernelAction, MistakesOfRulesAndOfReflectionAreShownTogether) {
  const std::string messages = messagesOf(std::string(kMutable) + kTwoOfOneIndex);
  EXPECT_THAT(messages, HasSubstr("k.metal:3:5: error: program-scope variable 'counter' must be constant"));
  EXPECT_THAT(messages, HasSubstr("k.metal:4:"));
}

TEST(KernelAction, WhatDoesNotParseIsNotJudged) {
  const std::string messages =
      messagesOf(std::string(kMutable) + "kernel void k(device int *a) { a[0] = lost; }\n");
  EXPECT_THAT(messages, HasSubstr("use of undeclared identifier 'lost'"));
  EXPECT_THAT(messages, Not(HasSubstr("counter")));
}

TEST(KernelAction, AFunctionOfAClassIsGeneratedWhereOnlyATemplateCallsIt) {
  EXPECT_EQ(messagesOf("struct S { int n; int twice() const thread { return n * 2; } };\n"
                       "template <class T> int of(T s) { return s.twice(); }\n"
                       "kernel void k(device int *a) { a[0] = of(S{a[1]}); }\n"),
            "");
}

} // namespace
