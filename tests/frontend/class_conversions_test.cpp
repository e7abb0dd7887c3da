// Which conversions of a program's classes count. Values are in tests/language/.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

// What is said of an expression of an object `w` of a class with these members.
std::string saidOf(const std::string &members, const std::string &expression) {
  return messagesOf("struct W { float4 v; " + members + " };\nstatic float4 g(float4 v) { return v; }\n" +
                    "static void f(W w) { (void)(" + expression + "); }\n");
}

TEST(ClassConversions, AClassThatBecomesAVectorAndNothingElseIsAnOperand) {
  const std::string vector = "operator float4() const { return v; } ";
  EXPECT_EQ(saidOf(vector, "w + w"), "");
  EXPECT_THAT(saidOf("explicit " + vector, "w + w"), HasSubstr("invalid operands to binary expression"));
  EXPECT_THAT(saidOf(vector + "operator half4() const { return half4(v); }", "w + w"),
              HasSubstr("invalid operands to binary expression"));
  EXPECT_THAT(saidOf("operator packed_float4() const { return v; }", "w + w"),
              HasSubstr("invalid operands to binary expression"));
}

TEST(ClassConversions, AClassThatBecomesANumberIsAVectorAsAnArgument) {
  const std::string number = "operator float() const { return v.x; } ";
  EXPECT_EQ(saidOf(number, "g(w)"), "");
  EXPECT_THAT(saidOf("explicit " + number, "g(w)"), HasSubstr("no matching function for call to 'g'"));
}

TEST(ClassConversions, AConstructorThatIsExplicitMakesNothing) {
  EXPECT_EQ(messagesOf("struct S { S(float4 v) {} };\nstatic void g(S s) {}\nstatic void f() { g(1.0f); }\n"),
            "");
  EXPECT_THAT(messagesOf("struct S { explicit S(float4 v) {} };\nstatic void g(S s) {}\n"
                         "static void f() { g(1.0f); }\n"),
              HasSubstr("k.metal:5:19: error: no matching function for call to 'g'"));
}

} // namespace
