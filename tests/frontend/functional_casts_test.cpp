// Conditions that begin with a functional cast of a pointer that is cast. What they compute is in
// tests/language/functions.rows; here are the messages.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(FunctionalCasts, AConditionInAMacro) {
  EXPECT_EQ(messagesOf("#define SKIP(p) if (uint(*(device const uchar *)p) > 2) return\n"
                       "kernel void k(device uint *o) { SKIP(o); o[0] = 1; }\n"),
            "");
}

TEST(FunctionalCasts, OtherMistakesKeepTheirFirstError) {
  const std::string text = messagesOf("kernel void k(device uint *o) {\n"
                                      "  if (uint(*(device const uchar *)) > 2) return;\n}\n");
  EXPECT_THAT(text, HasSubstr("k.metal:4:"));
  EXPECT_THAT(text, Not(HasSubstr("(void)0")));
}

} // namespace
