// Functions that differ only in `thread` and no space. Which of them a call reaches:
// tests/host/generic_pointers_test.cpp.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(GenericPairs, AreTwoFunctions) {
  EXPECT_EQ(messages41("void f(thread int *p) { *p = 1; }\nvoid f(int *p) { *p = 2; }\n"
                       "inline int g(const int &a, vec<int, 2> b) { return a + b.x; }\n"
                       "inline int g(const thread int &a, vec<int, 2> b) { return a - b.y; }\n"
                       "template <typename T> int h(T *p) { f(p); return g(*p, int2(1)); }\n"
                       "kernel void k(device int *o, threadgroup int *t [[threadgroup(0)]]) {\n"
                       "  int x[2] = {}, *p = o;\n  f(x); f(o); f(t); f(p); f(&x[1]);\n"
                       "  o[0] = g(x[0], 2) + g(*o, 2) + g(p[1], 2) + g(3, 2) + h(x) + h(o) + h(t);\n}\n"),
            "");
}

TEST(GenericPairs, MemberFunctionsToo) {
  EXPECT_EQ(messages41("struct S {\n  int v;\n  thread int &at() thread { return v; }\n"
                       "  device int &at() device { return v; }\n  int &at() { return v; }\n"
                       "  void set(thread int &p) thread;\n  void set(int &p) { v = p; }\n};\n"
                       "void S::set(thread int &p) thread { v = -p; }\n"
                       "kernel void k(device S *d, threadgroup S *t [[threadgroup(0)]]) {\n"
                       "  S s = {1}, *p = &s;\n  int x = s.at();\n  s.at() = d->at() = t->at() = p->at();\n"
                       "  s.set(x); d->set(t->v); t->set(d->v); p->set(x);\n}\n"),
            "");
  EXPECT_THAT(
      messages41("struct S { int v; int get() const thread { return v; } int get() const { return v; } };\n"
                 "int f(constant S *p) {\n  return p->get(); }\n"),
      HasSubstr("k.metal:5:10: error: 'get' is declared for an object in device, threadgroup or thread "
                "memory, and this one is in constant memory"));
}

// Clang knows one of them alone for a const function and an object that is not const.
TEST(GenericPairs, MemberFunctionsWithOtherResultsAreNotToldApart) {
  EXPECT_THAT(
      messages41("struct S {\n  char get() const thread { return 1; }\n  int get() const { return 2; }\n"
                 "  int get() const device { return 3; }\n};\n"
                 "int f(S s) {\n  return s.get(); }\n"),
      HasSubstr("k.metal:9:12: error: call to member function 'get' is ambiguous"));
}

TEST(GenericPairs, OtherRedefinitionsAreRefused) {
  const char *redefinition = "error: redefinition of 'f'";
  EXPECT_THAT(messages41("void f(thread int *p) {}\nvoid f(thread int *q) {}\n"), HasSubstr(redefinition));
  EXPECT_THAT(messages41("void f(int *p) {}\nvoid f(int *q) {}\n"), HasSubstr(redefinition));
  // A third one is one of the two.
  EXPECT_THAT(messages41("void f(int *p) {}\nvoid f(thread int *p) {}\nvoid f(int *p) {}\n"),
              HasSubstr(redefinition));
  EXPECT_THAT(messagesOf("void f(thread int *p) {}\nvoid f(int *p) {}\n", LanguageVersion::Metal4_0),
              HasSubstr(redefinition));
}

TEST(GenericPairs, ThreadMemoryAloneStaysThreadMemory) {
  // The second parameter is for thread memory in both.
  EXPECT_THAT(messages41("void f(thread int *p, thread int *q) {}\nvoid f(int *p, thread int *q) {}\n"
                         "void g(device int *o) {\n  int x;\n  f(o, &x);\n  f(&x, o); }\n"),
              HasSubstr("k.metal:8:9: error: device memory cannot be used as thread memory"));
}

} // namespace
