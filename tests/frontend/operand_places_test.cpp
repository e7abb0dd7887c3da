// Where a fix puts a helper around an operand. Each text compiles only if both operands of `c ? a : b` get
// one at their places, since they are in different memories.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string ofConditional(const std::string &macros, const std::string &value) {
  return messagesOf(macros + "constant float4 one = float4(1);\n" +
                    "constant int setting [[function_constant(0)]];\n"
                    "kernel void k(device float4 *p, constant float4 *q, device int *o) {\n"
                    "  p[1] = " +
                    value + ";\n}\n");
}

TEST(OperandPlaces, WithoutMacros) {
  EXPECT_EQ(ofConditional("", "*o > 0 ? p[0] : q[0]"), "");
}

TEST(OperandPlaces, InTheArgumentsOfAMacro) {
  EXPECT_EQ(ofConditional("#define PICK(c, a, b) ((c) ? (a) : (b))\n", "PICK(*o > 0, p[0], q[0])"), "");
  EXPECT_EQ(ofConditional("#define PICK(c, a, b) ((c) ? (a) : (b))\n#define BOTH(a, b) PICK(*o > 0, a, b)\n",
                          "BOTH(p[0], PICK(*o > 1, q[1], p[2]))"),
            "");
}

TEST(OperandPlaces, InTheBodyOfAMacro) {
  EXPECT_EQ(ofConditional("#define PICK(c, a) ((c) ? a[0] : one)\n", "PICK(*o > 0, p)"), "");
  EXPECT_EQ(ofConditional("#define FIRST p[0]\n#define PICK(c) ((c) ? FIRST : one)\n", "PICK(*o > 0)"), "");
}

TEST(OperandPlaces, AParameterThatTheBodyUsesAgain) {
  EXPECT_EQ(ofConditional("#define OR(c, x) (is_function_constant_defined(c) ? x : one)\n"
                          "#define GIVEN(x, d) (sizeof(x) > 0 && *o > 0 ? x : d)\n",
                          "OR(setting, p[0]) + GIVEN(p[0], one)"),
            "");
}

TEST(OperandPlaces, TextThatNoPlaceHoldsKeepsItsError) {
  const std::string text =
      ofConditional("#define PICK(a, b) (*o > 0 ? a##b[0] : one)\n", "PICK(, p) + PICK(q, )");
  EXPECT_THAT(text, Not(HasSubstr("__assay")));
}

} // namespace
