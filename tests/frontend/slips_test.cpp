// What is missing before one of Metal's words is reported where it is missing.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace testing;

namespace {

struct Row {
  const char *before; ///< lines from line 3 on
  const char *after;
  const char *error; ///< the only one
};

constexpr const char *kKernel = "\nkernel void k(device int *o [[buffer(0)]]) { o[0] = 1; }\n";
constexpr const char *kOther = "\n[[kernel]] void k(device int *o [[buffer(0)]]) { o[0] = 1; }\n";

// Place and words are those of stock Clang 19 for OpenCL C++, where these words are keywords.
constexpr Row kRows[] = {
    {"using namespace metal\n", kKernel, "3:22: error: expected ';' after namespace name"},
    {"using namespace metal // here\n#define N 1\n", kKernel,
     "3:22: error: expected ';' after namespace name"},
    {"using namespace metal\n#if 0\n#endif\n", kKernel, "3:22: error: expected ';' after namespace name"},
    {"using namespace metal\n", kOther, "3:22: error: expected ';' after namespace name"},
    {"using namespace metal\n", "vertex float4 v() { return 1; }\n",
     "3:22: error: expected ';' after namespace name"},
    {"using namespace metal\n", "device int *f(device int *x) { return x; }\n",
     "3:22: error: expected ';' after namespace name"},
    {"using metal::float4\n", kKernel, "3:20: error: expected ';' after using declaration"},
    {"struct A { int x; }\n", kKernel, "3:20: error: expected ';' after struct"},
    {"#define K kernel\nstruct A { int x; }\n", "K void k() {}\n", "4:20: error: expected ';' after struct"},
    {"class A { int x; }\n", kKernel, "3:19: error: expected ';' after class"},
    {"union A { int x; }\n", kKernel, "3:19: error: expected ';' after union"},
    {"enum A { a }\n", kKernel, "3:13: error: expected ';' after enum"},
    {"struct A\n", kKernel, "3:9: error: expected ';' after struct"},
    {"struct A { int x; }\n", "constant int z = 1;\n", "3:20: error: expected ';' after struct"},
    {"struct A { int x; }\n", "constant constexpr int z = 1;\n", "3:20: error: expected ';' after struct"},
    {"enum A { a }\n", "constant int z = 1;\n", "3:13: error: expected ';' after enum"},
    {"namespace n {\nenum A { a }\n", "constant int z = 1;\n}\n", "4:13: error: expected ';' after enum"},
    {"typedef float4 F\n", kKernel, "3:17: error: expected ';' after top level declarator"},
    {"typedef float4 F\n", "device int *f(device int *x) { return x; }\n",
     "3:17: error: expected ';' after top level declarator"},
    {"typedef struct { int x; } F\n", kKernel, "3:28: error: expected ';' after top level declarator"},
    {"constant int z(1)\n", kKernel, "3:18: error: expected ';' after top level declarator"},
    {"using F = device float4 *\n", kKernel, "3:26: error: expected ';' after alias declaration"},
    {"using F = float4\n", "vertex float4 v() { return 1; }\n",
     "4:7: error: expected ';' after alias declaration"},
    {"float f(float x)\n", "kernel void k() {}\n",
     "4:1: error: expected function body after function declarator"},
    {"struct A {\n  struct B { int x; }\n", "  device int *p;\n};\n",
     "4:22: error: expected ';' after struct"},
    {"struct A {\n  struct B { int x; }\n", "  constant int *p;\n};\n",
     "4:22: error: expected ';' after struct"},
    {"struct A {\n  float a\n", "  device float *b;\n};\n",
     "4:10: error: expected ';' at end of declaration list"},
    {"struct A {\n  float a [[id(0)]]\n", "  device float *b [[id(1)]];\n};\n",
     "4:20: error: expected ';' at end of declaration list"},
    {"void f(float a\n", "       device float *b) {}\n", "4:8: error: expected ')'"},
    {"kernel void k(device float *a [[buffer(0)]]\n", "  device float *b [[buffer(1)]]) { a[0] = 1; }\n",
     "4:3: error: expected ')'"},
    {"kernel void k(device float *b, uint i [[thread_position_in_grid]]\n",
     "  threadgroup float *s [[threadgroup(0)]]) { b[0] = i; }\n", "4:3: error: expected ')'"},
    {"kernel void k(device float *b) { float x = 1\n", "  threadgroup float s[32]; b[0] = s[0] = x; }\n",
     "3:45: error: expected ';' at end of declaration"},
    {"kernel void k(device float *b) { float x\n", "  threadgroup float s[32]; b[0] = s[0] = x; }\n",
     "3:41: error: expected ';' at end of declaration"},
    {"kernel void k(device float *b) { struct A { int x; }\n", "  device float *p = b; p[0] = 1; }\n",
     "3:53: error: expected ';' after struct"},
};

TEST(Slips, AreReportedBeforeTheWord) {
  for (const Row &row : kRows) {
    const std::string text = std::string(row.before) + row.after;
    const std::string said = frontend::messagesOf(text);
    EXPECT_THAT(said, StartsWith(std::string("k.metal:") + row.error + "\n")) << text;
    EXPECT_THAT(said.find("error: ", said.find("error: ") + 1), said.npos) << text << said;
  }
}

// What is wrong without anything missing keeps its place.
TEST(Slips, ErrorsOfOtherKindsStay) {
  EXPECT_THAT(frontend::messagesOf("void f(threadgroup float a, device float *b) {}\n"),
              StartsWith("k.metal:3:26: error: parameter may not be qualified with an address space\n"));
  EXPECT_THAT(
      frontend::messagesOf("void f(threadgroup float a,\n       float b\n       constant float *c) {}\n"),
      AllOf(HasSubstr("k.metal:3:26: error: parameter may not be qualified with an address space\n"),
            HasSubstr("k.metal:5:8: error: expected ')'\n")));
  EXPECT_THAT(frontend::messagesOf("struct A { device float a; float b\n};\n"),
              AllOf(HasSubstr("k.metal:3:25: error: field may not be qualified with an address space\n"),
                    HasSubstr("k.metal:3:35: error: expected ';' at end of declaration list\n")));
}

} // namespace
