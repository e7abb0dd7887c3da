// Where a string literal becomes an array in constant memory, and where it is left alone. What is read from
// one: tests/language/program_scope.rows.
#include "frontend/constant_strings.h"
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

TEST(ConstantStrings, AsArgumentsAlsoByDefault) {
  EXPECT_EQ(
      messagesOf(
          "static int f(const constant char *a, int b) { return a[b]; }\n"
          "static int g(const constant char *a = \"x;y\") { return a[1]; }\n"
          "kernel void k(device int *o) { o[0] = f(\"a;b\" \"c\", 1); o[1] = g(); o[2] = g(\"\\\"\"); }\n"),
      "");
}

TEST(ConstantStrings, AsInitialisers) {
  EXPECT_EQ(
      messagesOf(
          "struct S { const constant char *name; int n; };\n"
          "constant S table[] = {{\"a\", 1}, {\"b\", 2}};\n"
          "constant char *constant two[2] = {\"a\", \"b\"};\n"
          "kernel void k(device int *o) { const constant char *p = \"c\";\n"
          "  constant char (&r)[3] = \"de\"; o[0] = p[0] + r[1] + table[o[1]].name[0] + two[o[1]][0]; }\n"),
      "");
}

TEST(ConstantStrings, AsResultsAndInConditionals) {
  EXPECT_EQ(
      messagesOf(
          "static const constant char *f(bool b) { return b ? \"yes\" : \"no\"; }\n"
          "static const constant char *g() { return \"g\"; }\n"
          "static int h(constant char *s) { return s[0]; }\n"
          "kernel void k(device int *o) { o[0] = f(o[1] > 2)[0] + g()[0] + h(o[2] ? \"a\" : \"b\"); }\n"),
      "");
}

TEST(ConstantStrings, InTheBodiesOfMacrosAndForPacks) {
  EXPECT_EQ(
      messagesOf("static int size(constant char *s) { return s[0]; }\n"
                 "static int size(int i) { return i; }\n"
                 "template <class T> int sizes(T t) { return size(t); }\n"
                 "template <class T, class... A> int sizes(T t, A... a) { return size(t) + sizes(a...); }\n"
                 "#define SIZES(a, ...) sizes(__FILE__, __func__, #a \" of\", __VA_ARGS__)\n"
                 "kernel void k(device int *o) { o[0] = SIZES(x + 1, \"a\", 3, \"b\"); }\n"),
      "");
}

TEST(ConstantStrings, AreNotTextForTheCompiler) {
  EXPECT_EQ(
      messagesOf("static int size(constant char *s) { return s[0]; }\n"
                 "#define CHECKED(s) [] { static_assert(sizeof(int) == 4, \"int\"); return size(s); }()\n"
                 "kernel void k(device int *o) { o[0] = CHECKED(\"a\"); }\n"),
      "");
}

TEST(ConstantStrings, ADevicePointerStaysAMistake) {
  EXPECT_THAT(messagesOf("static int f(const device char *a) { return a[0]; }\n"
                         "kernel void k(device int *o) { o[0] = f(\"a\"); }\n"),
              HasSubstr("k.metal:4:39: error: no matching function for call to 'f'"));
}

} // namespace
