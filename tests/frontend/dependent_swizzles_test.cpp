// In a template after an operator of the user's, a swizzle is an operand like any other. What it computes:
// tests/language/cpp.rows.
#include "frontend/dependent_swizzles.h"
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messagesWithC(const std::string &text) {
  return messagesOf("struct C { float a; };\n" + text);
}

// A kernel that instantiates `text` for vectors of `type`, after operators of a class that it does not use.
std::string instantiated(const std::string &text, const std::string &type) {
  std::string source;
  for (const char *op : {"+", "-", "*", "&", "<<", "==", "<"})
    source += "C operator" + std::string(op) + "(C x, C) { return x; }\n";
  for (const char *op : {"+=", "*="})
    source += "C operator" + std::string(op) + "(thread C &x, C) { return x; }\n";
  for (const char *op : {"-", "~", "!"})
    source += "C operator" + std::string(op) + "(C x) { return x; }\n";
  source += "C operator++(thread C &x) { return x; }\nC operator++(thread C &x, int) { return x; }\n";
  return source +
         "template <typename T> void f(vec<T, 4> a, vec<T, 4> b) {\n"
         "  thread vec<T, 4> *p = &a; (void)p; (void)b; " +
         text + "; }\nkernel void k(constant " + type + " &v) { f<" + type + ">(v, v); }\n";
}

class Operator : public testing::TestWithParam<const char *> {};

TEST_P(Operator, TakesSwizzlesInATemplate) {
  EXPECT_EQ(messagesWithC(instantiated(GetParam(), "int")), "");
}

INSTANTIATE_TEST_SUITE_P(DependentSwizzles, Operator,
                         testing::Values("(void)(a.xy + b.zw)", "(void)-a.xy", "(void)(a.xy * T(2))",
                                         "(void)(T(2) * a.rgb)", "(void)(a.xy == b.xy)", "a.xy *= b.xy",
                                         "a.xy += T(1)", "a.xy = b.zw", "++a.xy", "a.xy++",
                                         "(void)((a.xy) + (b.xy))", "(void)(a.xyz.xy + b.xy)",
                                         "(void)(p->xy - p->zw)", "(void)(-a.xy * b.xy + a.zw)",
                                         "(void)(a.xy & b.xy)", "(void)~a.xy", "(void)(a.xy << b.xy)",
                                         "(void)!all(a.xy < b.xy)"));

TEST(DependentSwizzles, InMembersAndConstructors) {
  EXPECT_EQ(
      messagesWithC("C operator+(C x, C) { return x; }\n"
                    "template <typename T> struct S { vec<T, 2> s; S(vec<T, 4> v) : s(v.xy + v.zw) {}\n"
                    "  vec<T, 2> more(vec<T, 4> v) { return v.wz + v.xy; } };\n"
                    "kernel void k(device float2 *o) { S<float> s(float4(1)); *o = s.more(float4(2)); }\n"),
      "");
}

TEST(DependentSwizzles, WhereATemplateIsInstantiatedEarly) {
  EXPECT_EQ(
      messagesWithC(
          "C operator+(C x, C) { return x; }\n"
          "namespace n {\n"
          "template <typename T> struct S { template <typename U> auto f(U v) { return v.xy + v.zw; } };\n"
          "template <typename T> auto f(T v) { return v.xy + v.zw; }\n"
          "inline float g() { return f(float4(1)).x + S<int>().f(float4(1)).x; }\n"
          "inline float h() { auto sum = [](auto v) { return v.xy + v.yx; }; return sum(float2(1)).x; }\n"
          "}\nkernel void k(device float *o) { *o = n::g() + n::h(); }\n"),
      "");
}

TEST(DependentSwizzles, TheUsersOwnOperatorWithAVectorIsStillFound) {
  EXPECT_EQ(messagesWithC("float operator^(C a, float2 b) { return dot(b, b); }\n"
                          "template <typename T> T f(vec<T, 4> v) { return C() ^ v.zw; }\n"
                          "kernel void k(device float *o) { *o = f(float4(1)); }\n"),
            "");
}

TEST(DependentSwizzles, WhatMetalLacksIsStillRefused) {
  EXPECT_THAT(messagesWithC("C operator&(C x, C) { return x; }\n"
                            "template <typename T> void f(vec<T, 4> v) { (void)(v.xy & v.zw); }\n"
                            "kernel void k() { f(float4(1)); }\n"),
              HasSubstr("k.metal:5:57: error: "));
}

} // namespace
