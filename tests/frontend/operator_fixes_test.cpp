// Templates of operators beside vectors and numbers. Which of the two is called: language/operators.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kUses =
    "struct S { int v; S(int x) : v(x) {} };\n"
    "kernel void k(device float4 *o, constant float4 &c, device int *q) {\n"
    "  o[0] = o[1] + 2; o[1] = 2 + c; o[2].xy = c.xy + q[0]; half2 h = half2(1) + 1.0h;\n"
    "  packed_float3 p = c.xyz; float3 v = p + o[3].xyz; p = p + p; o[3].xyz = v + p;\n"
    "  q[1] = (S(1) + 2).v + h.x; }\n";

TEST(OperatorFixes, TheTemplateIsForClassesAlone) {
  for (const char *declared :
       {"template <class A, class B> A operator+(A a, B b) { return A(7); }\n",
        "template <class A, class B> A operator+(thread const A &a, thread const B &b) noexcept { return "
        "A(7); }\n",
        "template <class A, class B> auto operator+(A a, B b) -> A { return A(7); }\n",
        "template <class A, class B> auto operator+(A a, B b) -> decltype(A(a)) { return A(a.v + b); }\n",
        "template <class A, class B> A operator+(A a, B b);\n"
        "template <class A, class B> A operator+(A a, B b) { return A(a.v + b); }\n"})
    EXPECT_EQ(messagesOf(std::string(declared) + kUses), "") << declared;
}

TEST(OperatorFixes, AParameterWithoutANameIsAnError) {
  EXPECT_THAT(
      messagesOf("template <class A, class B> A operator+(A, B) { return A(7); }\n" + std::string(kUses)),
      HasSubstr("an overloaded operator needs a parameter of a class or an enumeration"));
}

TEST(OperatorFixes, AnOperatorForVectorsAloneIsAnError) {
  EXPECT_THAT(messagesOf("float4 operator+(float4 a, int b) { return a; }\n"),
              HasSubstr("k.metal:3:8: error: an overloaded operator needs a parameter of a class"));
}

} // namespace
