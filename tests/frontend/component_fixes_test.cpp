// Components that Clang refuses of a class: what they compute is in tests/language/vectors.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(ComponentFixes, AMistakeBesideThemIsAllThatIsShown) {
  const std::string text =
      messagesOf("kernel void k(device float4 *p) { p->zw.x = 3; p->s01 = qwzx; p->xyz.y++; }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:3:57: error: use of undeclared identifier 'qwzx'"));
  EXPECT_THAT(text, Not(HasSubstr("not assignable")));
  EXPECT_THAT(text, Not(HasSubstr("no member")));
}

TEST(ComponentFixes, AComponentOfAResultIsShownAtItsPlace) {
  const std::string text =
      messagesOf("float4 f() { return 1; }\nstruct S { float2 lo; };\nS g() { return {}; }\n"
                 "kernel void k(device float4 *p) { f().x = 3; }\n"
                 "kernel void l(device float4 *p) { g().lo.x = 3; }\n"
                 "kernel void m(device float4 *p) { f().xy.x = 3; }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:6:41: error: expression is not assignable"));
}

TEST(ComponentFixes, AMemberOfAResultIsRefusedAfterTheRepair) {
  const std::string text = messagesOf("struct S { float2 lo; };\nS g() { return {}; }\n"
                                      "kernel void l(device float4 *p) { g().lo.x = 3; }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:5:"));
  EXPECT_THAT(text, HasSubstr("error: expression is not assignable"));
  EXPECT_THAT(text, Not(HasSubstr("__itself")));
}

TEST(ComponentFixes, AMemberOfAnotherClassIsNotAssignableEither) {
  for (const char *left : {"(g()).x", "(g().p).x", "g().lo.x"}) {
    const std::string text =
        messagesOf("struct R { float x; };\n"
                   "struct S { float x; packed_float2 p; R lo; };\nS g() { return {}; }\n"
                   "kernel void l(device float4 *p) {\n" +
                   std::string(left) + " = 3; }\n");
    EXPECT_THAT(text, HasSubstr("k.metal:7:")) << left;
    EXPECT_THAT(text, HasSubstr("error: expression is not assignable")) << left;
    EXPECT_THAT(text, Not(HasSubstr("__itself"))) << left;
  }
}

TEST(ComponentFixes, NumbersAreThoseOfAVector) {
  EXPECT_EQ(messagesOf("struct S { float s0; float4 v; };\n"
                       "kernel void k(device S *p) { p->s0 = p->v.s3 + p->v./**/S01.y; }\n"),
            "");
  const std::string text =
      messagesOf("struct S { float4 v; };\nkernel void k(device S *p) { p->s0 = p->v.s4; "
                 "p->v.s01234 = 1; }\n");
  EXPECT_THAT(text, HasSubstr("k.metal:4:33: error: no member named 's0'"));
  EXPECT_THAT(text, HasSubstr("k.metal:4:43: error: no member named 's4'"));
  EXPECT_THAT(text, HasSubstr("error: no member named 's01234'"));
}

TEST(ComponentFixes, MistakesOfCallsAreThoseOfSwizzles) {
  const std::string vector = "typedef int Eight __attribute__((ext_vector_type(8)));\n";
  EXPECT_THAT(messagesOf("kernel void k(device float4 *p) { p->xyzwxyzw = 1; }\n"),
              HasSubstr("k.metal:3:47: error: expression is not assignable"));
  EXPECT_THAT(messagesOf(vector + "kernel void k(device Eight *p) { p->s77 = 1; }\n"),
              HasSubstr("k.metal:4:41: error: expression is not assignable"));
  for (const char *left : {"p[0].lo.lo", "(p[0] + 1).hi", "q->hi"}) {
    const std::string text =
        messagesOf(vector + "kernel void k(device Eight *p, constant Eight *q) {\n" + left + " = 1; }\n");
    EXPECT_THAT(text, HasSubstr("k.metal:5:")) << left;
    EXPECT_THAT(text, HasSubstr("expression is not assignable")) << left;
    EXPECT_THAT(text, Not(HasSubstr("__part"))) << left;
  }
}

TEST(ComponentFixes, OfAVolatileVector) {
  const std::string kernel = "kernel void k(volatile device float4 *p, const volatile device float4 *q) { ";
  EXPECT_EQ(messagesOf(kernel + "p->xy = q->zw; ((p[0]).lo) += 1; --p->wz; p->xyzwxyzw; }\n"), "");
  EXPECT_EQ(messagesOf("#define FIRST(v) (v).xy\n" + kernel + "FIRST(*p) = FIRST(*q) + FIRST(*p); }\n"), "");
  EXPECT_THAT(messagesOf(kernel + "\nq->xy = 1; }\n"), HasSubstr("k.metal:4:"));
  EXPECT_THAT(messagesOf(kernel + "\np->xx = 1; }\n"), HasSubstr("k.metal:4:"));
  EXPECT_EQ(messagesOf(kernel + "p->s01 = q->s32; p->s10 *= 2; p->zx.x = 1; p[1].wzy.rg += q->s32.x; }\n"),
            "");
  EXPECT_THAT(messagesOf(kernel + "\np->xx.x = 1; }\n"), HasSubstr("k.metal:4:"));
  EXPECT_THAT(messagesOf(kernel + "\np->xyz.w = 1; }\n"), HasSubstr("k.metal:4:"));
  EXPECT_THAT(messagesOf("float2 f(volatile device float2 *p) {\n  return p->xz; }\n"),
              HasSubstr("k.metal:4:13: error: no member named 'xz' in 'float2'"));
}

TEST(ComponentFixes, InATemplateThatIsInstantiatedTwice) {
  EXPECT_EQ(messagesOf("template <typename T> void f(device T &v) { v.hi.y = 1; v.s3 = 2; v.s10.y++; }\n"
                       "kernel void k(device float4 &a, device half4 &b) { f(a); f(b); }\n"),
            "");
}

} // namespace
