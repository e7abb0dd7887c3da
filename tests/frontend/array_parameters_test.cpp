// Parameters whose type is an alias of an array, in an address space.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kAliases = "typedef uint Digest[4]; using Row = float[3];\n"
                                 "template <class T, int N> struct Mat { typedef T type[N]; };\n";

TEST(ArrayParameters, ArePointersIntoTheirSpace) {
  for (const char *function :
       {"uint f(device Digest d) { static_assert(is_same_v<decltype(d), device uint *>); return d[1]; }",
        "uint f(const device Digest d) { return d[3]; }",
        "uint f(threadgroup const Digest d) { return d[1]; }",
        "float f(constant Row r) { static_assert(is_same_v<decltype(r), const constant float *>); return *r; "
        "}",
        "float f(int i, threadgroup Mat<float, 4>::type m, Row own) { return m[i] + own[1]; }",
        "template <class T> T f(device typename Mat<T, 2>::type m) { return m[1]; }\n"
        "float g(device float *p) { return f<float>(p); }"})
    EXPECT_EQ(messagesOf(std::string(kAliases) + function +
                         "\nkernel void k(device Digest o [[buffer(0)]]) { "
                         "o[0] = 1; }\n"),
              "")
        << function;
}

TEST(ArrayParameters, ThatAreNoArraysAreRefusedAtTheirLine) {
  for (const char *function :
       {"uint f(device uint d) { return d; }", "struct S { int a; };int f(device S s) { "
                                               "return s.a; }"})
    EXPECT_THAT(messagesOf(std::string(kAliases) + function + "\nkernel void k() {}\n"),
                HasSubstr("parameter may not be qualified with an address space"))
        << function;
  EXPECT_THAT(messagesOf(std::string(kAliases) +
                         "uint f(device Digest d, device uint x) { return d[x]; }\nkernel void k() {}\n"),
              HasSubstr("parameter may not be qualified with an address space"));
}

} // namespace
