// Where `static` is put for a local variable in threadgroup or constant memory. What such variables hold:
// tests/language/address_spaces.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kMacros =
    "#define M(T) T\n#define ARRAY(n) n[4]\n#define TILE(n) threadgroup M(float) n[4]\n";

std::string inKernel(const std::string &body) {
  return messagesOf(kMacros + ("kernel void k(device float *o) {\n" + body + "\n}"));
}

TEST(LocalSpaces, OfADeclarationThatBeginsAnywhere) {
  for (const char *body :
       {"threadgroup M(float) a[2]; a[0] = 1;", "o[0] = 1; threadgroup float ARRAY(a); a[0] = 1;",
        "{ float threadgroup a; a = 1; } float threadgroup b; b = 2;",
        "switch (int(o[0])) { case 1: float threadgroup a; a = 1; break; default: float threadgroup b; b = "
        "1; }",
        "TILE(a); a[0] = 1; TILE(b); b[0] = 1;", "alignas(16) threadgroup M(float) a[2]; a[0] = 1;",
        "[[maybe_unused]] threadgroup M(float) a[2];",
        "\n#pragma unroll\nfor (int i = 0; i < 2; ++i) { float threadgroup a; a = 1; }"})
    EXPECT_EQ(inKernel(body), "") << body;
}

TEST(LocalSpaces, OfADeclarationOfSeveral) {
  for (const char *body :
       {"threadgroup M(float) a, b[2]; a = 1; b[0] = 1;", "float threadgroup a, b; a = 1; b = a;"})
    EXPECT_EQ(inKernel(body), "") << body;
  for (const char *body : {"constant M(float) a[2] = {1, 2}, b[2] = {3, 4}; o[0] = a[1] + b[0];",
                           "int constant a{1}, b{2}; o[0] = a + b;",
                           "int constant a = sizeof(o) > 4 ? 1 : 2, b = 3; o[0] = a + b;"})
    EXPECT_THAT(inKernel(body), HasSubstr("'a' cannot be static or in constant memory")) << body;
}

TEST(LocalSpaces, InTheBodyOfAMacro) {
  const auto with = [](const std::string &macro, const std::string &body) {
    return messagesOf(kMacros + macro + "\nkernel void k(device float *o) {\n" + body + "\n}");
  };
  EXPECT_EQ(with("#define BODY(n) o[0] = 2; threadgroup M(float) n[4]; { float threadgroup n##2; n##2 = 1; } "
                 "n[0] = 1",
                 "BODY(a); BODY(b);"),
            "");
  EXPECT_EQ(with("#define WRAP(...) { __VA_ARGS__ }", "WRAP(threadgroup M(float) a[2]; a[0] = 1;)"), "");
  EXPECT_EQ(with("#define DECLARE(T, n) o[0] = 1; T n[4]; n[0] = 1",
                 "DECLARE(threadgroup float, a); DECLARE(float, b); o[1] = a[0] + b[0];"),
            "");
}

TEST(LocalSpaces, InATemplate) {
  EXPECT_EQ(
      messagesOf("template <class T> using tg = threadgroup T;\n"
                 "template <class T> kernel void f(device T *o) { tg<T> a[2]; a[0] = 1; o[0] = a[0]; }\n"
                 "template kernel void f<float>(device float *);\n"
                 "template kernel void f<int>(device int *);"),
      "");
}

TEST(LocalSpaces, DoNotMakeMemoryOfOtherKinds) {
  for (const char *body : {"float device a; a = 1;", "device M(float) a; a = 1;"})
    EXPECT_THAT(inKernel(body), HasSubstr("variable 'a' cannot be in this address space")) << body;
  EXPECT_THAT(inKernel("int constant a = int(o[0]); o[0] = a;"),
              HasSubstr("cannot be static or in constant memory"));
  EXPECT_THAT(inKernel("float threadgroup a = 3; o[0] = a;"), HasSubstr("initialiser other than zero"));
}

} // namespace
