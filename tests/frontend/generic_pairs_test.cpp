// Functions that differ only in `thread` and no space. Which of them a call reaches:
// tests/host/generic_pointers_test.cpp.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string messages41(const std::string &text) {
  return messagesOf(text, LanguageVersion::Metal4_1);
}

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
