// Member functions without an address space beside others of their name, in Metal 4.1: which objects they are
// for. Which function each object calls: tests/host/generic_pointers_test.cpp.
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers": `this` of a
// member function without an annotation is generic
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kMembers =
    "struct S {\n  int v;\n  int get() const { return v; }\n  int get() const constant { return 2 * v; }\n"
    "  int get() const device { return 3 * v; }\n  int twice() const { return 2 * get(); }\n"
    "  S &operator+=(int n);\n  S &operator+=(int n) device { v += n; return *(S *)this; }\n};\n"
    "S &S::operator+=(int n) { v += 2 * n; return *this; }\n"
    "template <typename T> int of(T *p) { return p->get(); }\n"
    "struct Range {\n  int v[3];\n  int *begin() { return v; }\n  int *begin() device { return (int *)v; }\n"
    "  int *end() { return v + 3; }\n};\n";

TEST(ThreadTwins, TheFunctionServesObjectsThatNoOtherIsFor) {
  EXPECT_EQ(
      messages41(std::string(kMembers) +
                 "kernel void k(device S *d, constant S *c, threadgroup S *t [[threadgroup(0)]]) {\n"
                 "  S s = {1};\n  S *p = d;\n  Range r;\n  s += 2; *d += 2; *t += 2; *p += 2;\n"
                 "  for (int &x : r) x = 1;\n"
                 "  d->v = s.get() + d->get() + c->get() + t->get() + p->get() + p->twice() + of(&s) +\n"
                 "         of(d) + of(t);\n}\n"),
      "");
}

TEST(ThreadTwins, OlderVersionsHaveNone) {
  EXPECT_THAT(messagesOf("struct S { int get() const { return 1; } int get() const device { return 2; } };\n"
                         "int f(threadgroup S *p) {\n  return p->get(); }\n",
                         LanguageVersion::Metal4_0),
              HasSubstr("k.metal:5:13: error: no matching member function for call to 'get'"));
}

TEST(ThreadTwins, WhatIsRefused) {
  // Not constant memory, as for a function without others of its name.
  EXPECT_THAT(
      messages41("struct L { int n; int get() const { return n; } int get() const device { return 2; } };\n"
                 "kernel void k(constant L *l, device int *o) {\n  o[0] = l->get();\n}\n"),
      HasSubstr("k.metal:5:10: error: 'get' is declared for an object in device, threadgroup or thread "
                "memory, and this one is in constant memory"));
  // Its object is generic.
  EXPECT_THAT(messages41("struct L {\n  int n;\n  thread int &at() {\n    return n; }\n"
                         "  device int &at() device { return n; }\n};\n"),
              HasSubstr("k.metal:6:12: error: a pointer or reference without an address space"));
  // The rules of the language hold in calls of such a function.
  EXPECT_THAT(
      messages41("struct L {\n  void put(thread int &p) { p = 1; }\n  void put(thread int &p) device {}\n"
                 "};\nvoid f(device int *p) {\n  L l;\n  l.put(*p); }\n"),
      HasSubstr("k.metal:9:9: error: device memory cannot be used as thread memory"));
  EXPECT_THAT(messages41("struct L {\n  int get() { return 1; }\n  int get() device { return 2; }\n};\n"
                         "int f(L l) {\n  return l.get(1); }\n"),
              HasSubstr("k.metal:8:12: error: no matching member function for call to 'get'"));
}

} // namespace
